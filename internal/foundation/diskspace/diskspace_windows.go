package diskspace

import "golang.org/x/sys/windows"

// Of returns the room on the disk that holds a folder.
func Of(folder string) (Space, error) {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return Space{}, err
	}
	var free, total uint64
	if err := windows.GetDiskFreeSpaceEx(name, &free, &total, nil); err != nil {
		return Space{}, err
	}
	return Space{Free: int64(free), Total: int64(total)}, nil //nolint:gosec // no disk is that large
}
