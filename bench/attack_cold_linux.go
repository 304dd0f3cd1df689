package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// dropCache drops the pages of a database from the memory of the system; those of all
// files if the system lets it. What SQLite holds itself, a few megabytes, stays.
func dropCache(database string) error {
	unix.Sync() // only what is on disk can be dropped
	if os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0) == nil {
		return nil
	}
	for _, name := range []string{database, database + "-wal"} {
		file, err := os.Open(filepath.Clean(name))
		if err != nil {
			return err
		}
		err = unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
		if err = errors.Join(err, file.Close()); err != nil {
			return fmt.Errorf("drop %s from memory: %w", name, err)
		}
	}
	return nil
}
