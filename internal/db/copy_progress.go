package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

const (
	// progressPrefix begins the names of the settings that a copy keeps in its
	// target until it is finished: one for each table, and progressSource, which
	// identifies the source.
	progressPrefix = "copy:"
	progressSource = progressPrefix
)

// progress is how much of a table is in the target.
type copyProgress struct {
	Rows int64   `json:"rows"`
	Last keyText `json:"last"` // the key of the last row; empty at the beginning
	Done bool    `json:"done"`
}

// after returns the progress after the next rows of a table; no more rows mean
// that it is done.
func (p copyProgress) after(t *StoredTable, rows []*storedRow) copyProgress {
	next := copyProgress{Rows: p.Rows + int64(len(rows)), Last: p.Last, Done: len(rows) == 0}
	if !next.Done {
		next.Last = t.keyOf(rows[len(rows)-1])
	}
	return next
}

func (p copyProgress) encode() (string, error) {
	text, err := strictjson.Marshal(p)
	return string(text), err
}

// withoutProgress leaves out the settings that a copy itself keeps.
func withoutProgress(t *StoredTable, rows []*storedRow) []*storedRow {
	if t.Name != SettingsTable.Name {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r *storedRow) bool {
		return strings.HasPrefix(r.values[0].text, progressPrefix)
	})
}

// begin marks the target as a copy of this source, or finds the mark of an
// earlier run.
func (c *Copy) begin(ctx context.Context, source Conn, tables []*StoredTable) error {
	identity, err := c.identify(ctx, source, tables)
	if err != nil {
		return err
	}
	return c.To.engine.write(ctx, func(target Conn) error {
		// Adding the mark comes first: a server may still be committing that of a
		// process that was killed a moment ago, and the insert waits for it.
		if _, err := SettingsIn(target).Add(ctx, progressSource, identity); err != nil {
			return err
		}
		begun, err := Exists(ctx, target, "SELECT name FROM settings WHERE name LIKE $1 LIMIT 1", progressPrefix+"_%")
		if err != nil {
			return err
		}
		if begun {
			return sameSource(ctx, target, identity)
		}
		return c.beginNew(ctx, target, tables)
	})
}

// identify returns the checksum of the source's settings, which stands for the
// source: they hold the fingerprint of its master key.
func (c *Copy) identify(ctx context.Context, source Conn, tables []*StoredTable) (string, error) {
	at := slices.IndexFunc(tables, func(t *StoredTable) bool { return t.Name == SettingsTable.Name })
	if at < 0 {
		return "", errors.New("the source has no settings")
	}
	settings, err := digestOf(ctx, source, tables[at], c.batch())
	if err != nil {
		return "", err
	}
	return settings.String(), nil
}

// sameSource refuses a target that has the mark of another source.
func sameSource(ctx context.Context, target Conn, identity string) error {
	known, err := SettingsIn(target).Get(ctx, progressSource)
	if err == nil && known != identity {
		err = fmt.Errorf("%w (it has the beginning of a copy of another database, or the source was used since)",
			ErrOtherData)
	}
	return err
}

// beginNew adds the progress of each table, none of which may have rows.
func (c *Copy) beginNew(ctx context.Context, target Conn, tables []*StoredTable) error {
	start, err := copyProgress{}.encode()
	if err != nil {
		return err
	}
	if note, err := SettingsIn(target).Get(ctx, NoteSetting); err != nil || note == NoteCopied {
		return cmp.Or(err, ErrCopied)
	}
	marks := make([]*setting, len(tables))
	for i, t := range tables {
		if err := refuseRows(ctx, target, t); err != nil {
			return err
		}
		marks[i] = &setting{progressPrefix + t.Name, start}
	}
	_, err = WriteNow(ctx, target, addServiceSettings, marks...)
	return err
}

// refuseRows refuses a table of the target that has rows, apart from the mark
// that was just added.
func refuseRows(ctx context.Context, target Conn, t *StoredTable) error {
	sql, args := "SELECT 1 FROM "+t.Name, []any(nil)
	if t.Name == SettingsTable.Name {
		sql, args = sql+" WHERE name <> $1", []any{progressSource}
	}
	found, err := Exists(ctx, target, sql+" LIMIT 1", args...)
	if err == nil && found {
		err = fmt.Errorf("%w (there are rows in %s)", ErrOtherData, t.Name)
	}
	return err
}

// reached returns how much of a table is in the target.
func (c *Copy) reached(ctx context.Context, t *StoredTable) (at copyProgress, err error) {
	var row *setting
	err = c.To.engine.write(ctx, func(target Conn) error {
		// After a kill a server may still be committing the last batch of a
		// process that is gone. The lock waits for it.
		row, err = FindOne(ctx, target, lockServiceSettings, progressPrefix+t.Name)
		return err
	})
	if err == nil && row == nil {
		err = errors.New("the target has lost the progress of the copy")
	}
	if err != nil {
		return at, err
	}
	if err := strictjson.Unmarshal([]byte(row.value), &at); err != nil {
		return at, fmt.Errorf("read the progress of the copy: %w", err)
	}
	return at, nil
}

// commit writes rows together with the progress that they make, unless another
// process has made some meanwhile.
func (c *Copy) commit(ctx context.Context, t *StoredTable, rows []*storedRow, before, after copyProgress) error {
	from, err := before.encode()
	if err != nil {
		return err
	}
	to, err := after.encode()
	if err != nil {
		return err
	}
	return c.To.engine.write(ctx, func(target Conn) error {
		moved, err := target.Exec(ctx, "UPDATE settings SET value = $1 WHERE name = $2 AND value = $3", to,
			progressPrefix+t.Name, from)
		if err != nil {
			return err
		}
		if moved != 1 {
			return errors.New("another copy to the same target is running")
		}
		written, err := WriteNow(ctx, target, t.Insert(), rows...)
		if err == nil && written != int64(len(rows)) {
			err = fmt.Errorf("%w (rows of %s that the copy did not write)", ErrOtherData, t.Name)
		}
		return err
	})
}

// finish removes the progress from the target, which is now whole, and notes what it is.
func (c *Copy) finish(ctx context.Context) error {
	return c.To.engine.write(ctx, func(target Conn) error {
		if _, err := target.Exec(ctx, "DELETE FROM settings WHERE name LIKE $1", progressPrefix+"%"); err != nil {
			return err
		}
		return SettingsIn(target).Set(ctx, NoteSetting, NoteCopied)
	})
}
