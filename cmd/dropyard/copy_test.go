package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// manyOrders are enough for several batches of a copy in two of its tables.
const manyOrders = 9000

// multiply makes many orders of one, by SQL, with a request each and their place
// on the board.
const multiply = `
	CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) SELECT i FROM n;
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
		FROM idempotency_keys, n WHERE order_id = (SELECT order_id FROM orders WHERE partner_order_id = 'plain');`

// grown is an installation to be copied: its service has ended.
func grown(t *testing.T) (run, *apptest.Partner) {
	t.Helper()
	r := run{dir: t.TempDir(), env: []string{"DROPYARD_OPERATOR_EMAIL=" + apptest.OperatorEmail, "DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword}}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	product := s.Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"A": 100})
	partner.Create(t, testkit.OrderJSON("plain", "")).Must(t, 201)
	lamp := partner.Create(t, testkit.OrderJSON("lamp", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product))).Must(t, 201).Text("order_id")
	partner.Cancel(t, lamp, "too late").Must(t, 200)
	s.signal(t, syscall.SIGTERM)
	c, err := sqlite.OpenConn(filepath.Join(r.dir, "data", "dropyard.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	if err := sqlitex.ExecuteScript(c, fmt.Sprintf(multiply, manyOrders), nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return r, partner
}

// copying is a copy from the installation of a run to a target.
type copying struct {
	run
	from, target *apptest.Service // their databases
	url          string           // of the target
}

// to prepares a copy to a database (empty: a file), which gets its tables so
// that it can be asked at once how far the copy is.
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

// far tells how far the copy is, and whether all its tables are done.
func (c *copying) far(t *testing.T) (far string, done bool) {
	t.Helper()
	far = strings.Join(c.target.Query(t, "SELECT name, value FROM settings WHERE name LIKE 'copy:_%' ORDER BY name"), "\n")
	return far, far != "" && !strings.Contains(far, `"done":false`)
}

// until runs the copy until it is far enough, and then breaks it off; or to its
// end, if it is not far enough before.
func (c *copying) until(t *testing.T, enough func(far string, done bool) bool, breakOff func(*os.Process)) (got result, broken bool) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := c.start(t, &stdout, &stderr)
	ended := make(chan struct{})
	go func() {
		_ = command.Wait()
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}, broken
		default:
		}
		if !broken && enough(c.far(t)) {
			broken = true
			breakOff(command.Process)
		}
		if broken {
			<-ended
		}
	}
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

// farther is far enough when anything more has been copied than now.
func (c *copying) farther(t *testing.T) func(string, bool) bool {
	before, _ := c.far(t)
	return func(far string, _ bool) bool { return far != before }
}

func allDone(_ string, done bool) bool { return done }

func kill(p *os.Process) { _ = p.Kill() }

// finish runs the copy to its end, holds both sides against each other, past
// what the copy itself says, and serves the target to the partner.
func (c *copying) finish(t *testing.T, partner *apptest.Partner) {
	t.Helper()
	if got, _ := c.until(t, func(string, bool) bool { return false }, nil); got.code != 0 || !strings.Contains(got.stdout, "The copy is complete") {
		t.Fatalf("copy: %+v", got)
	}
	c.check(t, partner)
}

func (c *copying) check(t *testing.T, partner *apptest.Partner) {
	t.Helper()
	for _, query := range []string{
		"SELECT order_id, partner_order_id, status, version, allocation, document FROM orders",
		"SELECT order_id, scope, answer, created_at FROM idempotency_keys",
		"SELECT movement_id, order_id, quantity, location FROM stock_movements",
		"SELECT order_id, sequence, event_id, facts FROM events",
		"SELECT name, value FROM settings",
	} {
		left, right := c.from.Query(t, query), c.target.Query(t, query)
		slices.Sort(left) // engines sort texts differently
		slices.Sort(right)
		if len(left) == 0 || !slices.Equal(left, right) {
			t.Errorf("%s: %d rows here, %d there, or not the same", query, len(left), len(right))
		}
	}
	if n := c.audit(t, c.target, partner); n != manyOrders+2 {
		t.Errorf("%d orders were copied", n)
	}
}

// TestCopyKilled: a copy is killed again and again, as soon as it has copied
// anything, and once more while it compares. The same command goes on.
func TestCopyKilled(t *testing.T) {
	t.Parallel()
	for name, database := range map[string]func(testing.TB) string{
		"to SQLite":     func(testing.TB) string { return "" },
		"to PostgreSQL": testkit.PostgresURL,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := database(t)
			r, partner := grown(t)
			c, kills := r.to(t, url), 0
			for range 8 {
				got, broken := c.until(t, c.farther(t), kill)
				if !broken {
					t.Fatalf("ended by itself: %+v", got)
				}
				kills++
				if got.stderr != "" {
					t.Errorf("said %s", got.stderr)
				}
			}
			if refused := r.do(t, "serve", "--listen", "127.0.0.1:0", "--database", c.url); refused.code != 1 || !strings.Contains(refused.stderr, "unfinished copy") {
				t.Errorf("a service on half a copy: %+v", refused)
			}
			got, broken := c.until(t, allDone, kill)
			if _, begun := c.far(t); broken && begun {
				kills++ // else it came to its end in the last moment
				c.finish(t, partner)
			} else if c.check(t, partner); !broken && got.code != 0 {
				t.Errorf("copy: %+v", got)
			}
			t.Logf("%d kills", kills)
		})
	}
}

// TestCopySignalled ends with one line and exit code 1, and goes on.
func TestCopySignalled(t *testing.T) {
	t.Parallel()
	r, partner := grown(t)
	c := r.to(t, "")
	got, _ := c.until(t, c.farther(t), func(p *os.Process) { _ = p.Signal(syscall.SIGTERM) })
	if got.code != 1 || got.stdout != "" || got.stderr != "dropyard: the copy was broken off; the same command goes on where it was\n" {
		t.Errorf("got %+v", got)
	}
	c.finish(t, partner)
}

// TestCopyLosesItsServer: it says so in one line, and goes on when the server is
// back.
func TestCopyLosesItsServer(t *testing.T) {
	t.Parallel()
	server := testkit.StartPostgres(t)
	r, partner := grown(t)
	c := r.to(t, server.Database(t))
	for range 3 {
		got, broken := c.until(t, c.farther(t), func(*os.Process) { server.StopImmediate() })
		server.Restart(t)
		if !broken || got.code != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "dropyard: ") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("got %+v", got)
		}
	}
	c.finish(t, partner)
}
