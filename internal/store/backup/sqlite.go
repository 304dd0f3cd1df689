package backup

import (
	"errors"
	"fmt"
	"os"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// open opens a database that exists, and changes nothing about it.
func open(path string) (*sqlite.Conn, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err // it says more than SQLite does
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	c.SetBusyTimeout(busyTimeout)
	return c, nil
}

// execute runs statements in turn.
func execute(c *sqlite.Conn, statements ...string) error {
	for _, statement := range statements {
		if err := query(c, statement, nil); err != nil {
			return err
		}
	}
	return nil
}

// query runs a statement and calls each for every row of its result.
func query(c *sqlite.Conn, sql string, each func(*sqlite.Stmt) error) error {
	return sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: each})
}

// isDamage reports whether SQLite itself cannot make sense of a file.
func isDamage(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultNotADB || code == sqlite.ResultCorrupt
}

// CheckUnused returns ErrInUse if any connection has the database open.
func CheckUnused(path string) error {
	release, err := seize(path)
	if err != nil {
		return err
	}
	return release()
}

// seize takes a database for itself until release is called. It returns ErrInUse
// if any connection has the database open. What was in its log is then in the
// file. A file that is not a database cannot be seized; but no service can have it
// open either.
func seize(path string) (release func() error, err error) {
	c, err := open(path)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(0)
	// Leaving WAL mode needs the exclusive lock, and every connection in WAL mode
	// holds a shared one for as long as it is open.
	err = execute(c, "PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE", "COMMIT")
	switch {
	case err == nil:
		return c.Close, nil
	case isDamage(err):
		return func() error { return nil }, c.Close()
	case sqlite.ErrCode(err).ToPrimary() == sqlite.ResultBusy:
		err = fmt.Errorf("%s: %w", path, ErrInUse)
	}
	return nil, errors.Join(err, c.Close())
}
