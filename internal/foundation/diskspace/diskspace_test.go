package diskspace_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/diskspace"
)

func TestOf(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	space, err := diskspace.Of(folder)
	if err != nil || space.Free <= 0 || space.Free > space.Total {
		t.Errorf("got %+v, %v, want some free bytes of as many or more", space, err)
	}
	if _, err := diskspace.Of(filepath.Join(folder, "missing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing folder: got error %v, want %v", err, fs.ErrNotExist)
	}
}
