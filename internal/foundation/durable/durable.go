// Package durable writes files that survive a crash.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// WriteNew writes a file that must not exist yet, and returns when the disk has
// it. The file gets its name only when it is complete, so that another process
// finds all of it or nothing. The error is fs.ErrExist if the name is taken.
func WriteNew(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // only its owner may read it
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

// SyncFolder waits until the disk has the names of the files in a folder.
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
