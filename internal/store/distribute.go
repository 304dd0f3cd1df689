package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// This file spreads a PostgreSQL database over the nodes of a Citus cluster.
// What grows is distributed by partner_id, so that all rows of one partner lie
// on one node; what belongs to nobody alone is on every node.

// The reasons for which a database is not distributed.
var (
	ErrNoCitus = errors.New("the database has no Citus: name citus in the server's shared_preload_libraries, and run CREATE EXTENSION citus in the database, on every node")
	// ErrNotDistributed tells that a node may not place tables that its release
	// has added.
	ErrNotDistributed = errors.New("tables of this release are not distributed yet: run dropyard migrate --distribute citus as the tables' owner")
)

// Distribution is what Distribute has done and found.
type Distribution struct {
	// Distributed and Everywhere are the tables that were placed: by partner,
	// and on every node. Both are empty if all tables had their place before.
	Distributed, Everywhere []string
	Shards                  int64 // of the distributed tables
	Nodes                   int64 // that hold shards
}

// Distribute spreads the tables of a PostgreSQL database, which must be up to
// date, over its Citus cluster. Rows move along. Repeated, it places tables
// that are new since. All happens in one transaction, or nothing. Shards is how
// many parts there shall be, if it is for this run to decide.
func Distribute(ctx context.Context, url string, shards int) (*Distribution, error) {
	config, err := parsePostgres(url)
	if err != nil {
		return nil, err
	}
	return distribute(ctx, config.ConnConfig, shards)
}

func distribute(ctx context.Context, config *pgx.ConnConfig, shards int) (found *Distribution, err error) {
	config = config.Copy()
	config.RuntimeParams["statement_timeout"] = "0" // rows that there are may be many
	config.RuntimeParams["lock_timeout"] = "0"
	config.RuntimeParams["client_min_messages"] = "warning"
	for name := range byKey { // bad for the catalogue, which is full of shards
		delete(config.RuntimeParams, name)
	}
	c, err := pgx.ConnectConfig(ctx, config)
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
	conn   conn
	shards int
	anchor string            // a distributed table, beside which others are put
	placed map[string]string // how the tables are placed that are, by name
	global map[string]bool   // tables that have a unique key without a partner
}

func (d *distributor) run(ctx context.Context) (*Distribution, error) {
	var citus int64
	err := d.count(ctx, &citus, "SELECT count(*) FROM pg_catalog.pg_extension WHERE extname = 'citus'")
	if err != nil {
		return nil, err
	}
	if citus == 0 {
		return nil, ErrNoCitus
	}
	for _, prepare := range []string{
		// Reference tables and distributed ones in one transaction need this.
		"SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
		// Nodes that start at once take turns.
		"LOCK TABLE goose_db_version IN SHARE ROW EXCLUSIVE MODE",
	} {
		if _, err := d.conn.exec(ctx, prepare); err != nil {
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

	// readPlaced leaves out the tables that Citus knows and nobody has placed.
	readPlaced = `SELECT c.relname::text, p.partmethod::text FROM pg_catalog.pg_dist_partition AS p
		JOIN pg_catalog.pg_class AS c ON c.oid = p.logicalrelid
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		WHERE n.nspname = current_schema() AND (p.partmethod = 'h' OR p.repmodel = 't') ORDER BY c.relname`
	// readGlobal finds the tables that have a unique key which does not begin
	// with the partner: their rows must be compared over all partners.
	readGlobal = `SELECT DISTINCT c.relname::text FROM pg_catalog.pg_index AS i
		JOIN pg_catalog.pg_class AS c ON c.oid = i.indrelid
		JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
		JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
		WHERE i.indisunique AND n.nspname = current_schema() AND a.attname <> 'partner_id'`
)

func (d *distributor) look(ctx context.Context) error {
	d.placed = map[string]string{}
	err := d.conn.query(ctx, readPlaced, nil, func(r row) error {
		var name, method string
		err := r.scan(&name, &method)
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
	return d.conn.query(ctx, readGlobal, nil, func(r row) error {
		var name string
		err := r.scan(&name)
		d.global[name] = true
		return err
	})
}

// byPartner tells whether a table is distributed: all its unique keys begin
// with the partner. All other tables are on every node.
func (d *distributor) byPartner(t *storedTable) bool {
	return len(t.keys) > 0 && t.keys[0].name == "partner_id" && !d.global[t.name]
}

// place puts every table where it belongs that is not there yet, those on every
// node first, because others may refer to them.
func (d *distributor) place(ctx context.Context, tables []*storedTable) (*Distribution, error) {
	found := &Distribution{}
	for _, distributed := range []bool{false, true} {
		for _, t := range tables {
			if d.byPartner(t) != distributed || d.placed[t.name] != "" {
				continue
			}
			if err := d.placeOne(ctx, t.name, distributed); err != nil {
				return nil, fmt.Errorf("distribute %s: %w", t.name, err)
			}
			if distributed {
				found.Distributed = append(found.Distributed, t.name)
			} else {
				found.Everywhere = append(found.Everywhere, t.name)
			}
		}
	}
	for _, name := range append(found.Distributed, found.Everywhere...) {
		// The rows have been copied; the originals, which nobody sees any more,
		// would outlive what retention and erasing do.
		if _, err := d.conn.exec(ctx, "SELECT truncate_local_data_after_distributing_table($1::text::regclass)", name); err != nil {
			return nil, fmt.Errorf("remove the old rows of %s: %w", name, err)
		}
	}
	return found, d.conn.query(ctx, `SELECT count(DISTINCT s.shardid), count(DISTINCT p.groupid)
		FROM pg_catalog.pg_dist_shard AS s JOIN pg_catalog.pg_dist_placement AS p ON p.shardid = s.shardid
		WHERE s.logicalrelid = $1::text::regclass`, []any{d.anchor}, func(r row) error {
		return r.scan(&found.Shards, &found.Nodes)
	})
}

func (d *distributor) placeOne(ctx context.Context, name string, distributed bool) error {
	if !distributed {
		_, err := d.conn.exec(ctx, "SELECT create_reference_table($1::text::regclass)", name)
		return err
	}
	if d.anchor != "" {
		_, err := d.conn.exec(ctx, "SELECT create_distributed_table($1::text::regclass, 'partner_id', colocate_with => $2)", name, d.anchor)
		return err
	}
	d.anchor = name
	_, err := d.conn.exec(ctx, "SELECT create_distributed_table($1::text::regclass, 'partner_id', colocate_with => 'none', shard_count => $2::bigint::int)", name, d.shards)
	return err
}

func (d *distributor) count(ctx context.Context, into *int64, query string) error {
	return d.conn.query(ctx, query, nil, func(r row) error { return r.scan(into) })
}

// placing is how a database is distributed.
type placing struct {
	distributed bool // Distribute has spread its tables
	worker      bool // and this is not the coordinator, which alone may change them
}

func placingOf(ctx context.Context, db *sql.DB) (found placing, err error) {
	// Only with Citus there are the tables that the others read.
	for _, question := range []struct {
		query  string
		answer *bool
	}{
		{"SELECT count(*) > 0 FROM pg_catalog.pg_class WHERE relname = 'pg_dist_partition'", &found.distributed},
		{`SELECT count(*) > 0 FROM pg_catalog.pg_dist_partition AS p
			JOIN pg_catalog.pg_class AS c ON c.oid = p.logicalrelid
			JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
			WHERE n.nspname = current_schema() AND c.relname = 'orders' AND p.partmethod = 'h'`, &found.distributed},
		{"SELECT groupid > 0 FROM pg_catalog.pg_dist_local_group", &found.worker},
	} {
		if err := db.QueryRowContext(ctx, question.query).Scan(question.answer); err != nil || !found.distributed {
			return placing{}, err
		}
	}
	return found, nil
}
