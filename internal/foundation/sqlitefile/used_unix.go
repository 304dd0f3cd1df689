//go:build unix

package sqlitefile

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Used reports whether another process has a database in WAL mode open: each of
// SQLite's connections holds a lock on the file for as long as it is open.
func Used(path string) (used bool, err error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	const sharedFirst, sharedSize = 0x40000002, 510
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Start: sharedFirst, Len: sharedSize}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_GETLK, &lock); err != nil {
		return false, fmt.Errorf("look for locks on %s: %w", path, err)
	}
	return lock.Type != syscall.F_UNLCK, nil
}
