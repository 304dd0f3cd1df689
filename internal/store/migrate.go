package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/headway"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite" // goose migrates through database/sql
)

//go:embed migrations
var migrations embed.FS

// ErrNewerSchema means that a newer release has migrated the database.
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
	// When two processes start at the same time on a new file, one may find that a
	// table exists which it was about to create, or both may wait for each other.
	// They try again, and wait for locks only briefly: two that wait for each other
	// would wait to the end.
	for range sqliteTries {
		if err = migrate(ctx, goose.DialectSQLite3, db, "migrations/sqlite"); err == nil || errors.Is(err, ErrNewerSchema) {
			break
		}
	}
	return err
}

// migratePostgres brings the schema of the database up to date and reports
// whether its tables are distributed; then it distributes new ones too. Nodes that
// start at the same time take turns by a lock that is a row with an expiry, because
// databases that only speak PostgreSQL's protocol may lack advisory locks. On a
// worker of a cluster it only reports: the coordinator's changes arrive there.
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
		// A migration may change tables of both kinds in one transaction.
		config.RuntimeParams["citus.multi_shard_modify_mode"] = "sequential"
	}
	db := stdlib.OpenDB(*settling(config))
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

// lookAtPostgres returns how a database is distributed. It fails if the database
// cannot be reached or written to.
func lookAtPostgres(ctx context.Context, config *pgx.ConnConfig) (found placing, err error) {
	db := stdlib.OpenDB(*settling(config))
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := checkWritable(ctx, db); err != nil {
		return found, notReached(config, err)
	}
	if found, err = placingOf(ctx, db); err != nil {
		return found, fmt.Errorf("look for Citus: %w", err)
	}
	return found, nil
}

// ddlTries and ddlWait bound how long a migration waits for the lock of a table.
// Every statement on the table that comes after the migration waits behind it: if
// pg_dump held the lock, all orders would wait for as long as it runs. So the
// migration gives up after ddlWait, lets the others pass, and tries again.
const (
	ddlTries = 20
	ddlWait  = 3 * time.Second
)

// patient returns a configuration in which statements may run for as long as they
// need, which is minutes for the index of a large table, but wait only ddlWait for
// a lock.
func patient(config *pgx.ConnConfig) *pgx.ConnConfig {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0"
	config.RuntimeParams["lock_timeout"] = fmt.Sprint(ddlWait.Milliseconds())
	config.RuntimeParams[idleSetting] = fmt.Sprint(readIdle.Milliseconds())
	return config
}

var errReadOnly = errors.New("the database is read-only: it is a standby, or default_transaction_read_only is set")

// checkWritable refuses a standby. A node would start on it, and then refuse every
// order.
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

	sqliteTries = 20
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
	for done := int64(0); ; done++ {
		headway.Report(ctx, "migrating", done, 0)
		if _, err := provider.UpByOne(ctx); errors.Is(err, goose.ErrNoNextVersion) {
			break
		} else if err != nil {
			return fmt.Errorf("migrate: %w", err)
		}
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if current > target {
		return newerSchema(current, target)
	}
	return nil
}

func newerSchema(version, known int64) error {
	return fmt.Errorf("%w: its schema has version %d, this release knows up to %d", ErrNewerSchema, version, known)
}

// CheckSchemaVersion returns ErrNewerSchema if this release does not know the
// version of an embedded database's schema.
func CheckSchemaVersion(version int64) error {
	newest, err := KnownSchemaVersion()
	if err == nil && version > newest {
		err = newerSchema(version, newest)
	}
	return err
}

// KnownSchemaVersion returns the number of the last migration of this release.
func KnownSchemaVersion() (int64, error) {
	files, err := fs.ReadDir(migrations, "migrations/sqlite")
	if err != nil {
		return 0, err
	}
	return goose.NumericComponent(files[len(files)-1].Name()) // sorted by name
}

// SchemaVersion returns the number of the last migration that the database has
// had.
func (s *Store) SchemaVersion(ctx context.Context) (version int64, err error) {
	version, _, err = s.Look(ctx)
	return version, err
}

// Look returns the number of the last migration that the database has had, and the time
// by the clock of its server; the zero time for the embedded database.
func (s *Store) Look(ctx context.Context) (version int64, clock time.Time, err error) {
	err = s.engine.read(ctx, func(c conn) error {
		err := c.query(ctx, "SELECT max(version_id) FROM goose_db_version", nil, func(r row) error { return r.scan(&version) })
		if text := s.engine.catalogue().clock; err == nil && text != "" {
			err = c.query(ctx, text, nil, func(r row) error { return r.scan(&clock) })
		}
		return err
	})
	return version, clock, err
}
