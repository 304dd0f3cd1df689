// Package backup backs up the file of an embedded database, and restores it.
//
// It opens a database that may be in use through SQLite only: when a process
// closes any other descriptor of the file, it loses all locks that SQLite holds
// on it for that process.
package backup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/progress"
	"zombiezen.com/go/sqlite"
)

// The reasons for which a file is refused.
var (
	ErrExists  = errors.New("the file exists already")
	ErrDamaged = errors.New("the file is damaged, or not a database of dropyard")
	ErrInUse   = errors.New("the database is in use: stop the service first")
)

// Contents describes a database that was verified.
type Contents struct {
	Tables  int
	Rows    int64 // of all tables
	Bytes   int64 // of the file
	Version int64 // of the schema
}

// Files makes backups of the databases of one schema, and restores them.
type Files struct {
	Schema *db.Schema
	// Lineage is the setting in which a database says where it comes from.
	Lineage string
	// Follows reports whether a database has gone on from the state of an older one, by this
	// setting of each; empty if it was never set.
	Follows func(newer, older string) (bool, error)
	// Changes are what a restored database must not forget, or people must know of. They use
	// columns of the first release only, because the backup may be of that one.
	Changes []Change
}

// checksumSuffix is added to a backup's name for the file that holds its SHA-256,
// in the form of sha256sum. SQLite would not notice a changed letter.
const checksumSuffix = ".sha256"

// pagesPerStep is how many pages are copied before the context is asked again.
const pagesPerStep = 4096

// busyTimeout is how long to wait for a lock of another connection.
const busyTimeout = 10 * time.Second

// Write writes one consistent state of a database to a file that does not exist
// yet, with its checksum beside it. A service may be running on the database. The
// file appears under its name only when it is complete, verified and on disk.
func (f Files) Write(ctx context.Context, database, file string) (made *Contents, err error) {
	if err := refuseExisting(file); err != nil {
		return nil, err
	}
	if err := f.checkFiles(ctx, database); err != nil {
		return nil, fmt.Errorf("back up: %w", err)
	}
	temp, err := createTemp(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, removeDatabase(temp)) }()
	counted, err := copyPages(ctx, database, temp)
	if ctx.Err() != nil { // SQLite has an error of its own for it
		return nil, ctx.Err()
	}
	if sqlite.ErrCode(err).ToPrimary() == sqlite.ResultFull {
		return nil, fmt.Errorf("%s: its disk has no room for a copy of %s: free some, or choose another place", file, database)
	}
	if err != nil {
		return nil, fmt.Errorf("back up %s: %w", database, err)
	}
	progress.Report(ctx, "verifying", 0, 0)
	held, err := f.verify(ctx, temp)
	if err != nil {
		return nil, fmt.Errorf("the copy of %s: %w", database, err)
	}
	if err := sameCounts(counted, held.counts); err != nil {
		return nil, fmt.Errorf("the copy of %s: %w", database, err)
	}
	sum, size, err := settle(temp)
	if err != nil {
		return nil, err
	}
	return held.contents(size), publishBackup(temp, file, sum)
}

// publishBackup gives a finished backup its name and puts its checksum beside it.
// A checksum that is there already is left over from a backup that was removed.
func publishBackup(temp, file, sum string) error {
	if err := removeFile(file + checksumSuffix); err != nil {
		return err
	}
	if err := publish(temp, file); err != nil {
		return err
	}
	line := sum + "  " + filepath.Base(file) + "\n"
	temp, err := createTemp(file + checksumSuffix)
	if err != nil {
		return err
	}
	if err := os.WriteFile(temp, []byte(line), 0o600); err != nil {
		return errors.Join(err, removeFile(temp))
	}
	if _, _, err := settle(temp); err != nil {
		return errors.Join(err, removeFile(temp))
	}
	return errors.Join(publish(temp, file+checksumSuffix), removeFile(temp))
}

// copyPages copies one state of a database, page by page, and counts the rows of
// the same state.
func copyPages(ctx context.Context, from, to string) (counted counts, err error) {
	source, err := open(from)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, source.Close()) }()
	target, err := open(to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	// A copy that a crash spoils is no loss; settle waits for the disk.
	if err := execute(target, "PRAGMA synchronous = OFF", "PRAGMA journal_mode = OFF"); err != nil {
		return nil, err
	}
	source.SetInterrupt(ctx.Done())
	// Within one transaction the source does not change, even if others write.
	if err := execute(source, "BEGIN"); err != nil {
		return nil, err
	}
	if counted, err = countRows(source); err != nil {
		return nil, err
	}
	return counted, stepPages(ctx, source, target)
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
		if more, err = backup.Step(pagesPerStep); err != nil {
			return err
		}
		total := int64(backup.PageCount())
		progress.Report(ctx, "copying", total-int64(backup.Remaining()), total)
	}
	return nil
}
