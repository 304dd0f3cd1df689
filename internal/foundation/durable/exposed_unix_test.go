//go:build unix

package durable_test

import (
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/durable"
)

// file is a file of a group with a mode.
type file struct {
	mode fs.FileMode
	gid  uint32
}

func (file) Name() string        { return "a" }
func (file) Size() int64         { return 0 }
func (f file) Mode() fs.FileMode { return f.mode }
func (file) ModTime() time.Time  { return time.Time{} }
func (file) IsDir() bool         { return false }
func (f file) Sys() any          { return &syscall.Stat_t{Gid: f.gid} }

// TestExposed accepts the group of the process and no other.
func TestExposed(t *testing.T) {
	t.Parallel()
	own := uint32(os.Getegid())
	other := own + 1
	if groups, err := os.Getgroups(); err != nil {
		t.Fatal(err)
	} else {
		for _, gid := range groups {
			other = max(other, uint32(gid)+1)
		}
	}
	for f, want := range map[file]fs.FileMode{
		{0o600, own}: 0, {0o660, own}: 0, {0o2770, own}: 0, {0o664, own}: 0o004, {0o777, own}: 0o007,
		{0o600, other}: 0, {0o660, other}: 0o060, {0o640, other}: 0o040, {0o604, other}: 0o004,
	} {
		if got := durable.Exposed(f); got != want {
			t.Errorf("mode %04o, own group %t: got %04o, want %04o", f.mode, f.gid == own, got, want)
		}
	}
}
