//go:build unix

package machine

import "syscall"

// DiskSpaceOf returns the room on the disk that holds a folder.
func DiskSpaceOf(folder string) (DiskSpace, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return DiskSpace{}, err
	}
	//nolint:unconvert // other systems have other types
	block := int64(disk.Bsize)
	//nolint:gosec // no disk is that large
	return DiskSpace{Free: int64(disk.Bavail) * block, Total: int64(disk.Blocks) * block}, nil
}
