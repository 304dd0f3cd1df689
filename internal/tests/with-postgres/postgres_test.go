// Package postgres_test shows whether tests on PostgreSQL run.
package postgres_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func TestServer(t *testing.T) {
	t.Parallel()
	testkit.NeedPostgres.Announce(t)
	conn, err := pgx.Connect(t.Context(), testkit.PostgresURL(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
