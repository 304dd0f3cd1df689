package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/dropyard/dropyard/internal/foundation/durable"
)

// createTemp creates an empty file, readable by its owner only, beside the one
// that it is to become.
func createTemp(to string) (path string, err error) {
	folder := filepath.Dir(to)
	file, err := os.CreateTemp(folder, filepath.Base(to)+".partial-*")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%s: the directory %s does not exist: create it first", to, folder)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("%s: this user may not write to %s: choose another directory, or run the command as its owner",
			to, folder)
	case err != nil:
		return "", err
	}
	return file.Name(), file.Close()
}

// settle waits until the disk has a file, which no connection may have open, and
// returns its SHA-256.
func settle(path string) (sum string, size int64, err error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return "", 0, err
	}
	hash := sha256.New()
	size, err = io.Copy(hash, file)
	err = errors.Join(err, file.Sync(), file.Close())
	return hex.EncodeToString(hash.Sum(nil)), size, err
}

// publish gives a finished file its name, durably. It never overwrites a file.
func publish(temp, to string) error {
	err := os.Link(temp, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s: %w: choose another name", to, ErrExists)
	case err != nil: // not every file system has links
		if err := refuseExisting(to); err != nil {
			return err
		}
		if err := os.Rename(temp, to); err != nil {
			return err
		}
	default:
		if err := os.Remove(temp); err != nil {
			return err
		}
	}
	return durable.SyncFolder(filepath.Dir(to))
}

func refuseExisting(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w: choose another name", path, ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// companions are the suffixes of the files that SQLite and the store keep beside a
// database.
var companions = []string{"-wal", "-shm", "-journal", "-mark"}

// removeDatabase removes a file that never became a database, and what SQLite may
// have left beside it.
func removeDatabase(path string) error {
	err := removeFile(path)
	for _, suffix := range companions {
		err = errors.Join(err, removeFile(path+suffix))
	}
	return err
}

// removeFile removes a file if it exists.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Checksum returns the SHA-256 of a file, in hexadecimal.
func Checksum(path string) (sum string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(hash, file)
	return hex.EncodeToString(hash.Sum(nil)), errors.Join(err, file.Close())
}
