// Package durable writes files that a crash does not take away again.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// WriteNew writes a file that must not exist yet, and waits until the disk has
// it. It gets its name only when it is whole, so that another process finds
// all of it or nothing; if it has the name already, that is fs.ErrExist.
func WriteNew(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // for its owner only
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err := os.Link(file.Name(), path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" { // folders cannot be opened there
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
