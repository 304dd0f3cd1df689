package durable

import "io/fs"

// Exposed returns the permissions of a file or folder that users have who are neither its
// owner nor in a group of this process; 0 on Windows, which has other permissions. The
// groups of the process count as its own because Kubernetes gives all files of a volume to
// the group that fsGroup names, with the permissions of the owner, each time it mounts one.
func Exposed(info fs.FileInfo) fs.FileMode {
	const group, others = 0o070, 0o007
	gid, known := groupOf(info)
	switch {
	case !known:
		return 0
	case inGroup(gid):
		return info.Mode().Perm() & others
	default:
		return info.Mode().Perm() & (group | others)
	}
}
