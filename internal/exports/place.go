package exports

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dropyard/dropyard/internal/foundation/durable"
)

// Folder keeps files in a folder.
type Folder string

// unfinished is the folder in it for files that are being written. Readers that look for *.csv do not find it.
const unfinished = ".unfinished"

func (f Folder) String() string { return string(f) }

// Prepare implements Place.
func (f Folder) Prepare() (string, error) {
	if err := durable.MakeFolder(string(f)); err != nil {
		return "", fmt.Errorf("make the folder of exports: %w", err)
	}
	folder := filepath.Join(string(f), unfinished)
	return folder, errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o700))
}

// Put implements Place.
func (f Folder) Put(_ context.Context, name, file, _ string) error {
	path := filepath.Join(string(f), filepath.FromSlash(name))
	if err := durable.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if err := flush(file); err != nil {
		return err
	}
	if err := os.Rename(file, path); err != nil {
		return err
	}
	return durable.SyncFolder(filepath.Dir(path))
}

// flush waits until the disk has a file.
func flush(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // a file that this package has written
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// Open implements Place.
func (f Folder) Open(_ context.Context, name string) (io.ReadCloser, error) {
	file, err := os.Open(filepath.Join(string(f), filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fs.ErrNotExist
	}
	return file, err
}
