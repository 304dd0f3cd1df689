package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite" // goose migrates through database/sql
)

//go:embed migrations
var migrations embed.FS

// ErrNewerSchema tells that a newer release has migrated this database.
var ErrNewerSchema = errors.New("the database belongs to a newer release of dropyard")

// migrateSQLite brings the schema of the file up to date.
func migrateSQLite(ctx context.Context, path string) (err error) {
	escaped := (&url.URL{Path: path}).EscapedPath() // a path may hold ? or #
	dsn := url.URL{Scheme: "file", Opaque: escaped, RawQuery: "_pragma=busy_timeout(500)&_pragma=journal_mode(WAL)"}
	db, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// Of two processes that start at once on a fresh file, one finds the tables
	// made between its look and its leap, or both wait for each other. They look
	// again, after a short wait: the two would sit out a long one.
	for range 20 {
		if err = migrate(ctx, goose.DialectSQLite3, db, "migrations/sqlite"); err == nil || errors.Is(err, ErrNewerSchema) {
			break
		}
	}
	return err
}

// migratePostgres brings the schema of the database up to date. Nodes that
// start at once take turns by a lock that is a row with an expiry, because what
// only speaks PostgreSQL's protocol may have no advisory locks. It tells whether
// the tables are distributed; then the new ones are, too. On a worker of a
// cluster it does nothing else: what the coordinator does arrives there.
func migratePostgres(ctx context.Context, config *pgx.ConnConfig) (distributed bool, err error) {
	found, err := lookAtPostgres(ctx, config)
	if err != nil || found.worker {
		return found.distributed, err
	}
	turns, err := lock.NewPostgresTableLocker(lock.WithTableLockTimeout(lockRetry, lockTries))
	if err != nil {
		return false, fmt.Errorf("prepare migrations: %w", err)
	}
	config = patient(config)
	if found.distributed {
		// One migration may change tables of both kinds.
		config.RuntimeParams["citus.multi_shard_modify_mode"] = "sequential"
	}
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	for range ddlTries {
		err = migrate(ctx, goose.DialectPostgres, db, "migrations/postgres", goose.WithLocker(turns))
		if sqlState(err) != lockNotAvailable {
			break
		}
	}
	if err != nil || !found.distributed {
		return false, err
	}
	if _, err := distribute(ctx, config, 0); err != nil {
		return false, fmt.Errorf("%w: %w", ErrNotDistributed, err)
	}
	return true, nil
}

// lookAtPostgres tells how a database is distributed, if it is one to work on.
func lookAtPostgres(ctx context.Context, config *pgx.ConnConfig) (found placing, err error) {
	db := stdlib.OpenDB(*config)
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := checkWritable(ctx, db); err != nil {
		// The driver writes a line for each address that it has tried.
		reason := strings.Join(strings.Fields(err.Error()), " ")
		return found, fmt.Errorf("reach PostgreSQL at %s: %s", net.JoinHostPort(config.Host, fmt.Sprint(config.Port)), reason)
	}
	if found, err = placingOf(ctx, db); err != nil {
		return found, fmt.Errorf("look for Citus: %w", err)
	}
	return found, nil
}

// ddlTries and ddlWait bound how long a migration waits for a table. Whoever
// comes to a table after a migration that waits for it waits too: behind a
// pg_dump that would be everybody, for an hour. So it steps back now and then.
const (
	ddlTries = 20
	ddlWait  = 3 * time.Second
)

// patient lets statements run for as long as they need, which for the index of
// a large table may be minutes, but not wait long for a lock.
func patient(config *pgx.ConnConfig) *pgx.ConnConfig {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = fmt.Sprint(ddlWait.Milliseconds())
	return config
}

var errReadOnly = errors.New("the database is read-only: it is a standby, or default_transaction_read_only is set")

// checkWritable tells whether this is a database to work on. A node on a
// standby would come up, and then refuse every order.
func checkWritable(ctx context.Context, db *sql.DB) error {
	var readOnly string
	if err := db.QueryRowContext(ctx, "SHOW transaction_read_only").Scan(&readOnly); err != nil {
		return err
	}
	if readOnly == "on" {
		return errReadOnly
	}
	return nil
}

const (
	lockRetry = 200 * time.Millisecond
	lockTries = 300 // a minute
)

func migrate(ctx context.Context, dialect goose.Dialect, db *sql.DB, folder string, options ...goose.ProviderOption) error {
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, db, files, options...)
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if current > target {
		return fmt.Errorf("%w: its schema has version %d, this one knows %d", ErrNewerSchema, current, target)
	}
	return nil
}
