package machine

import "testing"

// TestFileSystemOf looks at the file system of the tests, which is local.
func TestFileSystemOf(t *testing.T) {
	t.Parallel()
	if kind, err := FileSystemOf(t.TempDir()); err != nil || kind.Unsafe {
		t.Errorf("got %+v, error %v, want no network file system", kind, err)
	}
	for number, want := range map[uint32]FileSystem{
		0x6969: {"NFS", true}, 0xfe534d42: {"SMB", true}, 0x65735546: {"FUSE", false}, 0xef53: {},
	} {
		if got := fileSystems[number]; got != want {
			t.Errorf("%#x: got %+v, want %+v", number, got, want)
		}
	}
}
