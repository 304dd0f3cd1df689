package machine

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// cgroupLimit returns the memory limit of the cgroup of this process, in bytes; 0 if it
// has none. A limit of a cgroup is also one of those below it. It reads the file system
// of Linux; on other systems it finds nothing.
func cgroupLimit(root fs.FS) int64 {
	for _, v := range versions {
		if at := v.folder(root); at != "" {
			return v.limit(root, at)
		}
	}
	return 0
}

// version is how a version of cgroups says what a limit is.
type version struct {
	fileSystem string
	controller string // that has a tree of its own; empty if one tree is for all
	read       func(root fs.FS, folder string) int64
}

// versions are the versions of cgroups. A machine may have both: then it is the first
// that limits memory.
var versions = []version{
	{"cgroup", "memory", func(root fs.FS, folder string) int64 {
		return least(number(root, folder+"/memory.limit_in_bytes"), inheritedLimit(root, folder))
	}},
	{"cgroup2", "", func(root fs.FS, folder string) int64 { return number(root, folder+"/memory.max") }},
}

// folder returns the path of the folder of this process's cgroup, without the leading
// slash of a path; empty if there is none.
func (v version) folder(root fs.FS) string {
	group := v.group(root)
	if group == "" {
		return ""
	}
	for line := range lines(root, "proc/self/mountinfo") {
		// 35 31 0:32 /tree /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
		mount, kind, _ := strings.Cut(line, " - ")
		where, what := strings.Fields(mount), strings.Fields(kind)
		if len(where) < 5 || len(what) < 3 || what[0] != v.fileSystem || !v.among(what[2]) {
			continue
		}
		// A container may see a part of the tree only, where its path is longer than the part's.
		if below, ok := strings.CutPrefix(group, strings.TrimSuffix(where[3], "/")); ok && (below == "" || below[0] == '/') {
			return strings.Trim(path.Join(where[4], below), "/")
		}
	}
	return ""
}

// group returns the path of this process's cgroup in its tree; empty if it is in none.
func (v version) group(root fs.FS) string {
	for line := range lines(root, "proc/self/cgroup") { // 4:memory:/path
		parts := strings.SplitN(line, ":", 3)
		if len(parts) == 3 && (parts[0] == "0") == (v.controller == "") && v.among(parts[1]) {
			return parts[2]
		}
	}
	return ""
}

// among reports whether the controller is one of those in a list.
func (v version) among(list string) bool {
	return v.controller == "" || slices.Contains(strings.Split(list, ","), v.controller)
}

// limit returns the least limit of a folder and those above it. Folders above the tree
// have no limits.
func (v version) limit(root fs.FS, folder string) (limit int64) {
	for ; folder != "."; folder = path.Dir(folder) {
		limit = least(limit, v.read(root, folder))
	}
	return limit
}

// inheritedLimit returns what a cgroup of version 1 gets from those above it, which a
// container may not see; 0 for no limit.
func inheritedLimit(root fs.FS, folder string) int64 {
	for line := range lines(root, folder+"/memory.stat") {
		if limit, ok := strings.CutPrefix(line, "hierarchical_memory_limit "); ok {
			return parse(limit)
		}
	}
	return 0
}

// number returns the number in a file; 0 without one.
func number(root fs.FS, name string) int64 {
	content, _ := fs.ReadFile(root, name)
	return parse(strings.TrimSpace(string(content)))
}

// noLimit is more than any machine has. Version 1 says of a cgroup without a limit that
// it has about twice as much.
const noLimit = 1 << 62

// parse returns a limit; 0 for no limit, such as "max".
func parse(text string) int64 {
	limit, err := strconv.ParseInt(text, 10, 64)
	if err != nil || limit >= noLimit {
		return 0
	}
	return limit
}

// least returns the lesser of two limits, of which 0 means none.
func least(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// lines yields the lines of a file; none if it cannot be read.
func lines(root fs.FS, name string) func(yield func(string) bool) {
	content, _ := fs.ReadFile(root, name)
	return strings.SplitSeq(strings.TrimSuffix(string(content), "\n"), "\n")
}
