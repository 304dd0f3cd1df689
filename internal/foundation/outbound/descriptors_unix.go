//go:build unix

package outbound

import "syscall"

// descriptors returns how many files and connections this process may have open at
// once; 0 if that is not known.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // it is signed on some systems
}
