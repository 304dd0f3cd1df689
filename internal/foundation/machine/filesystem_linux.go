package machine

import "syscall"

// FileSystemOf returns the kind of the file system of a folder.
func FileSystemOf(folder string) (FileSystem, error) {
	var found syscall.Statfs_t
	if err := syscall.Statfs(folder, &found); err != nil {
		return FileSystem{}, err
	}
	return fileSystems[uint32(found.Type)], nil
}
