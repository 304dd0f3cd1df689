package apptest

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// InStore opens the service's store, calls fn with it, and closes it. The
// service may be running or stopped.
func (s *Service) InStore(ctx context.Context, fn func(*store.Store) error) (err error) {
	open, where := store.OpenSQLite, filepath.Join(s.Data, "dropyard.db")
	if s.Database != "" {
		open, where = store.OpenPostgres, s.Database
	}
	db, err := open(ctx, where)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db)
}

// Query returns the rows of a query in the service's database, each as one
// string of columns separated by spaces. The service may be running or stopped.
func (s *Service) Query(t testing.TB, query string) []string {
	t.Helper()
	var found []string
	s.inspect(t, func(ask asker) { found = ask(query) })
	return found
}

// Execute executes a statement in the service's database.
func (s *Service) Execute(t testing.TB, statement string) {
	t.Helper()
	ask, end, err := s.open(t, sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	ask(statement)
}

// asker runs a query in one database and returns its rows, as Query does.
type asker func(query string) []string

// inspect calls fn with an asker all of whose queries see the same snapshot.
func (s *Service) inspect(t testing.TB, fn func(asker)) {
	t.Helper()
	ask, end, err := s.open(t, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	ask("BEGIN ISOLATION LEVEL REPEATABLE READ")
	fn(ask)
}

// open opens the database; mode is how SQLite is to open it. The caller must call
// end.
func (s *Service) open(t testing.TB, mode sqlite.OpenFlags) (ask asker, end func(), err error) {
	if s.Database == "" {
		return openSQLite(t, filepath.Join(s.Data, "dropyard.db"), mode)
	}
	if file, embedded := strings.CutPrefix(s.Database, "sqlite:"); embedded {
		return openSQLite(t, file, mode)
	}
	return s.openPostgres(t)
}

// inspection is the connection on which tests query a PostgreSQL database. It is
// kept, because to connect takes longer than most queries.
type inspection struct {
	mu   sync.Mutex // held while a test uses the connection
	conn *pgx.Conn  // nil until the first use and after the test that connected
}

// connect returns the connection. The caller must hold mu.
func (i *inspection) connect(t testing.TB, url string) (*pgx.Conn, error) {
	ctx := context.Background()
	if i.conn != nil && i.conn.Ping(ctx) == nil {
		return i.conn, nil
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	i.conn = conn
	t.Cleanup(func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		_ = conn.Close(ctx)
		if i.conn == conn {
			i.conn = nil
		}
	})
	return conn, nil
}

func (s *Service) openPostgres(t testing.TB) (asker, func(), error) {
	ctx := context.Background()
	s.inspection.mu.Lock()
	c, err := s.inspection.connect(t, s.Database)
	if err != nil {
		s.inspection.mu.Unlock()
		return nil, nil, err
	}
	ask := func(query string) (found []string) {
		t.Helper()
		results, err := c.PgConn().Exec(ctx, query).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		for _, row := range results[0].Rows {
			columns := make([]string, len(row))
			for i, column := range row {
				columns[i] = string(column)
			}
			found = append(found, strings.Join(columns, " "))
		}
		return found
	}
	end := func() {
		if c.PgConn().TxStatus() != 'I' {
			_, _ = c.Exec(ctx, "ROLLBACK")
		}
		s.inspection.mu.Unlock()
	}
	return ask, end, nil
}

func openSQLite(t testing.TB, path string, mode sqlite.OpenFlags) (asker, func(), error) {
	c, err := sqlite.OpenConn(path, mode)
	if err != nil {
		return nil, nil, err
	}
	c.SetBusyTimeout(repeatable.Hang)
	ask := func(query string) (found []string) {
		t.Helper()
		query = strings.TrimSuffix(query, " ISOLATION LEVEL REPEATABLE READ") // SQLite has no other
		err := sqlitex.ExecuteTransient(c, query, &sqlitex.ExecOptions{ResultFunc: func(st *sqlite.Stmt) error {
			columns := make([]string, st.ColumnCount())
			for i := range columns {
				columns[i] = st.ColumnText(i)
			}
			found = append(found, strings.Join(columns, " "))
			return nil
		}})
		if err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		return found
	}
	return ask, func() { _ = c.Close() }, nil
}

// Await waits until something holds that gives no signal, and ends the test if it does not
// come to hold: it looks again after a pause.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for began := time.Now(); !holds(); time.Sleep(repeatable.Poll) {
		if time.Since(began) > repeatable.Hang {
			t.Fatalf("%s: this does not come about", what)
		}
	}
}

// Until waits until a query returns these rows, and ends the test if it does not.
func (s *Service) Until(t testing.TB, query string, want ...string) {
	t.Helper()
	ask, end, err := s.open(t, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	Await(t, fmt.Sprintf("%s, want %q", query, want), func() bool { return slices.Equal(ask(query), want) })
}

// content counts the rows that requests of partners and operators write.
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
	SELECT 'events', count(*), 0 FROM events UNION ALL
	SELECT 'order_proofs', count(*), 0 FROM order_proofs UNION ALL
	SELECT 'loose_pictures', count(*), 0 FROM loose_pictures UNION ALL
	SELECT 'courier_deliveries', count(*), 0 FROM courier_deliveries UNION ALL
	SELECT 'webhook_endpoints', count(*), sum(enabled) FROM webhook_endpoints`

// Content returns a summary of the database. A test compares two of them to show
// that nothing was stored in between.
func (s *Service) Content(t testing.TB) string {
	t.Helper()
	return strings.Join(s.Query(t, content), "\n")
}

// Unchanged fails the test if the database has changed since Content returned
// before.
func (s *Service) Unchanged(t testing.TB, before string) {
	t.Helper()
	if after := s.Content(t); after != before {
		t.Errorf("got content\n%s\nwant it unchanged\n%s", after, before)
	}
}
