package testkit

import (
	"os"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/machine"
)

// enoughMemory is how many bytes must be free for tests to keep files in memory.
// Containers often have no more than 64 MiB there.
const enoughMemory = 1 << 30

// memoryDir returns a directory whose files are in memory, if the machine has one
// with enough space, or else "", which stands for the usual directory for
// temporary files. TMPDIR, if set, is respected.
func memoryDir() string {
	const sharedMemory = "/dev/shm"
	if os.Getenv("TMPDIR") != "" {
		return ""
	}
	if space, err := machine.DiskSpaceOf(sharedMemory); err != nil || space.Free < enoughMemory {
		return ""
	}
	return sharedMemory
}

// FastDir returns an empty directory that is removed when the test ends, in memory
// if possible. Tests of durability use t.TempDir instead.
func FastDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(memoryDir(), "dropyard-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}
