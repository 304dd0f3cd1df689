package machine

import "golang.org/x/sys/unix"

// total returns the memory of the machine, in bytes; 0 if it is not known.
func total() int64 {
	size, _ := unix.SysctlUint64("hw.memsize")
	return int64(size) //nolint:gosec // no memory is that large
}
