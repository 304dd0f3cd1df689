package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/durable"
)

func TestWriteNew(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	if err := durable.WriteNew(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteNew(path, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("existing file: got %v, want %v", err, fs.ErrExist)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "first" {
		t.Errorf("got %q, %v, want first", got, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want 0600", info.Mode(), err)
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 1 {
		t.Errorf("got files %v, %v, want one", names, err)
	}
}

func TestMakeFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "outer", "inner")
	for range 2 { // the second time it exists
		if err := durable.MakeFolder(path); err != nil {
			t.Fatal(err)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("got %v, %v, want a folder of mode 0700", info, err)
	}
	file := filepath.Join(path, "file")
	if err := durable.WriteNew(file, nil); err != nil {
		t.Fatal(err)
	}
	if err := durable.MakeFolder(filepath.Join(file, "folder")); err == nil {
		t.Error("a folder in a file: got no error")
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "file")
	for _, content := range []string{"first", "second"} {
		if err := durable.Replace(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("got %q, %v, want %q", got, err, content)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("got mode %v, %v, want 0600", info.Mode(), err)
	}
	if names, err := os.ReadDir(folder); err != nil || len(names) != 1 {
		t.Errorf("got files %v, %v, want one", names, err)
	}
}

func TestMissingFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "missing")
	if err := durable.WriteNew(filepath.Join(folder, "file"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("WriteNew: got %v, want %v", err, fs.ErrNotExist)
	}
	if err := durable.Replace(filepath.Join(folder, "file"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Replace: got %v, want %v", err, fs.ErrNotExist)
	}
	if err := durable.SyncFolder(folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("SyncFolder: got %v, want %v", err, fs.ErrNotExist)
	}
}
