package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // goose migrates through database/sql
)

//go:embed migrations
var migrations embed.FS

// ErrNewerSchema tells that a newer release has migrated this database.
var ErrNewerSchema = errors.New("the database belongs to a newer release of dropyard")

// migrateSQLite brings the schema of the file up to date.
func migrateSQLite(ctx context.Context, path string) (err error) {
	escaped := (&url.URL{Path: path}).EscapedPath() // a path may hold ? or #
	dsn := url.URL{Scheme: "file", Opaque: escaped, RawQuery: "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return migrate(ctx, goose.DialectSQLite3, db, "migrations/sqlite")
}

func migrate(ctx context.Context, dialect goose.Dialect, db *sql.DB, folder string) error {
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, db, files)
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if current > target {
		return fmt.Errorf("%w: its schema has version %d, this one knows %d", ErrNewerSchema, current, target)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}
