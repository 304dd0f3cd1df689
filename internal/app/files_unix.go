//go:build unix

package app

import "syscall"

// mayWrite returns why this process may not write into a folder. It writes nothing.
func mayWrite(folder string) error {
	const write, enter = 2, 1
	return syscall.Access(folder, write|enter)
}

// mostFiles returns how many files a process may open; 0 if that is not known.
func mostFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Max) //nolint:unconvert // it is signed on some systems
}
