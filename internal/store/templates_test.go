package store

import (
	"context"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// migratedPostgres and migratedSQLite are databases with the current schema and no rows.
var (
	migratedPostgres = testkit.PostgresTemplate{Fill: func(ctx context.Context, url string) error {
		s, err := OpenPostgres(ctx, url)
		if err != nil {
			return err
		}
		return s.Close()
	}}
	migratedSQLite = testkit.SQLiteTemplate{Fill: func(ctx context.Context, path string) error {
		s, err := OpenSQLite(ctx, path)
		if err != nil {
			return err
		}
		return s.Close()
	}}
)

// MigratedPostgres returns the URL of an empty database with the current schema.
func MigratedPostgres(t testing.TB) string { return migratedPostgres.URL(t) }

// MigratedSQLite returns the path of an empty database with the current schema.
func MigratedSQLite(t testing.TB) string { return migratedSQLite.Path(t) }
