package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/sqlitefile"
	"zombiezen.com/go/sqlite"
)

// Examined is what an embedded database holds. Its header and its log are read without
// SQLite: when SQLite opens a database whose log is damaged, it cuts the log without a word.
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

// examineTime bounds how long SQLite looks for damage, so that a start takes no longer
// with more orders. dropyard doctor checks all of a large database.
const examineTime = 700 * time.Millisecond

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
	state, err := sqlitefile.Read(x.path)
	if err != nil {
		return faultOf(err)
	}
	x.Log = state.Log
	if journal, err := os.Stat(x.path + "-journal"); err == nil && journal.Size() > 0 {
		return nil // SQLite will first undo what the pages hold
	}
	c, err := x.openReadOnly()
	if err != nil {
		return unreadable(err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	tables, err := x.readTables(c)
	if err == nil {
		err = checkMark(x.path, state)
	}
	if err == nil || isDamage(err) { // of which this says more
		err = cmp.Or(x.checkPages(ctx, c, tables), err)
	}
	return err
}

// readTables reads the settings, and refuses what is not a database of this release. It
// returns the names of all tables.
func (x *Examined) readTables(c *sqlite.Conn) (tables []string, err error) {
	err = forEach(c, "SELECT name FROM sqlite_schema WHERE type = 'table'", func(st *sqlite.Stmt) {
		tables = append(tables, st.ColumnText(0))
	})
	if err != nil {
		return tables, x.unreadable(err)
	}
	if len(tables) == 0 {
		x.New = true
		return tables, leftBehind(x.path, FaultEmpty, "the database %s has no tables", x.path)
	}
	if !slices.Contains(tables, "goose_db_version") {
		return tables, newFault(FaultOtherApplication, nil, "%s is a database of another application", x.path)
	}
	var version int64
	err = forEach(c, "SELECT max(version_id) FROM goose_db_version", func(st *sqlite.Stmt) { version = st.ColumnInt64(0) })
	if err != nil {
		return tables, x.unreadable(err)
	}
	if err := x.schema.CheckVersion(version); err != nil {
		return tables, newFault(FaultNewerSchema, err, "%s: %v", x.path, err)
	}
	if !slices.Contains(tables, SettingsTable.Name) {
		if version > 0 {
			return tables, newFault(FaultOtherApplication, nil, "%s is a database of another application", x.path)
		}
		return tables, nil
	}
	return tables, x.unreadable(readSettings(c, x.settings))
}

// checkPages looks for pages that are not a part of the tree that leads to them: in all of
// a database that is small enough, else at its beginning and at that of each of its tables.
func (x *Examined) checkPages(ctx context.Context, c *sqlite.Conn, tables []string) error {
	end := time.Now().Add(examineTime)
	if whole, err := x.quickCheck(ctx, c, "1", examineTime/2); whole || err != nil { // until the first problem
		return err
	}
	for i, table := range tables {
		share := time.Until(end) / time.Duration(len(tables)-i)
		if _, err := x.quickCheck(ctx, c, `"`+table+`"`, share); err != nil {
			return err
		}
	}
	return nil
}

// quickCheck has SQLite check the pages of the database or of a table. It reports whether
// there was time for all of them.
func (x *Examined) quickCheck(
	ctx context.Context, c *sqlite.Conn, of string, limit time.Duration,
) (whole bool, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer c.SetInterrupt(nil)
	c.SetInterrupt(limited.Done())
	var problems []string
	err = eachProblem(c, "PRAGMA quick_check("+of+")", func(problem string) { problems = append(problems, problem) })
	switch {
	case len(problems) > 0:
		problem := notOfTree.ReplaceAllString(problems[0], "page $1 is not a page of a table or an index")
		return false, newFault(FaultPage, nil, "%s: %s", x.path, problem)
	case limited.Err() != nil:
		return false, nil
	default:
		return true, x.unreadable(err)
	}
}

// notOfTree is how SQLite says that a page is of no tree.
var notOfTree = regexp.MustCompile(`^Tree \d+ page (\d+): btreeInitPage\(\) returns error code \d+$`)

// unreadable turns an error of SQLite into a FaultError.
func (x *Examined) unreadable(err error) error {
	if isDamage(err) {
		return newFault(FaultPage, err, "the database %s is damaged: %v", x.path, err)
	}
	return unreadable(err)
}
