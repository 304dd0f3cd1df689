package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// This file is how a copy remembers how far it is, in settings of the target.

const (
	// progressPrefix begins the names of the settings that a copy keeps until
	// it is finished; progressSource says what is being copied.
	progressPrefix = "copy:"
	progressSource = progressPrefix
)

// progress is how far a table's copy got.
type progress struct {
	Rows int64    `json:"rows"`
	Last []string `json:"last"` // the key of the last row; empty at the beginning
	Done bool     `json:"done"`
}

// begin marks the target as this copy's, or finds the mark of an earlier run.
func (c *Copy) begin(ctx context.Context, source conn, tables []*storedTable) error {
	at := slices.IndexFunc(tables, func(t *storedTable) bool { return t.name == "settings" })
	if at < 0 {
		return errors.New("the source has no settings")
	}
	settings, err := digestOf(ctx, source, tables[at], c.batch())
	if err != nil {
		return err
	}
	identity := settings.String()
	return c.To.engine.write(ctx, func(target conn) error {
		// The mark comes first: a server may still be committing that of a run
		// which was killed a moment ago, and adding it waits until that is over.
		if _, err := writeNow(ctx, target, addServiceSettings, &setting{progressSource, identity}); err != nil {
			return err
		}
		begun, err := marked(ctx, target)
		if err != nil {
			return err
		}
		if begun {
			return sameSource(ctx, target, identity)
		}
		for _, t := range tables {
			if err := refuseRows(ctx, target, t); err != nil {
				return err
			}
		}
		start, err := strictjson.Marshal(progress{})
		if err != nil {
			return err
		}
		marks := make([]*setting, len(tables))
		for i, t := range tables {
			marks[i] = &setting{progressPrefix + t.name, string(start)}
		}
		_, err = writeNow(ctx, target, addServiceSettings, marks...)
		return err
	})
}

// marked tells whether an earlier run has noted how far the tables are.
func marked(ctx context.Context, target conn) (yes bool, err error) {
	err = target.query(ctx, "SELECT 1 FROM settings WHERE name LIKE $1 LIMIT 1", []any{progressPrefix + "_%"}, func(row) error {
		yes = true
		return nil
	})
	return yes, err
}

func sameSource(ctx context.Context, target conn, identity string) error {
	known, err := settingIn(ctx, target, progressSource)
	if err == nil && known != identity {
		err = fmt.Errorf("%w (it has the beginning of a copy of another database, or the source was used since)", ErrOtherData)
	}
	return err
}

// refuseRows refuses a table of the target that has rows, but for the mark that
// was just set.
func refuseRows(ctx context.Context, target conn, t *storedTable) error {
	text, args := "SELECT 1 FROM "+t.name, []any(nil)
	if t.name == "settings" {
		text, args = text+" WHERE name <> $1", []any{progressSource}
	}
	return target.query(ctx, text+" LIMIT 1", args, func(row) error {
		return fmt.Errorf("%w (there are rows in %s)", ErrOtherData, t.name)
	})
}

// reached tells how far a table is, and the text that says so.
func (c *Copy) reached(ctx context.Context, t *storedTable) (at progress, text string, err error) {
	err = c.To.engine.write(ctx, func(target conn) error {
		// After a kill a server may still be committing the last batch of a
		// process that is gone. The lock waits for it.
		row, err := findOne(ctx, target, lockServiceSettings, progressPrefix+t.name)
		if row != nil {
			text = row.value
		}
		return err
	})
	if err != nil {
		return at, "", err
	}
	if err := strictjson.Unmarshal([]byte(text), &at); err != nil {
		return at, "", fmt.Errorf("read how far it got: %w", err)
	}
	return at, text, nil
}

// commit writes a batch together with how far it gets, if that is still where
// the target was.
func (c *Copy) commit(ctx context.Context, insert *setStatement, before string, next progress, rows [][]value) (after string, err error) {
	text, err := strictjson.Marshal(next)
	if err != nil {
		return "", err
	}
	return string(text), c.To.engine.write(ctx, func(target conn) error {
		moved, err := target.exec(ctx, "UPDATE settings SET value = $1 WHERE name = $2 AND value = $3",
			string(text), progressPrefix+insert.table, before)
		if err != nil {
			return err
		}
		if moved != 1 {
			return errors.New("another copy to the same target is running")
		}
		written, err := (legacyConn{target}).apply(ctx, insert, len(rows), func(i int, b binder) {
			for _, v := range rows[i] {
				v.bind(b)
			}
		})
		if err == nil && written != int64(len(rows)) {
			err = fmt.Errorf("%w (rows of %s that the copy did not write)", ErrOtherData, insert.table)
		}
		return err
	})
}
