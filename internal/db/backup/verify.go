package backup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
)

// counts is how many rows each table has.
type counts map[string]int64

// verified is what verify has found in a database.
type verified struct {
	counts  counts
	version int64 // of the schema
}

func (v *verified) contents(bytes int64) *Contents {
	c := &Contents{Tables: len(v.counts), Bytes: bytes, Version: v.version}
	for _, rows := range v.counts {
		c.Rows += rows
	}
	return c
}

// verify checks that a file, which no other process knows of, is a sound database
// that this release can serve. It leaves the file without a write-ahead log, so
// that it is complete by itself.
func (f Files) verify(ctx context.Context, path string) (held *verified, err error) {
	c, err := open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	c.SetInterrupt(ctx.Done())
	held, err = f.read(c)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case isDamage(err):
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return held, err
}

func (f Files) read(c *sqlite.Conn) (*verified, error) {
	if err := execute(c, "PRAGMA journal_mode = DELETE"); err != nil {
		return nil, err
	}
	for _, check := range []string{
		"SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check != 'ok'",
		`SELECT 'a row of ' || "table" || ' refers to none of ' || parent FROM pragma_foreign_key_check`,
	} {
		err := query(c, check, func(row *sqlite.Stmt) error {
			return fmt.Errorf("%w: %s", ErrDamaged, strings.ReplaceAll(row.ColumnText(0), "\n", "; "))
		})
		if err != nil {
			return nil, err
		}
	}
	version, err := f.knownVersion(c)
	if err != nil {
		return nil, err
	}
	counted, err := countRows(c)
	return &verified{counted, version}, err
}

// knownVersion returns the version of the schema. It returns
// db.ErrNewerSchema if only a newer release knows it.
func (f Files) knownVersion(c *sqlite.Conn) (version int64, err error) {
	migrated := false
	err = query(c, "SELECT name FROM sqlite_schema WHERE name = 'goose_db_version'", func(*sqlite.Stmt) error {
		migrated = true
		return nil
	})
	if err != nil {
		return 0, err
	}
	if !migrated {
		return 0, fmt.Errorf("%w: it has no schema of dropyard", ErrDamaged)
	}
	err = query(c, "SELECT max(version_id) FROM goose_db_version WHERE is_applied", func(row *sqlite.Stmt) error {
		version = row.ColumnInt64(0)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return version, f.Schema.CheckVersion(version)
}

// countRows counts the rows of every table but those of tools.
func countRows(c *sqlite.Conn) (counts, error) {
	var tables []string
	err := query(c,
		`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'goose_*' AND name NOT GLOB 'sqlite_*'
			AND name NOT GLOB 'index_*'`,
		func(row *sqlite.Stmt) error {
			tables = append(tables, row.ColumnText(0))
			return nil
		})
	if err != nil {
		return nil, err
	}
	counted := counts{}
	for _, table := range tables {
		err := query(c, "SELECT count(*) FROM "+table, func(row *sqlite.Stmt) error {
			counted[table] = row.ColumnInt64(0)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return counted, nil
}

func sameCounts(want, got counts) error {
	for table, rows := range want {
		if got[table] != rows {
			return fmt.Errorf("%w: %s has %d rows, want %d", ErrDamaged, table, got[table], rows)
		}
	}
	return nil
}
