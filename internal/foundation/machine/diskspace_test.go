package machine_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/machine"
)

func TestDiskSpaceOf(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	space, err := machine.DiskSpaceOf(folder)
	if err != nil || space.Free <= 0 || space.Free > space.Total {
		t.Errorf("got %+v, %v, want some free bytes of as many or more", space, err)
	}
	if _, err := machine.DiskSpaceOf(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: got error %v, want %v", err, fs.ErrNotExist)
	}
}
