package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/progress"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	_ "modernc.org/sqlite" // goose migrates through database/sql
	"zombiezen.com/go/sqlite"
)

// Schema is what a release keeps in its databases.
type Schema struct {
	// Migrations has the folders migrations/sqlite and migrations/postgres.
	Migrations fs.FS
	// Sealed are the columns whose values are sealed under the master key.
	Sealed []SealedColumn
	// Pictures is a query for the names of the pictures that rows refer to.
	Pictures string
	// Providers is a query for the ids of partners, and the URLs of their OpenID providers.
	Providers TableQuery
	// Disagreeing are queries that describe rows which disagree with others, one by one.
	Disagreeing []TableQuery
	// Distributed is a table that Distribute spreads by partner.
	Distributed string
}

// TableQuery is a query of a table. It is left out where that does not exist yet.
type TableQuery struct{ Table, Query string }

// ErrNewerSchema means that a newer release has migrated the database.
var ErrNewerSchema = errors.New("the database belongs to a newer release of dropyard")

// migrateSQLite brings the schema of the file up to date.
func (s *Schema) migrateSQLite(ctx context.Context, path string) (err error) {
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
		if err = s.migrate(ctx, goose.DialectSQLite3, db, "migrations/sqlite"); err == nil || errors.Is(err, ErrNewerSchema) {
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
func (s *Schema) migratePostgres(ctx context.Context, config *pgx.ConnConfig) (distributed bool, err error) {
	found, err := s.lookAtPostgres(ctx, config)
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
		err = s.migrate(ctx, goose.DialectPostgres, db, "migrations/postgres", goose.WithLocker(turns))
		if sqlState(err) != lockNotAvailable {
			break
		}
	}
	if errors.Is(err, ErrNewerSchema) {
		err = fmt.Errorf("%w: start the newer release, or restore a dump from before its first start", err)
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
func (s *Schema) lookAtPostgres(ctx context.Context, config *pgx.ConnConfig) (found placing, err error) {
	db := stdlib.OpenDB(*settling(config))
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := checkWritable(ctx, db); err != nil {
		return found, notReached(config, err)
	}
	if found, err = placingOf(ctx, db, s.Distributed); err != nil {
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

func (s *Schema) migrate(
	ctx context.Context, dialect goose.Dialect, db *sql.DB, folder string, options ...goose.ProviderOption,
) error {
	files, err := fs.Sub(s.Migrations, folder)
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(dialect, db, files, options...)
	if err != nil {
		return fmt.Errorf("prepare migrations: %w", err)
	}
	for done := int64(0); ; done++ {
		progress.Report(ctx, "migrating", done, 0)
		if _, err := provider.UpByOne(ctx); errors.Is(err, goose.ErrNoNextVersion) {
			break
		} else if isFull(err) {
			return fmt.Errorf("migrate: the disk of the database is full: free some room, and start again: %w", err)
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

// CheckVersion returns ErrNewerSchema if this release does not know the version of an
// embedded database's schema.
func (s *Schema) CheckVersion(version int64) error {
	newest, err := s.Version()
	if err == nil && version > newest {
		err = newerSchema(version, newest)
	}
	return err
}

// Version returns the number of the last migration of this release.
func (s *Schema) Version() (int64, error) {
	files, err := fs.ReadDir(s.Migrations, "migrations/sqlite")
	if err != nil {
		return 0, err
	}
	return goose.NumericComponent(files[len(files)-1].Name()) // sorted by name
}

// SchemaVersion returns the number of the last migration that the database has
// had.
func (d *Database) SchemaVersion(ctx context.Context) (version int64, err error) {
	version, _, err = d.Look(ctx)
	return version, err
}

// Look returns the number of the last migration that the database has had, and the time
// by the clock of its server; the zero time for the embedded database.
func (d *Database) Look(ctx context.Context) (version int64, clock time.Time, err error) {
	err = d.engine.read(ctx, func(c Conn) error {
		err := c.Query(ctx, "SELECT max(version_id) FROM goose_db_version", nil,
			func(r Row) error { return r.Scan(&version) })
		if err == nil {
			clock, err = d.Clock(ctx, c)
		}
		return err
	})
	return version, clock, err
}

// Clock returns the time by the clock of the database's server, in a transaction; the zero
// time for the embedded database.
func (d *Database) Clock(ctx context.Context, c Conn) (now time.Time, err error) {
	if text := d.engine.catalogue().clock; text != "" {
		err = c.Query(ctx, text, nil, func(r Row) error { return r.Scan(&now) })
	}
	return now, err
}

// isFull reports whether SQLite found no room on the disk. The driver of database/sql has its code in a method.
func isFull(err error) bool {
	var coded interface{ Code() int }
	return errors.As(err, &coded) && sqlite.ResultCode(coded.Code()).ToPrimary() == sqlite.ResultFull
}
