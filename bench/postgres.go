package main

import (
	"context"
	"errors"
	"strings"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
)

// postgresSettings are the settings of a small server that loses nothing that it has
// acknowledged. The log may grow so large that checkpoints do not affect a run.
var postgresSettings = []string{
	"fsync=on", "synchronous_commit=on", "full_page_writes=on", "wal_sync_method=fdatasync",
	"shared_buffers=512MB", "max_wal_size=4GB", "checkpoint_timeout=15min",
}

// withPostgres calls fn with an empty database on a new server, so that every
// measurement starts in the same state.
func withPostgres[T any](
	ctx context.Context, fn func(server *testkit.Postgres, url string) (T, error),
) (none T, err error) {
	server, err := testkit.RunPostgres(postgresSettings...)
	if err != nil {
		return none, err
	}
	defer server.Stop()
	url, err := server.NewDatabase(ctx)
	if err != nil {
		return none, err
	}
	return fn(server, url)
}

// isPostgres reports whether a database is the URL of one on PostgreSQL, and not the
// path of a file.
func isPostgres(database string) bool { return strings.HasPrefix(database, "postgres://") }

func onPostgres(ctx context.Context, url string, fn func(*pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return errors.Join(fn(conn), conn.Close(context.WithoutCancel(ctx)))
}
