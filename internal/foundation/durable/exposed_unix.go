//go:build unix

package durable

import (
	"io/fs"
	"os"
	"slices"
	"syscall"
)

// groupOf returns the group of a file.
func groupOf(info fs.FileInfo) (gid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return -1, true // a group in which no process is
	}
	return int(stat.Gid), true
}

// inGroup reports whether this process is in a group.
func inGroup(gid int) bool {
	groups, err := os.Getgroups()
	return gid == os.Getegid() || err == nil && slices.Contains(groups, gid)
}
