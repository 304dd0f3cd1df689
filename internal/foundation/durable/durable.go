// Package durable writes files that survive a crash, and the failure of the power.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// WriteNew writes a file that must not exist yet, and returns when the disk has
// it. The file gets its name only when it is complete, so that another process
// finds all of it or nothing. The error is fs.ErrExist if the name is taken.
func WriteNew(path string, content []byte) (err error) {
	complete, err := writeBeside(path, content)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(complete)) }()
	if err := os.Link(complete, path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// Replace writes a file, in the place of the one that has the name, and returns when
// the disk has it. Another process, or one after a crash, finds the old content or the
// new.
func Replace(path string, content []byte) error {
	complete, err := writeBeside(path, content)
	if err != nil {
		return err
	}
	if err := os.Rename(complete, path); err != nil {
		return errors.Join(err, os.Remove(complete))
	}
	return SyncFolder(filepath.Dir(path))
}

// writeBeside writes a file under another name in the same folder, and returns the
// name when the disk has the content. Only its owner may read it.
func writeBeside(path string, content []byte) (name string, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// MakeFolder makes a folder that only its owner may use, and all that lead to it, unless
// they exist. It returns when the disk has them.
func MakeFolder(path string) error {
	// of a folder that exists, too: a crash may have come before its sync
	parents := []string{filepath.Dir(filepath.Clean(path))}
	for at := parents[0]; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		parents = append(parents, filepath.Dir(at))
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	for _, parent := range parents {
		// A parent that may not be read holds a folder that was made by another user.
		if err := SyncFolder(parent); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
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
