package backup

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/dropyard/dropyard/internal/db"
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

// CheckUnused returns ErrInUse if any connection has the database open, and a
// *db.FaultError if it is damaged.
func (f Files) CheckUnused(ctx context.Context, path string) error {
	if err := f.checkFiles(ctx, path); err != nil {
		return err
	}
	release, err := f.seize(ctx, path)
	if err != nil {
		return err
	}
	return release()
}

// checkFiles returns a *db.FaultError if a database is damaged. SQLite would cut a
// damaged log when it closes the database.
func (f Files) checkFiles(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err // it says more
	}
	_, err := f.Schema.ExamineSQLite(ctx, path)
	return err
}

// seize takes a database for itself until release is called. It returns ErrInUse
// if any connection has the database open. What was in its log is then in the
// file. A damaged database is not opened, so that it stays as it is; no service can
// have it open either.
func (f Files) seize(ctx context.Context, path string) (release func() error, err error) {
	var damaged *db.FaultError
	if err := f.checkFiles(ctx, path); errors.As(err, &damaged) {
		return func() error { return nil }, nil
	}
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
