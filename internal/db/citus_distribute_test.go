package db

import (
	"errors"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// onEveryNode lists the tables that are not distributed by partner, because they are
// small or looked up before the partner is known. Think before you add one: every
// change of such a table is written on all nodes, in one transaction.
var onEveryNode = []string{
	"api_keys", "courier_messages",
	"courier_sequences", "couriers", "index_progress", "known_devices", "locations", "mails", "nodes",
	"one_time_links", "operator_identities", "operator_receipts", "operator_sessions", "operator_tokens", "operators",
	"partners", "proven_domains", "rate_cards", "recovery_codes", "sessions", "settings", "sign_in_counts",
	"sign_in_rules", "sign_ins", "users",
}

// TestTablesAreDistributedByPartner checks the rule that Distribute follows, without
// Citus.
func TestTablesAreDistributedByPartner(t *testing.T) {
	t.Parallel()
	s := engines["postgres"](t)
	var tables []*StoredTable
	d := &distributor{}
	err := s.engine.read(t.Context(), func(c Conn) (err error) {
		d.conn = c
		if err = d.lookForGlobal(t.Context()); err == nil {
			tables, err = readSchema(t.Context(), c, postgresCatalogue)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range tables {
		if listed := slices.Contains(onEveryNode, table.Name); listed == d.byPartner(table) {
			t.Errorf("%s: got distributed by partner %t, want %t: every unique key of a table that grows begins with partner_id",
				table.Name, listed, !listed)
		}
	}
}

// digestsOf returns the checksum of every table.
func digestsOf(t *testing.T, s *Database) map[string]string {
	t.Helper()
	tables, err := s.Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]string{}
	for _, table := range tables {
		err := s.engine.read(t.Context(), func(c Conn) error {
			sum, err := digestOf(t.Context(), c, table, 1000)
			sums[table.Name] = sum.String()
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return sums
}

// TestDistribute: Distribute moves the rows of a database, once. A table that is new
// is placed when the next node starts.
func TestDistribute(t *testing.T) {
	t.Parallel()
	ctx, url := t.Context(), testkit.CitusURL(t)
	plain := closing(t)(openPostgres(ctx, url))
	fillAll(t, plain, 300)
	before := digestsOf(t, plain)
	if plain.Sharded() {
		t.Error("before: got a database that is distributed")
	}
	made, err := Distribute(ctx, url, 4)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(slices.Sorted(slices.Values(made.Everywhere)), onEveryNode) || len(made.Distributed) < 9 ||
		made.Shards != 4 || made.Nodes != 1 {
		t.Errorf("got %+v, want %v on every node, at least 9 distributed, in 4 shards on 1 node", made, onEveryNode)
	}
	again, err := Distribute(ctx, url, 8)
	if err != nil || len(again.Distributed)+len(again.Everywhere) != 0 || again.Shards != 4 {
		t.Errorf("again: got %+v, %v, want no table and 4 shards", again, err)
	}

	s := closing(t)(openPostgres(ctx, url))
	if !s.Sharded() {
		t.Error("afterwards: got a database that is not distributed")
	}
	for name, sum := range digestsOf(t, s) {
		if before[name] != sum {
			t.Errorf("%s: got another checksum than before", name)
		}
	}
	count := func(query string) (found int64) {
		t.Helper()
		err := s.engine.read(ctx, func(c Conn) error {
			return c.Query(ctx, query, nil, func(r Row) error { return r.Scan(&found) })
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if left := count(`SELECT sum(pg_relation_size(logicalrelid))::bigint FROM pg_dist_partition`); left != 0 {
		t.Errorf("got %d bytes of the original rows, want 0", left)
	}

	err = s.engine.write(ctx, func(c Conn) error {
		_, err := c.Exec(ctx,
			"CREATE TABLE parcels (partner_id TEXT NOT NULL, parcel BIGINT NOT NULL, PRIMARY KEY (partner_id, parcel))")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	closing(t)(openPostgres(ctx, url))
	if count(`SELECT count(*) FROM pg_dist_partition a, pg_dist_partition b
		WHERE a.logicalrelid = 'parcels'::regclass AND b.logicalrelid = 'orders'::regclass AND a.colocationid = b.colocationid`) !=
		1 {
		t.Error("a new table: got no place beside orders")
	}
}

func TestDistributeWithoutCitus(t *testing.T) {
	t.Parallel()
	url := testkit.PostgresURL(t)
	closing(t)(openPostgres(t.Context(), url))
	if _, err := Distribute(t.Context(), url, 4); !errors.Is(err, ErrNoCitus) {
		t.Errorf("got %v, want ErrNoCitus", err)
	}
}
