package machine

import (
	"testing"
	"testing/fstest"
)

// TestCgroupLimit reads file systems as Linux shows them to machines and containers.
func TestCgroupLimit(t *testing.T) {
	t.Parallel()
	const (
		one      = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
		both     = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		part     = "35 31 0:32 /docker/a /sys/fs/cgroup/memory ro master:9 - cgroup cgroup rw,memory\n"
		joined   = "35 31 0:32 / /sys/fs/cgroup/cpu,memory rw - cgroup cgroup rw,cpu,memory\n"
		v1       = "5:devices:/\n4:memory:/docker/a\n0::/\n"
		infinite = "9223372036854771712"
	)
	for name, c := range map[string]struct {
		cgroup, mounts string
		files          map[string]string // below /sys/fs/cgroup
		want           int64
	}{
		"no Linux":     {"", "", nil, 0},
		"no mount":     {"0::/a\n", "", map[string]string{"a/memory.max": "5"}, 0},
		"no cgroup":    {"", one, map[string]string{"memory.max": "5"}, 0},
		"2":            {"0::/a/b\n", one, map[string]string{"a/b/memory.max": "500\n"}, 500},
		"2, container": {"0::/\n", one, map[string]string{"memory.max": "500\n"}, 500},
		"2, no limit":  {"0::/a\n", one, map[string]string{"a/memory.max": "max\n"}, 0},
		"2, limit above": {
			"0::/a/b\n", one, map[string]string{"a/memory.max": "400\n", "a/b/memory.max": "max\n"}, 400,
		},
		"2, less above": {
			"0::/a/b\n", one, map[string]string{"a/memory.max": "400\n", "a/b/memory.max": "500\n"}, 400,
		},
		"2, not readable": {"0::/a\n", one, map[string]string{"a/memory.max": "many\n"}, 0},
		"2, another's":    {"0::/a\n", one, map[string]string{"b/memory.max": "500\n"}, 0},
		"1":               {v1, both, map[string]string{"memory/docker/a/memory.limit_in_bytes": "500\n"}, 500},
		"1, no limit": {v1, both, map[string]string{
			"memory/docker/a/memory.limit_in_bytes": infinite, "memory/memory.limit_in_bytes": infinite,
		}, 0},
		"1, not the limit of 2": {
			v1, both, map[string]string{"memory/docker/a/memory.limit_in_bytes": infinite, "unified/memory.max": "5"}, 0,
		},
		"1, part of the tree": {v1, part, map[string]string{"memory/memory.limit_in_bytes": "500"}, 500},
		"1, below the part": {"4:memory:/docker/a/b\n", part, map[string]string{
			"memory/memory.limit_in_bytes": infinite, "memory/b/memory.limit_in_bytes": "500",
		}, 500},
		"1, another part": {
			"4:memory:/docker/ab\n", part, map[string]string{"memory/memory.limit_in_bytes": "500"}, 0,
		},
		"1, limit above, not seen": {v1, part, map[string]string{
			"memory/memory.limit_in_bytes": infinite, "memory/memory.stat": "cache 7\nhierarchical_memory_limit 400\n",
		}, 400},
		"1, with other controllers": {
			"4:cpu,memory:/a\n", joined, map[string]string{"cpu,memory/a/memory.limit_in_bytes": "500"}, 500,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := fstest.MapFS{}
			if c.cgroup != "" {
				root["proc/self/cgroup"] = &fstest.MapFile{Data: []byte(c.cgroup)}
			}
			if c.mounts != "" {
				root["proc/self/mountinfo"] = &fstest.MapFile{Data: []byte("31 23 0:28 / /tmp rw - tmpfs tmpfs rw\n" + c.mounts)}
			}
			for file, content := range c.files {
				root["sys/fs/cgroup/"+file] = &fstest.MapFile{Data: []byte(content)}
			}
			if got := cgroupLimit(root); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	if got := MemoryLimit(); got < 1<<20 || got > noLimit {
		t.Errorf("got %d bytes, want what a machine has", got)
	}
}
