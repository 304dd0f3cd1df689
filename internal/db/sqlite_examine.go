package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/sqlitefile"
)

// Examined is what the files of an embedded database hold, read without SQLite: when
// SQLite opens a database whose log is damaged, it cuts the log without a word.
type Examined struct {
	// New is true if there is no database yet, or none with a table.
	New bool
	// Used is true if a connection has the database open. Then the files are
	// changing, and were not read.
	Used bool
	// Log is the log that the last process left, if it was killed.
	Log sqlitefile.Log

	schema   *Schema
	path     string
	settings map[string]string
}

// Lost returns the FaultError of a database that is new although a file beside it, the
// witness, shows that there was one.
func (x *Examined) Lost(witness string) error {
	kind := FaultMissing
	if _, err := os.Stat(x.path); err == nil {
		kind = FaultEmpty
	}
	return newFault(kind, nil, "the database %s is %s, but %s was made for one", x.path, kind, witness)
}

// Setting returns a setting of the whole installation; empty if it was never set, or
// if the files were not read.
func (x *Examined) Setting(name string) string { return x.settings[name] }

// How much of a large database is examined, so that a start takes no longer with more
// orders. dropyard doctor checks all of it.
const (
	examinedPages = 2000
	examineTime   = 700 * time.Millisecond
)

const (
	settleTries = 20
	settlePause = 50 * time.Millisecond
)

// openHere holds the files of the databases that this process has open. Its lock is
// also held while files are read without SQLite: closing them drops the locks of all
// connections of the process.
var openHere struct {
	sync.Mutex
	files []os.FileInfo
}

// registerOpen puts a database on the list of those that this process has open, until
// end is called.
func registerOpen(path string) (end func(), err error) {
	openHere.Lock()
	defer openHere.Unlock()
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	openHere.files = append(openHere.files, info)
	return func() {
		openHere.Lock()
		defer openHere.Unlock()
		at := slices.Index(openHere.files, info)
		openHere.files = slices.Delete(openHere.files, at, at+1)
	}, nil
}

// ExamineSQLite examines the files of an embedded database, and changes none. It takes
// about a second at most. The error is a *FaultError if the database should not be opened.
func (s *Schema) ExamineSQLite(ctx context.Context, path string) (*Examined, error) {
	openHere.Lock()
	defer openHere.Unlock()
	x := &Examined{schema: s, path: path, settings: map[string]string{}}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.New = true
		return x, leftBehind(path, FaultMissing, "the database %s is missing", path)
	case err != nil:
		return nil, newFault(FaultUnreadable, err, "the database cannot be reached: %v", err)
	case !info.Mode().IsRegular():
		return nil, newFault(FaultNotFile, nil, "%s is not a file", path)
	}
	isOpen := func(open os.FileInfo) bool { return os.SameFile(open, info) }
	if slices.ContainsFunc(openHere.files, isOpen) {
		x.Used = true
		return x, nil
	}
	if x.Used, err = sqlitefile.Used(path); x.Used || err != nil {
		return x, unreadable(err)
	}
	if err := writable(path); err != nil {
		return nil, err
	}
	if info.Size() == 0 {
		x.New = true
		return x, leftBehind(path, FaultEmpty, "the database %s is empty", path)
	}
	return s.readSettled(ctx, path)
}

// readSettled reads a database. If that fails while another process, which opens it at
// the same time, is changing the files, it tries again.
func (s *Schema) readSettled(ctx context.Context, path string) (*Examined, error) {
	for tries := 1; ; tries++ {
		x, before := &Examined{schema: s, path: path, settings: map[string]string{}}, stampOf(path)
		err := x.read(ctx)
		if err == nil {
			return x, nil
		}
		if used, _ := sqlitefile.Used(path); used {
			x.Used = true
			return x, nil
		}
		if stampOf(path) == before || tries == settleTries {
			return nil, err
		}
		time.Sleep(settlePause)
	}
}

// stampOf describes when the files of a database were last written.
func stampOf(path string) (stamp [3]time.Time) {
	for i, suffix := range []string{"", "-wal", "-journal"} {
		if info, err := os.Stat(path + suffix); err == nil {
			stamp[i] = info.ModTime()
		}
	}
	return stamp
}

// unreadable turns the error of a file that cannot be opened or read into a FaultError.
func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return newFault(FaultUnreadable, err, "the database cannot be read: %v", err)
}

// leftBehind returns a FaultError if there is a sign that a database was here before.
func leftBehind(path string, kind FaultKind, format string, args ...any) error {
	problem := fmt.Sprintf(format, args...)
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return newFault(kind, nil, "%s, but its log is there", problem)
	}
	if _, err := os.Stat(path + markSuffix); err == nil {
		return newFault(kind, nil, "%s, but %s says that there was one", problem, filepath.Base(path)+markSuffix)
	}
	return nil
}

// writable returns a FaultError if the database or its folder cannot be read and written.
func writable(path string) error {
	if err := tryOpen(path, os.O_RDONLY); err != nil {
		return unreadable(err)
	}
	if err := tryOpen(path, os.O_RDWR); err != nil {
		return newFault(FaultReadOnly, err, "the database cannot be written: %v", err)
	}
	temp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".writable-*")
	if err == nil {
		err = errors.Join(temp.Close(), os.Remove(temp.Name()))
	}
	if err != nil {
		return newFault(FaultReadOnly, err, "the folder of the database cannot be written: %v", err)
	}
	return nil
}

func tryOpen(path string, flag int) error {
	file, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	return file.Close()
}

// read examines a database that no connection has open.
func (x *Examined) read(ctx context.Context) (err error) {
	file, err := sqlitefile.Open(x.path)
	if err != nil {
		return faultOf(err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	x.Log = file.Log
	if journal, err := os.Stat(x.path + "-journal"); err == nil && journal.Size() > 0 {
		return nil // SQLite will first undo what the pages hold
	}
	if err := x.readTables(file); err != nil {
		return err
	}
	if err := checkMark(x.path, file); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, examineTime)
	defer cancel()
	return faultOf(file.CheckPages(limited, examinedPages, rand.IntN))
}

// readTables reads the settings, and refuses what is not a database of this release.
func (x *Examined) readTables(file *sqlitefile.File) error {
	tables, err := file.Tables()
	if err != nil {
		return faultOf(err)
	}
	if len(tables) == 0 {
		x.New = true
		return leftBehind(x.path, FaultEmpty, "the database %s has no tables", x.path)
	}
	byName := map[string]sqlitefile.Table{}
	for _, table := range tables {
		byName[table.Name] = table
	}
	versions, migrated := byName["goose_db_version"]
	if !migrated {
		return newFault(FaultOtherApplication, nil, "%s is a database of another application", x.path)
	}
	var version int64
	err = file.Rows(versions, func(row []any) error {
		if n, ok := valueAt(row, 1).(int64); ok {
			version = max(version, n)
		}
		return nil
	})
	if err != nil {
		return faultOf(err)
	}
	if err := x.schema.CheckVersion(version); err != nil {
		return newFault(FaultNewerSchema, err, "%s: %v", x.path, err)
	}
	settings, ours := byName[SettingsTable.Name]
	if !ours {
		if version > 0 {
			return newFault(FaultOtherApplication, nil, "%s is a database of another application", x.path)
		}
		return nil
	}
	return faultOf(file.Rows(settings, func(row []any) error {
		name, _ := valueAt(row, 0).(string)
		x.settings[name], _ = valueAt(row, 1).(string)
		return nil
	}))
}

// valueAt returns a value of a row, nil if the row is too short.
func valueAt(row []any, n int) any {
	if n >= len(row) {
		return nil
	}
	return row[n]
}
