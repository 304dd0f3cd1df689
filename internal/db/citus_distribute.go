package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// The reasons for which a database is not distributed.
var (
	ErrNoCitus = errors.New("the database has no Citus: name citus in the server's shared_preload_libraries, and run CREATE EXTENSION citus in the database, on every node")
	// ErrNotDistributed means that a node lacks the right to distribute the tables
	// that its release has added.
	ErrNotDistributed = errors.New(
		"tables of this release are not distributed yet: run dropyard migrate --distribute citus as the tables' owner",
	)
)

// Distribution is the result of Distribute.
type Distribution struct {
	// Distributed lists the tables that were distributed by partner, Everywhere
	// those that were copied to every node. Both leave out the tables that had their
	// place before.
	Distributed, Everywhere []string
	Shards                  int64 // of the distributed tables
	Nodes                   int64 // that hold shards
}

// Distribute spreads the tables of a PostgreSQL database, whose schema must be up
// to date, with their rows over the nodes of a Citus cluster. Tables that grow are
// distributed by partner_id, so that all rows of a partner are on one node; the
// others are copied to every node. Running it again places only tables that are
// new. It does everything in one transaction. shards is the number of parts of each
// distributed table; it counts only in the first run.
func Distribute(ctx context.Context, url string, shards int) (*Distribution, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	return distribute(ctx, config.ConnConfig, shards)
}

func distribute(ctx context.Context, config *pgx.ConnConfig, shards int) (found *Distribution, err error) {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0" // there may be many rows
	config.RuntimeParams["lock_timeout"] = "0"
	config.RuntimeParams[idleSetting] = fmt.Sprint(holdIdle.Milliseconds())
	config.RuntimeParams["client_min_messages"] = "warning"
	for name := range byKey { // which suits no query of the catalogue, with its many shards
		delete(config.RuntimeParams, name)
	}
	c, err := pgx.ConnectConfig(ctx, settling(config))
	if err != nil {
		return nil, fmt.Errorf("connect to distribute the tables: %w", err)
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(ctx))) }()
	err = pgx.BeginFunc(ctx, c, func(tx pgx.Tx) error {
		found, err = (&distributor{conn: postgresConn{tx}, shards: shards}).run(ctx)
		return err
	})
	return found, err
}

// distributor places tables within one transaction.
type distributor struct {
	conn   Conn
	shards int
	anchor string            // a distributed table, beside which the others are placed
	placed map[string]string // by table: placedByPartner or placedEverywhere
	global map[string]bool   // the tables that readGlobal finds
}

func (d *distributor) run(ctx context.Context) (*Distribution, error) {
	installed, err := Exists(ctx, d.conn, "SELECT extname FROM pg_catalog.pg_extension WHERE extname = 'citus'")
	if err != nil {
		return nil, err
	}
	if !installed {
		return nil, ErrNoCitus
	}
	for _, prepare := range []string{
		// Without it, one transaction cannot create tables of both kinds.
		"SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
		// Nodes that start at the same time take turns.
		"LOCK TABLE goose_db_version IN SHARE ROW EXCLUSIVE MODE",
	} {
		if _, err := d.conn.Exec(ctx, prepare); err != nil {
			return nil, err
		}
	}
	tables, err := readSchema(ctx, d.conn, postgresCatalogue)
	if err != nil {
		return nil, err
	}
	if err := d.look(ctx); err != nil {
		return nil, err
	}
	return d.place(ctx, tables)
}

const (
	placedByPartner  = "h" // pg_dist_partition.partmethod
	placedEverywhere = "n"

	// readPlaced leaves out the tables that Citus knows but that have not been
	// placed.
	readPlaced = `SELECT c.relname::text, p.partmethod::text FROM pg_catalog.pg_dist_partition AS p
		JOIN pg_catalog.pg_class AS c ON c.oid = p.logicalrelid
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND (p.partmethod = 'h' OR p.repmodel = 't') ORDER BY c.relname`
	// readGlobal finds the tables that have a unique key which does not begin
	// with the partner: their rows must be compared over all partners. It also finds
	// those that others refer to: a table on every node cannot refer to one that is
	// distributed.
	readGlobal = `SELECT DISTINCT c.relname::text FROM pg_catalog.pg_index AS i
		JOIN pg_catalog.pg_class AS c ON c.oid = i.indrelid
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE i.indisunique AND n.nspname = current_schema() AND a.attname <> 'partner_id'
		UNION SELECT c.relname::text FROM pg_catalog.pg_constraint AS f
		JOIN pg_catalog.pg_class AS c ON c.oid = f.confrelid
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		WHERE f.contype = 'f' AND n.nspname = current_schema()`
)

func (d *distributor) look(ctx context.Context) error {
	d.placed = map[string]string{}
	err := d.conn.Query(ctx, readPlaced, nil, func(r Row) error {
		var name, method string
		err := r.Scan(&name, &method)
		if d.placed[name] = method; method == placedByPartner {
			d.anchor = name
		}
		return err
	})
	if err != nil {
		return err
	}
	return d.lookForGlobal(ctx)
}

func (d *distributor) lookForGlobal(ctx context.Context) error {
	d.global = map[string]bool{}
	return d.conn.Query(ctx, readGlobal, nil, func(r Row) error {
		var name string
		err := r.Scan(&name)
		d.global[name] = true
		return err
	})
}

// byPartner reports whether a table is to be distributed: all its unique keys
// begin with the partner, and no other table refers to it. All other tables are
// copied to every node.
func (d *distributor) byPartner(t *StoredTable) bool {
	return len(t.Key) > 0 && t.Key[0].Name == partnerColumn && !d.global[t.Name]
}

// place places the tables that have no place yet: first those on every node,
// because the others may refer to them.
func (d *distributor) place(ctx context.Context, tables []*StoredTable) (*Distribution, error) {
	found := &Distribution{}
	for _, distributed := range []bool{false, true} {
		for _, t := range tables {
			if d.byPartner(t) != distributed || d.placed[t.Name] != "" {
				continue
			}
			if err := d.placeOne(ctx, t.Name, distributed); err != nil {
				return nil, fmt.Errorf("distribute %s: %w", t.Name, err)
			}
			if distributed {
				found.Distributed = append(found.Distributed, t.Name)
			} else {
				found.Everywhere = append(found.Everywhere, t.Name)
			}
		}
	}
	for _, name := range append(found.Distributed, found.Everywhere...) {
		// The rows have been copied. The originals, which no query finds any longer,
		// would escape retention and erasing.
		if _, err := d.conn.Exec(ctx, "SELECT truncate_local_data_after_distributing_table($1::text::regclass)",
			name); err != nil {
			return nil, fmt.Errorf("remove the old rows of %s: %w", name, err)
		}
	}
	return found, d.conn.Query(ctx, `SELECT count(DISTINCT s.shardid), count(DISTINCT p.groupid)
		FROM pg_catalog.pg_dist_shard AS s JOIN pg_catalog.pg_dist_placement AS p ON p.shardid = s.shardid
		WHERE s.logicalrelid = $1::text::regclass`, []any{d.anchor}, func(r Row) error {
		return r.Scan(&found.Shards, &found.Nodes)
	})
}

func (d *distributor) placeOne(ctx context.Context, name string, distributed bool) error {
	if !distributed {
		_, err := d.conn.Exec(ctx, "SELECT create_reference_table($1::text::regclass)", name)
		return err
	}
	if d.anchor != "" {
		_, err := d.conn.Exec(ctx, "SELECT create_distributed_table($1::text::regclass, 'partner_id', colocate_with => $2)",
			name, d.anchor)
		return err
	}
	d.anchor = name
	_, err := d.conn.Exec(ctx, "SELECT create_distributed_table($1::text::regclass, 'partner_id', colocate_with => 'none', shard_count => $2::bigint::int)", name, d.shards)
	return err
}

// placing describes how a database is distributed.
type placing struct {
	distributed bool // Distribute has placed its tables
	worker      bool // this node is not the coordinator, which alone may change tables
}

func placingOf(ctx context.Context, db *sql.DB, table string) (found placing, err error) {
	// The later questions read tables that exist only with Citus, so that each is
	// asked only if the answer to the one before was yes.
	for _, question := range []struct {
		query  string
		answer *bool
	}{
		{"SELECT count(*) > 0 FROM pg_catalog.pg_class WHERE relname = 'pg_dist_partition'", &found.distributed},
		{`SELECT count(*) > 0 FROM pg_catalog.pg_dist_partition AS p
			JOIN pg_catalog.pg_class AS c ON c.oid = p.logicalrelid
			JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relname = '` + table + `' AND p.partmethod = 'h'`, &found.distributed},
		{"SELECT groupid > 0 FROM pg_catalog.pg_dist_local_group", &found.worker},
	} {
		if err := db.QueryRowContext(ctx, question.query).Scan(question.answer); err != nil || !found.distributed {
			return placing{}, err
		}
	}
	return found, nil
}
