package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dropyard/dropyard/internal/db"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Since is what had been taken away from people and programs between a backup and the
// database that it replaces.
type Since struct {
	// Unknown says why that cannot be known; empty if it is.
	Unknown string
	// Ended are the API keys, tokens, operators and people that had been revoked,
	// deactivated or removed, each in a few words. They are so in the restored database, too.
	Ended []string
	// Changed are people whose role, password or second factor had changed. In the restored
	// database they are as in the backup.
	Changed []string
}

// Change finds one kind of what has changed, in words, and repeats it if that only takes
// something away. The older state is the database main, the newer one is the database newer.
type Change struct {
	Find   string
	Repeat []string // statements; none if the change is only listed
}

// mark notes in a copy of a backup, which no other process knows of, that it was restored, and
// takes away what has been taken away since from the database that it is to replace.
func (f Files) mark(ctx context.Context, temp, database string) (since Since, err error) {
	c, err := open(temp)
	if err != nil {
		return since, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if since.Unknown, err = f.attach(ctx, c, database); err != nil {
		return since, err
	}
	if err := execute(c, "BEGIN IMMEDIATE"); err != nil {
		return since, err
	}
	if since.Unknown == "" {
		if err := since.compare(c, f.Changes); err != nil {
			return since, fmt.Errorf("compare the backup with %s: %w", database, err)
		}
	}
	note := fmt.Sprintf("INSERT OR REPLACE INTO main.settings (name, value) VALUES ('%s', '%s')", db.NoteSetting,
		db.NoteRestored)
	return since, execute(c, note, "COMMIT")
}

// attach attaches the database that is to be replaced as newer. It returns why that cannot
// be compared: only what follows the backup shows what was taken away since.
func (f Files) attach(ctx context.Context, c *sqlite.Conn, database string) (unknown string, err error) {
	var damaged *db.FaultError
	switch err := f.checkFiles(ctx, database); {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no later database to compare with", nil
	case errors.As(err, &damaged):
		return "the later database is damaged", nil
	case err != nil:
		return "", err
	}
	if info, err := os.Stat(database); err == nil && info.Size() == 0 {
		return "the later database is empty", nil
	}
	if err := sqlitex.ExecuteTransient(c, "ATTACH ? AS newer", &sqlitex.ExecOptions{Args: []any{database}}); err != nil {
		return "", fmt.Errorf("open %s beside the backup: %w", database, err)
	}
	older, err := f.lineageIn(c, "main")
	if err != nil {
		return "", err
	}
	newer, err := f.lineageIn(c, "newer")
	if isDamage(err) || sqlite.ErrCode(err).ToPrimary() == sqlite.ResultError {
		return "the later database cannot be read", nil
	}
	if err != nil {
		return "", err
	}
	follows, err := f.Follows(newer, older)
	if err == nil && !follows {
		return "the later database did not develop from the backup, or the backup was made by an earlier release", nil
	}
	return "", err
}

// lineageIn returns the setting of an attached database that says where it comes from; empty
// if it has none.
func (f Files) lineageIn(c *sqlite.Conn, database string) (held string, err error) {
	sql := fmt.Sprintf("SELECT value FROM %s.settings WHERE name = '%s'", database, f.Lineage)
	err = query(c, sql, func(row *sqlite.Stmt) error {
		held = row.ColumnText(0)
		return nil
	})
	return held, err
}

func (s *Since) compare(c *sqlite.Conn, changes []Change) error {
	for _, of := range changes {
		list := &s.Changed
		if len(of.Repeat) > 0 {
			list = &s.Ended
		}
		err := query(c, of.Find, func(row *sqlite.Stmt) error {
			*list = append(*list, row.ColumnText(0))
			return nil
		})
		if err == nil {
			err = execute(c, of.Repeat...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
