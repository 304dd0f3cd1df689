package apptest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// laws are what must hold in every database at every moment. Each query finds
// what breaks its law.
var laws = []struct{ law, query string }{
	{"a product's quantity is the sum of its levels", `
		SELECT p.partner_id, p.product_id, p.quantity FROM products p LEFT JOIN stock_levels l USING (partner_id, product_id)
		GROUP BY p.partner_id, p.product_id HAVING p.quantity != coalesce(sum(l.quantity), 0)`},
	{"a product's quantity is the sum of its movements", `
		SELECT p.partner_id, p.product_id, p.quantity FROM products p LEFT JOIN changes c USING (partner_id, product_id)
		GROUP BY p.partner_id, p.product_id HAVING p.quantity != coalesce(sum(c.change), 0)`},
	{"a level is the sum of the movements at its location", `
		SELECT l.partner_id, l.product_id, l.location, l.quantity FROM stock_levels l
		WHERE l.quantity != (SELECT coalesce(sum(c.change), 0) FROM changes c
			WHERE (c.partner_id, c.product_id, c.location) = (l.partner_id, l.product_id, l.location))`},
	{"no level is below zero", "SELECT partner_id, product_id, location FROM stock_levels WHERE quantity < 0"},
	{"movements are numbered from 1 without a gap", `
		SELECT partner_id, last_movement FROM partner_counters
		WHERE last_movement != (SELECT count(*) FROM stock_movements m WHERE m.partner_id = partner_counters.partner_id)
		OR last_movement != (SELECT coalesce(max(movement_id), 0) FROM stock_movements m WHERE m.partner_id = partner_counters.partner_id)`},
	{"an order has taken what it was allocated, and a cancelled one has returned all", `
		WITH moved AS (SELECT partner_id, order_id, sum(change) AS net FROM changes WHERE order_id != '' GROUP BY 1, 2),
		allocated AS (SELECT partner_id, order_id, sum(t.value ->> 'quantity') AS units
			FROM orders, json_each(allocation) t WHERE allocation != '' GROUP BY 1, 2)
		SELECT order_id, status, net, units FROM orders
		LEFT JOIN moved USING (partner_id, order_id) LEFT JOIN allocated USING (partner_id, order_id)
		WHERE -coalesce(net, 0) != CASE status WHEN 'cancelled' THEN 0 ELSE coalesce(units, 0) END`},
	{"movements name orders that exist", `
		SELECT movement_id, order_id FROM stock_movements m
		WHERE order_id != '' AND NOT EXISTS (SELECT 1 FROM orders o WHERE (o.partner_id, o.order_id) = (m.partner_id, m.order_id))`},
	{"an order is allocated exactly its items", `
		SELECT order_id FROM orders
		WHERE (SELECT coalesce(sum(t.value ->> 'quantity'), 0) FROM json_each(nullif(allocation, '')) t)
		   != (SELECT coalesce(sum(i.value ->> 'quantity'), 0) FROM json_each(document, '$.items') i)`},
	{"every change of an order is in its history", `
		SELECT o.order_id, o.version FROM orders o
		WHERE o.version - 1 != (SELECT count(*) FROM order_history h WHERE (h.partner_id, h.order_id) = (o.partner_id, o.order_id))`},
	{"the last entry of the history is the order's status", `
		SELECT o.order_id, o.status FROM orders o JOIN order_history h USING (partner_id, order_id, version) WHERE o.status != h.status`},
	{"every order counts its events", `
		SELECT o.order_id, o.events FROM orders o
		WHERE o.events != (SELECT count(*) FROM events e WHERE (e.partner_id, e.order_id) = (o.partner_id, o.order_id))`},
	{"every order was made by one request", `
		WITH made AS (SELECT partner_id, order_id, count(*) AS requests FROM idempotency_keys WHERE scope = 'POST /v1/orders' GROUP BY 1, 2)
		SELECT order_id, requests FROM orders LEFT JOIN made USING (partner_id, order_id) WHERE requests IS NOT 1`},
	{"every kept answer belongs to an order", `
		SELECT order_id FROM idempotency_keys k WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE (o.partner_id, o.order_id) = (k.partner_id, k.order_id))`},
	{"a partner's references are distinct", `
		SELECT partner_id, partner_order_id FROM orders GROUP BY 1, 2 HAVING count(*) > 1`},
	{"foreign keys hold", "SELECT * FROM pragma_foreign_key_check"},
	{"the file is whole", "SELECT * FROM pragma_integrity_check WHERE integrity_check != 'ok'"},
}

// changes says of every movement what it did to the level.
const changes = `CREATE TEMP VIEW changes AS
	SELECT *, CASE type WHEN 'OUT' THEN -quantity ELSE quantity END AS change FROM stock_movements`

// Audit fails the test if the service's database breaks a law. The service may
// be running, or not.
func (s *Service) Audit(t testing.TB) {
	t.Helper()
	c := s.inspect(t)
	defer func() { _ = c.Close() }()
	if err := sqlitex.ExecuteTransient(c, changes, nil); err != nil {
		t.Fatal(err)
	}
	defer sqlitex.Save(c)(new(error)) // one view of all
	for _, l := range laws {
		if broken := rows(t, c, l.query); len(broken) > 0 {
			t.Errorf("%s, except for %d, such as %s", l.law, len(broken), broken[0])
		}
	}
}

// content is all that requests of partners and operators leave behind.
const content = `
	SELECT 'partners', count(*), 0 FROM partners UNION ALL
	SELECT 'api_keys', count(*), sum(revoked_at) FROM api_keys UNION ALL
	SELECT 'sessions', count(*), 0 FROM sessions UNION ALL
	SELECT 'operator_tokens', count(*), 0 FROM operator_tokens UNION ALL
	SELECT 'couriers', count(*), 0 FROM couriers UNION ALL
	SELECT 'products', count(*), sum(quantity) FROM products UNION ALL
	SELECT 'stock_levels', count(*), sum(quantity) FROM stock_levels UNION ALL
	SELECT 'stock_movements', count(*), 0 FROM stock_movements UNION ALL
	SELECT 'orders', count(*), sum(version) FROM orders UNION ALL
	SELECT 'order_history', count(*), 0 FROM order_history UNION ALL
	SELECT 'idempotency_keys', count(*), 0 FROM idempotency_keys UNION ALL
	SELECT 'events', count(*), 0 FROM events`

// Content sums up all that is stored, so that a test can tell that nothing was.
func (s *Service) Content(t testing.TB) string {
	t.Helper()
	return strings.Join(s.Query(t, content), "\n")
}

// Query asks the service's database; each row is one text.
func (s *Service) Query(t testing.TB, query string) []string {
	t.Helper()
	c := s.inspect(t)
	defer func() { _ = c.Close() }()
	return rows(t, c, query)
}

func (s *Service) inspect(t testing.TB) *sqlite.Conn {
	t.Helper()
	c, err := sqlite.OpenConn(filepath.Join(s.Data, "dropyard.db"), sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	c.SetBusyTimeout(10 * time.Second)
	return c
}

func rows(t testing.TB, c *sqlite.Conn, query string) (found []string) {
	t.Helper()
	err := sqlitex.ExecuteTransient(c, query, &sqlitex.ExecOptions{ResultFunc: func(st *sqlite.Stmt) error {
		columns := make([]string, st.ColumnCount())
		for i := range columns {
			columns[i] = st.ColumnText(i)
		}
		found = append(found, strings.Join(columns, " "))
		return nil
	}})
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", query, err))
	}
	return found
}
