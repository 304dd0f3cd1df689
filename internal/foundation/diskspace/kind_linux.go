package diskspace

import "syscall"

// KindOf returns the kind of the file system of a folder.
func KindOf(folder string) (Kind, error) {
	var found syscall.Statfs_t
	if err := syscall.Statfs(folder, &found); err != nil {
		return Kind{}, err
	}
	return kinds[uint32(found.Type)], nil
}
