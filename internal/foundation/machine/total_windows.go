package machine

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// total returns the memory of the machine, in bytes; 0 if it is not known.
func total() int64 {
	var status struct { // MEMORYSTATUSEX
		length, load uint32
		total        uint64
		_            [6]uint64
	}
	status.length = uint32(unsafe.Sizeof(status))
	if ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return int64(status.total) //nolint:gosec // no memory is that large
}
