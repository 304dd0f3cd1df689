package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/dropyard/dropyard/internal/store"
)

// TestPlans expects that the embedded database finds rows of a partner by the index that was made for it, in a database
// without rows too: its plans depend on no data. Without the statistics it would read all rows of the partner.
func TestPlans(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "dropyard.db")
	s, err := store.OpenSQLite(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := sqlite.OpenConn(file, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	for _, find := range []struct{ table, further, index string }{
		{"events", "AND event_id = $2", "events_by_id"},
		{"events", "AND event_id > $2 ORDER BY event_id LIMIT 5", "events_by_id"},
		{"events", "AND order_id = $2 ORDER BY event_id DESC LIMIT 5", "PRIMARY KEY"},
		{"events", "AND state = 'pending' AND due_at <= $2 ORDER BY due_at LIMIT 5", "events_due"},
		{"further_deliveries", "AND endpoint_id = $2 AND event_id = $3", "further_deliveries_by_id"},
		{"stock_movements", "AND product_id = $2 ORDER BY movement_id DESC LIMIT 5", "stock_movements_of_product"},
		{"stock_movements", "ORDER BY movement_id DESC LIMIT 5", "PRIMARY KEY"},
		{"journal", "AND order_id = $2", "journal_of_orders"},
		{"journal", "ORDER BY day DESC, entry_id DESC LIMIT 5", "PRIMARY KEY"},
		{"journal_lines", "AND day = $2 AND entry_id = $3", "PRIMARY KEY"},
	} {
		var plan []string
		query := "SELECT * FROM " + find.table + " WHERE partner_id = $1 " + find.further
		if err := sqlitex.Execute(c, "EXPLAIN QUERY PLAN "+query, &sqlitex.ExecOptions{
			Args:       make([]any, strings.Count(query, "$")),
			ResultFunc: func(st *sqlite.Stmt) error { plan = append(plan, st.ColumnText(3)); return nil },
		}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(plan, "; "); !strings.Contains(got, find.index) {
			t.Errorf("%s: got the plan %s, want it by %s", query, got, find.index)
		}
	}
}
