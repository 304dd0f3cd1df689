package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// manyOrders is enough for several batches in at least two tables.
const manyOrders = 9000

// multiply copies an order many times, with its idempotency key and its row on the
// board, and counts the copies as used.
const multiply = `
	CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d) SELECT i FROM n;
	INSERT INTO orders (partner_id, order_id, partner_order_id, status, version, events, updated_at, estimated_delivery,
			last_event, courier, cancelled_at, cancellation_reason, allocation, document)
		SELECT partner_id, order_id || '_' || i, 'É-' || i, status, version, events, updated_at, estimated_delivery,
			last_event, courier, cancelled_at, cancellation_reason, allocation, document
		FROM orders, n WHERE partner_order_id = 'plain';
	INSERT INTO open_orders (partner_id, order_id, created_at, updated_at, estimated_delivery, pickup_start, pickup_end,
			dropoff_start, dropoff_end, status, version, failures, service_level, zone, courier_id, city, partner_order_id, search)
		SELECT partner_id, order_id || '_' || i, created_at, updated_at, estimated_delivery, pickup_start, pickup_end,
			dropoff_start, dropoff_end, status, version, failures, service_level, zone, courier_id, city, 'É-' || i, search
		FROM open_orders, n WHERE partner_order_id = 'plain';
	INSERT INTO idempotency_keys (partner_id, idempotency_key, scope, body_hash, order_id, answer, created_at)
		SELECT partner_id, randomblob(16), scope, body_hash, order_id || '_' || i, answer, created_at
		FROM idempotency_keys, n WHERE order_id = (SELECT order_id FROM orders WHERE partner_order_id = 'plain');
	UPDATE partner_usage SET orders = orders + %[1]d, stored_bytes = stored_bytes + %[1]d * %[2]d;`

// newInstallation returns the directory of a service with many orders, which has
// been stopped.
func newInstallation(t *testing.T) (run, *apptest.Partner) {
	t.Helper()
	r := run{dir: t.TempDir(), env: []string{"DROPYARD_OPERATOR_EMAIL=" + apptest.OperatorEmail, "DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword}}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	product := s.Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"A": 100})
	plain := partner.Create(t, testkit.OrderJSON("plain", "")).Must(t, 201)
	lamp := partner.Create(t, testkit.OrderJSON("lamp", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product))).Must(t, 201).Text("order_id")
	partner.Cancel(t, lamp, "too late").Must(t, 200)
	s.signal(t, syscall.SIGTERM)
	c, err := sqlite.OpenConn(filepath.Join(r.dir, "data", "dropyard.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(c, fmt.Sprintf(multiply, manyOrders, len(plain.Body)), nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return r, partner
}

// copying is a copy of the installation in run's directory.
type copying struct {
	run
	from, target *apptest.Service // give access to the two databases
	url          string           // of the target
}

// to prepares a copy to a PostgreSQL database, or to a file if the URL is empty. It
// creates the target's tables, so that the progress of the copy can be queried from
// the beginning.
func (r run) to(t *testing.T, database string) *copying {
	t.Helper()
	c := &copying{run: r, url: database}
	c.from = &apptest.Service{Data: filepath.Join(r.dir, "data")}
	c.target = &apptest.Service{Data: t.TempDir(), Database: database}
	open, where := store.OpenPostgres, database
	if database == "" {
		open, where = store.OpenSQLite, filepath.Join(c.target.Data, "dropyard.db")
		c.url = "sqlite:" + where
	}
	db, err := open(t.Context(), where)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// progress returns the stored progress of the copy, and whether all tables are done.
func (c *copying) progress(t *testing.T) (progress string, done bool) {
	t.Helper()
	progress = strings.Join(c.target.Query(t, "SELECT name, value FROM settings WHERE name LIKE 'copy:_%' ORDER BY name"), "\n")
	return progress, progress != "" && !strings.Contains(progress, `"done":false`)
}

// until runs the copy and calls interrupt once its progress is enough. If it never
// is, or if enough is nil, the copy runs to its end and interrupted is false.
func (c *copying) until(t *testing.T, enough func(progress string, done bool) bool, interrupt func(*os.Process)) (got result, interrupted bool) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := c.start(t, &stdout, &stderr)
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for enough != nil && !interrupted {
		select {
		case <-ended:
			enough = nil
		case <-look.C:
			if interrupted = enough(c.progress(t)); interrupted {
				interrupt(command.Process)
			}
		}
	}
	<-ended
	return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}, interrupted
}

func (c *copying) start(t *testing.T, stdout, stderr *bytes.Buffer) *exec.Cmd {
	t.Helper()
	command := c.command(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", c.url)
	command.Stdout, command.Stderr = stdout, stderr
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	return command
}

// anyProgress returns a condition that holds once the copy is further than now.
func (c *copying) anyProgress(t *testing.T) func(string, bool) bool {
	before, _ := c.progress(t)
	return func(progress string, _ bool) bool { return progress != before }
}

func allDone(_ string, done bool) bool { return done }

func kill(p *os.Process) { _ = p.Kill() }

// finish runs the copy to its end and checks the result.
func (c *copying) finish(t *testing.T, partner *apptest.Partner) {
	t.Helper()
	if got, _ := c.until(t, nil, nil); got.code != 0 || !strings.Contains(got.stdout, "The copy is complete") {
		t.Fatalf("copy: got %+v, want exit code 0", got)
	}
	c.check(t, partner)
}

// check compares the rows of the two databases independently of the copy's own
// checksums, and serves the target to the partner.
func (c *copying) check(t *testing.T, partner *apptest.Partner) {
	t.Helper()
	for _, query := range []string{
		"SELECT order_id, partner_order_id, status, version, allocation FROM orders",
		"SELECT order_id, scope, answer, created_at FROM idempotency_keys",
		"SELECT movement_id, order_id, quantity, location FROM stock_movements",
		"SELECT order_id, sequence, event_id, facts FROM events",
		"SELECT name, value FROM settings",
	} {
		left, right := c.from.Query(t, query), c.target.Query(t, query)
		slices.Sort(left) // engines sort texts differently
		slices.Sort(right)
		if len(left) == 0 || !slices.Equal(left, right) {
			t.Errorf("%s: got %d rows in the copy, want the same %d as in the source", query, len(right), len(left))
		}
	}
	if !maps.Equal(c.from.Documents(t, partner.PartnerID), c.target.Documents(t, partner.PartnerID)) {
		t.Error("the documents of the copy differ from those of the source")
	}
	if n := c.audit(t, c.target, partner); n != manyOrders+2 {
		t.Errorf("got %d orders in the copy, want %d", n, manyOrders+2)
	}
}

// TestCopyKilled kills a copy several times, each time after some progress, and once
// while it compares. The same command continues it.
func TestCopyKilled(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{
		"to SQLite":     func(testing.TB) string { return "" },
		"to PostgreSQL": testkit.PostgresURL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			r, partner := newInstallation(t)
			c, kills := r.to(t, url), 0
			for range 8 {
				got, interrupted := c.until(t, c.anyProgress(t), kill)
				if !interrupted {
					t.Fatalf("got %+v, want the copy to run until it is killed", got)
				}
				kills++
				if got.stderr != "" {
					t.Errorf("got %q on standard error, want nothing", got.stderr)
				}
			}
			if refused := r.do(t, "serve", "--listen", "127.0.0.1:0", "--database", c.url); refused.code != 1 || !strings.Contains(refused.stderr, "unfinished copy") {
				t.Errorf("service on an unfinished copy: got %+v, want exit code 1", refused)
			}
			got, interrupted := c.until(t, allDone, kill)
			if _, begun := c.progress(t); interrupted && begun {
				kills++ // otherwise it ended before the kill
				c.finish(t, partner)
			} else if c.check(t, partner); !interrupted && got.code != 0 {
				t.Errorf("copy: got %+v, want exit code 0", got)
			}
			t.Logf("%d kills", kills)
		})
	}
}

// TestCopyStoppedBySignal expects one line and exit code 1, and that the copy can be
// continued.
func TestCopyStoppedBySignal(t *testing.T) {
	t.Parallel()
	r, partner := newInstallation(t)
	c := r.to(t, "")
	got, _ := c.until(t, c.anyProgress(t), func(p *os.Process) { _ = p.Signal(syscall.SIGTERM) })
	if got.code != 1 || got.stdout != "" || got.stderr != "dropyard: the copy was interrupted; run the same command again to continue it\n" {
		t.Errorf("got %+v, want exit code 1 and one line", got)
	}
	c.finish(t, partner)
}

// TestCopyLosesServer expects one line when the target's server stops, and that the
// copy can be continued when it is back.
func TestCopyLosesServer(t *testing.T) {
	t.Parallel()
	server := testkit.StartPostgres(t)
	r, partner := newInstallation(t)
	c := r.to(t, server.Database(t))
	for range 3 {
		got, interrupted := c.until(t, c.anyProgress(t), func(*os.Process) { server.StopImmediate() })
		server.Restart(t)
		if !interrupted || got.code != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "dropyard: ") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("got %+v, want exit code 1 and one line", got)
		}
	}
	c.finish(t, partner)
}
