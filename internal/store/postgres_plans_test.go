package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPlansFollowGrowth prepares a look-up by key while its table is empty, and wants it
// planned again once the table has grown and the connection has come of age.
func TestPlansFollowGrowth(t *testing.T) {
	t.Parallel()
	pool, began := freshPool(t), time.Now()
	onConn(t, pool, func(c *pgx.Conn) {
		mustExec(t, c, "SET plan_cache_mode = force_generic_plan") // that of the sixth use and later
		mustExec(t, c, "PREPARE look_up AS "+findReferences.set.arraySQL)
		if plan := planOf(t, c); plan == wholeKey {
			t.Fatalf("on an empty table: got plan %q; nothing to be shown", plan)
		}
		rows := make([]*orderRow, 1000)
		for i := range rows {
			rows[i] = &orderRow{}
			rows[i].PartnerID, rows[i].OrderID, rows[i].PartnerOrderID = "par_1", fmt.Sprint("ord_", i), fmt.Sprint("ref_", i)
		}
		addRows(t, c, rows)
		if plan := planOf(t, c); plan == wholeKey {
			t.Fatalf("with %d rows and the plans of before: got plan %q; nothing to be shown", len(rows), plan)
		}
		c.PgConn().CustomData()[planAgeKey].(*planAge).made = began.Add(-firstPlans)
	})
	onConn(t, pool, func(c *pgx.Conn) {
		if plan := planOf(t, c); plan != wholeKey {
			t.Errorf("with the plans of a connection of age: got plan %q, want %q", plan, wholeKey)
		}
		if age := c.PgConn().CustomData()[planAgeKey].(*planAge); age.last != 2*firstPlans || age.made.Before(began) {
			t.Errorf("got plans made at %v for %v, want now, for %v", age.made, age.last, 2*firstPlans)
		}
	})
}

// wholeKey is the condition of a look-up that reads at most one row of each key.
const wholeKey = "Index Cond: ((partner_id = v.v1) AND (partner_order_id = v.v2))"

// freshPool returns a pool of one connection to an empty database. On its server nothing else
// happens, which could lead to other plans: neither other tests nor vacuuming.
func freshPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	url := testkit.StartForgetfulPostgres(t).Database(t)
	s, err := OpenPostgres(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	config, err := parsePostgres(url)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func onConn(t *testing.T, pool *pgxpool.Pool, fn func(*pgx.Conn)) {
	t.Helper()
	c, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	fn(c.Conn())
}

func mustExec(t *testing.T, c *pgx.Conn, sql string) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func addRows(t *testing.T, c *pgx.Conn, rows []*orderRow) {
	t.Helper()
	tx, err := c.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := writeAllNow(t.Context(), postgresConn{tx}, addOrders, rows...); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// planOf returns the condition by which the look-up uses an index.
func planOf(t *testing.T, c *pgx.Conn) (condition string) {
	t.Helper()
	// EXECUTE takes no parameters of the extended protocol.
	rows, err := c.Query(t.Context(), "EXPLAIN EXECUTE look_up('{par_1}', '{ref_1}')", pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "Index Cond: ") {
			condition = line
		}
	}
	return condition
}
