package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Server is a PostgreSQL server with the database of a service, as it was found.
type Server struct {
	Version     int    // 160004 means 16.4
	VersionText string // such as 16.4
	TLS         bool   // the connection is encrypted
	// Ahead is how far the server's clock is ahead of this machine's, to within Doubt.
	Ahead, Doubt time.Duration
	// Settings holds those on which it depends what a service can rely on, as SHOW prints
	// them: fsync, full_page_writes, transaction_read_only, and synchronous_commit as it is
	// for sessions that do not set it.
	Settings map[string]string
	// PoolConns is how many connections a node opens at most, OthersConns how many
	// there are in all databases of the server besides this one, and MaxConns how many
	// ordinary users may have.
	PoolConns, OtherConns, MaxConns int
	// Sorting is an error if ids are sorted other than by their bytes.
	Sorting       error
	SchemaVersion int64 // 0 if no service has used the database
	// Missing are the privileges that the user lacks, such as "INSERT on orders". Those that
	// only migrations need are among them only if the next start migrates.
	Missing []string
}

// readOnlySetting is on in a standby, and where default_transaction_read_only is.
const readOnlySetting = "transaction_read_only"

// ExaminePostgres describes a server without changing anything. It returns ErrPooled if
// sessions with it are shared.
func (s *Schema) ExaminePostgres(ctx context.Context, url string) (found *Server, err error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	found = &Server{PoolConns: int(config.MaxConns), Settings: map[string]string{}}
	err = withServer(ctx, url, func(ctx context.Context, c *pgx.Conn) error {
		for _, look := range []func(context.Context, *pgx.Conn) error{found.lookAtServer, found.lookAtClock} {
			if err := look(ctx, c); err != nil {
				return err
			}
		}
		if err := found.lookAtSchema(ctx, c, s); err != nil {
			return err
		}
		found.Sorting = checkSorting(ctx, c)
		return nil
	})
	return found, postgresError(err)
}

func (s *Server) lookAtServer(ctx context.Context, c *pgx.Conn) error {
	for _, name := range append([]string{readOnlySetting}, lossySettings...) {
		var value string
		if err := c.QueryRow(ctx, "SELECT current_setting($1)", name).Scan(&value); err != nil {
			return err
		}
		s.Settings[name] = value
	}
	// This session may have raised the parameter: reset_val is what others have.
	var commit string
	err := c.QueryRow(ctx, `SELECT current_setting('server_version_num')::int, current_setting('server_version'),
			current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
			(SELECT count(*) - $1 FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend')::int,
			(SELECT reset_val FROM pg_catalog.pg_settings WHERE name = $2)`, checkedSessions, commitParameter).
		Scan(&s.Version, &s.VersionText, &s.MaxConns, &s.OtherConns, &commit)
	if err != nil {
		return err
	}
	s.Settings[commitParameter] = commit
	// A proxy between may hide this view's row, which then does not exist.
	err = c.QueryRow(ctx, "SELECT ssl FROM pg_catalog.pg_stat_ssl WHERE pid = pg_backend_pid()").Scan(&s.TLS)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return err
}

// lookAtClock asks for the time a few times, and uses the quickest answer.
func (s *Server) lookAtClock(ctx context.Context, c *pgx.Conn) error {
	s.Doubt = time.Hour
	for range 5 {
		var micros int64
		before := time.Now()
		if err := c.QueryRow(ctx, postgresCatalogue.clock).Scan(&micros); err != nil {
			return err
		}
		if trip := time.Since(before); trip/2 < s.Doubt {
			s.Doubt = trip / 2
			s.Ahead = time.UnixMicro(micros).Sub(before.Add(trip / 2))
		}
	}
	return nil
}

func (s *Server) lookAtSchema(ctx context.Context, c *pgx.Conn, schema *Schema) error {
	var there bool
	if err := c.QueryRow(ctx, "SELECT to_regclass('goose_db_version') IS NOT NULL").Scan(&there); err != nil {
		return err
	}
	if there {
		if err := c.QueryRow(ctx, "SELECT max(version_id) FROM goose_db_version").Scan(&s.SchemaVersion); err != nil {
			return err
		}
	}
	known, err := schema.Version()
	if err != nil {
		return err
	}
	rows, err := c.Query(ctx, `SELECT privilege || ' on ' || relname FROM (
			SELECT c.relname, p.privilege, has_table_privilege(c.oid, p.privilege) AS held
			FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
			CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) AS p(privilege)
			WHERE c.relkind IN ('r', 'p') AND n.nspname = current_schema()
				AND ($1 OR c.relname NOT LIKE 'goose%' OR p.privilege = 'SELECT' AND c.relname = 'goose_db_version')
			UNION ALL
			SELECT 'the schema ' || coalesce(current_schema(), '(none)'), 'CREATE',
				NOT $1 OR coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)) AS all_rights
		WHERE NOT held ORDER BY 1`, s.SchemaVersion < known)
	if err != nil {
		return err
	}
	s.Missing, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return err
}

// OpenPostgresAsItIs opens a database without bringing its schema up to date, to read.
func OpenPostgresAsItIs(ctx context.Context, url string) (*Database, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	config.MaxConns = 1
	config.ConnConfig.RuntimeParams["default_transaction_read_only"] = "on"
	config.ConnConfig = settling(config.ConnConfig)
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open PostgreSQL: %w", err)
	}
	return &Database{engine: &postgresEngine{pool: pool}}, nil
}
