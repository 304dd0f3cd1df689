package db

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// TestPlansFollowGrowth prepares a look-up by key while its table is empty, and wants it
// planned again once the table has grown and the connection has come of age.
func TestPlansFollowGrowth(t *testing.T) {
	t.Parallel()
	pool, began := freshPool(t), time.Now()
	onConn(t, pool, func(c *pgx.Conn) {
		mustExec(t, c, "SET plan_cache_mode = force_generic_plan") // that of the sixth use and later
		mustExec(t, c, "PREPARE look_up AS "+findNames.set.arraySQL())
		if plan := planOf(t, c); plan == wholeKey {
			t.Fatalf("on an empty table: got plan %q; nothing to be shown", plan)
		}
		const rows = 2000
		mustExec(t, c, fmt.Sprintf(addReferences, rows))
		if plan := planOf(t, c); plan == wholeKey {
			t.Fatalf("with %d rows and the plans of before: got plan %q; nothing to be shown", rows, plan)
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

// orderName is an order's name at its partner.
type orderName struct{ partnerID, name string }

var (
	nameKey = Key(
		Text("partner_id", func(r *orderName) *string { return &r.partnerID }),
		Text("partner_order_id", func(r *orderName) *string { return &r.name }))
	findNames = LookUpBy(nameKey, NewTable("orders", nameKey))
)

// addReferences adds orders of one partner, in one statement.
const addReferences = `INSERT INTO orders (partner_id, order_id, partner_order_id, status, version, events, last_event, cancellation_reason,
	updated_at, estimated_delivery, cancelled_at, courier, allocation, document)
	SELECT 'par_1', 'ord_' || n, 'ref_' || n, '', 0, 0, '', '', 0, 0, 0, '', '', '' FROM generate_series(0, %d - 1) AS n`

// wholeKey is the condition of a look-up that reads at most one row of each key.
const wholeKey = "Index Cond: ((partner_id = v.v1) AND (partner_order_id = v.v2))"

// freshPool returns a pool of one connection to an empty database. On its server nothing else
// happens, which could lead to other plans: neither other tests nor vacuuming.
func freshPool(t *testing.T) *pgxpool.Pool {
	t.Helper()
	url := testkit.StartForgetfulPostgres(t).Database(t)
	s, err := openPostgres(t.Context(), url)
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
