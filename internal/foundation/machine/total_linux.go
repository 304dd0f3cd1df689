package machine

import "golang.org/x/sys/unix"

// total returns the memory of the machine, in bytes; 0 if it is not known.
func total() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	return int64(
		info.Totalram,
	) * int64(info.Unit) //nolint:gosec,unconvert // no memory is that large; on 32 bits the type is another
}
