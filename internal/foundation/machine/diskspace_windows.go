package machine

import "golang.org/x/sys/windows"

// DiskSpaceOf returns the room on the disk that holds a folder.
func DiskSpaceOf(folder string) (DiskSpace, error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return DiskSpace{}, err
	}
	var free, total uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, &total, nil); err != nil {
		return DiskSpace{}, err
	}
	return DiskSpace{Free: int64(free), Total: int64(total)}, nil //nolint:gosec // no disk is that large
}
