package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/durable"
	"github.com/pressly/goose/v3"
	"zombiezen.com/go/sqlite"
)

// This file and restore.go never open a live database but through SQLite:
// closing any other descriptor of it would drop the locks that SQLite holds on
// it for this process (see walKeeper.close).

// The reasons for which there is no backup, no restored database, no copy.
var (
	ErrExists  = errors.New("is there already")
	ErrDamaged = errors.New("is damaged, or no database of dropyard")
	ErrInUse   = errors.New("is in use: stop the service first")
)

// Snapshot says what a backup holds.
type Snapshot struct {
	Tables  int
	Rows    int64
	Bytes   int64
	Summed  bool   // whether a checksum was written, or read and right
	Aside   string // where Restore has moved what was in the way
	Version int64  // of the schema
}

// checksumSuffix is added to a backup's name for the file of its SHA-256, in
// the form of sha256sum. SQLite itself would not notice a changed letter.
const checksumSuffix = ".sha256"

// backupPages is how many pages are copied before ctx is asked again.
const backupPages = 4096

// Backup writes a copy of the embedded database that is consistent, while a
// service runs on it. The file appears under its name only when it is whole,
// has been verified, and is on disk.
func Backup(ctx context.Context, from, to string) (made *Snapshot, err error) {
	if err := refuseExisting(to); err != nil {
		return nil, err
	}
	temp, err := createTemp(to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeDatabase(temp)) }()
	counted, err := copyPages(ctx, from, temp)
	if ctx.Err() != nil { // which SQLite calls an interruption
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("back up %s: %w", from, err)
	}
	held, err := verify(ctx, temp)
	if err != nil {
		return nil, fmt.Errorf("the copy of %s %w", from, err)
	}
	if err := sameCounts(counted, held); err != nil {
		return nil, fmt.Errorf("the copy of %s: %w", from, err)
	}
	sum, size, err := settle(temp)
	if err != nil {
		return nil, err
	}
	made = held.snapshot(size)
	made.Summed = true
	return made, publishBackup(temp, to, sum)
}

// publishBackup gives a finished backup its name, and puts its checksum beside
// it. A checksum without a backup is left over from one that was removed.
func publishBackup(temp, to, sum string) error {
	if err := removeFile(to + checksumSuffix); err != nil {
		return err
	}
	if err := publish(temp, to); err != nil {
		return err
	}
	line := sum + "  " + filepath.Base(to) + "\n"
	temp, err := createTemp(to + checksumSuffix)
	if err != nil {
		return err
	}
	if err := os.WriteFile(temp, []byte(line), 0o600); err != nil {
		return errors.Join(err, removeFile(temp))
	}
	if _, _, err := settle(temp); err != nil {
		return errors.Join(err, removeFile(temp))
	}
	return errors.Join(publish(temp, to+checksumSuffix), removeFile(temp))
}

// counts is how many rows each table has.
type counts map[string]int64

// contents is what verification has found in a database.
type contents struct {
	counts
	version int64
}

func (c *contents) snapshot(size int64) *Snapshot {
	s := &Snapshot{Tables: len(c.counts), Bytes: size, Version: c.version}
	for _, rows := range c.counts {
		s.Rows += rows
	}
	return s
}

// copyPages copies one state of a database, page by page, and counts the rows
// of the same state.
func copyPages(ctx context.Context, from, to string) (counted counts, err error) {
	source, err := openPlain(from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := openPlain(to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	// Nothing is lost with a copy that a crash spoils; settle waits for the disk.
	for _, pragma := range []string{"PRAGMA synchronous = OFF", "PRAGMA journal_mode = OFF"} {
		if _, err := target.exec(ctx, pragma); err != nil {
			return nil, err
		}
	}
	source.SetInterrupt(ctx.Done())
	// Within one transaction the source stays as it is, whoever writes.
	err = source.transact(ctx, "BEGIN", func(c conn) error {
		if counted, err = countRows(ctx, c); err != nil {
			return err
		}
		return stepPages(ctx, source.Conn, target.Conn)
	})
	return counted, err
}

func stepPages(ctx context.Context, source, target *sqlite.Conn) (err error) {
	backup, err := sqlite.NewBackup(target, "main", source, "main")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backup.Close()) }()
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		if more, err = backup.Step(backupPages); err != nil {
			return sqliteError(err)
		}
	}
	return nil
}

// openPlain opens a database that exists, and changes nothing about it.
func openPlain(path string) (*sqliteConn, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err // SQLite only says that it cannot
	}
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	c.SetBusyTimeout(busyTimeout)
	return &sqliteConn{c}, nil
}

func countRows(ctx context.Context, c conn) (counts, error) {
	var tables []string
	err := c.query(ctx, "SELECT name FROM sqlite_schema WHERE type = 'table'", nil, func(r row) error {
		var name string
		err := r.scan(&name)
		if !isTooling(name) {
			tables = append(tables, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	counted := counts{}
	for _, name := range tables {
		err := c.query(ctx, "SELECT count(*) FROM "+name, nil, func(r row) error {
			var rows int64
			err := r.scan(&rows)
			counted[name] = rows
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return counted, nil
}

func sameCounts(want counts, got *contents) error {
	for name, rows := range want {
		if got.counts[name] != rows {
			return fmt.Errorf("%s has %d rows, not %d: %w", name, got.counts[name], rows, ErrDamaged)
		}
	}
	return nil
}

// verify makes sure that a file that nobody else knows of is a sound database
// that this release can serve. It leaves it without a write-ahead log, so that
// the file is all there is.
func verify(ctx context.Context, path string) (held *contents, err error) {
	c, err := openPlain(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.SetInterrupt(ctx.Done())
	held = &contents{}
	if err := held.read(ctx, c); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if isDamage(err) {
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return nil, err
	}
	return held, nil
}

// isDamage tells whether SQLite itself cannot make sense of a file.
func isDamage(err error) bool {
	code := sqlite.ErrCode(err).ToPrimary()
	return code == sqlite.ResultNotADB || code == sqlite.ResultCorrupt
}

func (held *contents) read(ctx context.Context, c *sqliteConn) (err error) {
	if _, err := c.exec(ctx, "PRAGMA journal_mode = DELETE"); err != nil {
		return err
	}
	for _, check := range []string{
		"SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check != 'ok'",
		`SELECT 'a row of ' || "table" || ' refers to none of ' || parent FROM pragma_foreign_key_check`,
	} {
		err := c.query(ctx, check, nil, func(r row) error {
			var found string
			if err := r.scan(&found); err != nil {
				return err
			}
			return fmt.Errorf("%w: %s", ErrDamaged, strings.ReplaceAll(found, "\n", "; "))
		})
		if err != nil {
			return err
		}
	}
	if held.version, err = knownVersion(ctx, c); err != nil {
		return err
	}
	held.counts, err = countRows(ctx, c)
	return err
}

// knownVersion reads the schema's version, and refuses one that only a newer
// release knows.
func knownVersion(ctx context.Context, c conn) (version int64, err error) {
	migrated := false
	err = c.query(ctx, "SELECT 1 FROM sqlite_schema WHERE name = 'goose_db_version'", nil, func(row) error {
		migrated = true
		return nil
	})
	if err != nil {
		return 0, err
	}
	if !migrated {
		return 0, fmt.Errorf("%w: it has no schema of dropyard", ErrDamaged)
	}
	err = c.query(ctx, "SELECT max(version_id) FROM goose_db_version WHERE is_applied", nil, func(r row) error {
		return r.scan(&version)
	})
	if err != nil {
		return 0, err
	}
	newest, err := newestMigration()
	if err == nil && version > newest {
		err = fmt.Errorf("%w: its schema has version %d, this one knows %d", ErrNewerSchema, version, newest)
	}
	return version, err
}

func newestMigration() (newest int64, err error) {
	files, err := fs.ReadDir(migrations, "migrations/sqlite")
	for _, file := range files {
		version, err := goose.NumericComponent(file.Name())
		if err != nil {
			return 0, err
		}
		newest = max(newest, version)
	}
	return newest, err
}

// createTemp makes an empty file, which only its owner may read, beside the
// one that it is to become.
func createTemp(to string) (path string, err error) {
	file, err := os.CreateTemp(filepath.Dir(to), filepath.Base(to)+".partial-*")
	if err != nil {
		return "", err
	}
	return file.Name(), file.Close()
}

// settle waits until the disk has a file that no connection has open, and
// gives its SHA-256.
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

// publish gives a finished file its name, durably, and never overwrites.
func publish(temp, to string) error {
	err := os.Link(temp, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s %w", to, ErrExists)
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
		return fmt.Errorf("%s %w", path, ErrExists)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// companions are the files that SQLite keeps beside a database.
var companions = []string{"-wal", "-shm", "-journal"}

// removeDatabase removes a file that never became a database, and what SQLite
// may have left beside it.
func removeDatabase(path string) error {
	err := removeFile(path)
	for _, suffix := range companions {
		err = errors.Join(err, removeFile(path+suffix))
	}
	return err
}

// removeFile removes a file that may be gone.
func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
