//go:build unix

package app

import "syscall"

// mostFiles returns how many files a process may open; 0 if that is not known.
func mostFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Max) //nolint:unconvert // it is signed on some systems
}
