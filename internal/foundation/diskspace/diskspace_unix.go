//go:build unix

package diskspace

import "syscall"

// Of returns the room on the disk that holds a folder.
func Of(folder string) (Space, error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(folder, &disk); err != nil {
		return Space{}, err
	}
	//nolint:unconvert // other systems have other types
	block := int64(disk.Bsize)
	//nolint:gosec // no disk is that large
	return Space{Free: int64(disk.Bavail) * block, Total: int64(disk.Blocks) * block}, nil
}
