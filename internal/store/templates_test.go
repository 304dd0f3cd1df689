package store

import (
	"context"
	"testing"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/testkit"
)

var (
	opener = testkit.NewOpener(OpenSQLite, OpenPostgres, func(ctx context.Context, url string) error {
		_, err := db.Distribute(ctx, url, 4)
		return err
	})
	// engines holds, for each engine, a function that opens an empty database.
	engines = opener.Engines()
)

// MigratedPostgres returns the URL of an empty database with the current schema.
func MigratedPostgres(t testing.TB) string { return opener.URL(t) }

// MigratedSQLite returns the path of an empty database with the current schema.
func MigratedSQLite(t testing.TB) string { return opener.Path(t) }

// change changes rows by a statement.
func change(t *testing.T, s *Store, sql string) {
	t.Helper()
	err := s.Write(t.Context(), func(c db.Conn) error {
		changed, err := c.Exec(t.Context(), sql)
		if changed == 0 {
			t.Errorf("%s: got no changed row", sql)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
