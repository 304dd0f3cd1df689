package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// manyOrders is enough for several batches in at least two tables.
const manyOrders = 900

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

// filled is the installation that newInstallation copies.
var filled struct {
	sync.Mutex // guards the rest
	files      files
	partner    *apptest.Partner
}

// newInstallation returns the directory of a service with many orders, which has
// been stopped.
func newInstallation(t *testing.T) (run, *apptest.Partner) {
	t.Helper()
	filled.Lock()
	defer filled.Unlock()
	if filled.files == nil {
		filled.files, filled.partner = fillInstallation(t)
	}
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	filled.files.write(t, r.dir)
	return r, filled.partner
}

func fillInstallation(t *testing.T) (files, *apptest.Partner) {
	t.Helper()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	partner := s.Register(t, "metro")
	product := s.Operate(t).Stock(t, partner.PartnerID, "Lamp", map[string]int{"A": 100})
	plain := partner.Create(t, testkit.OrderJSON("plain", "")).Must(t, 201)
	lamp := partner.Create(t, testkit.OrderJSON("lamp", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, product))).Must(t,
		201).Text("order_id")
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
	return readFiles(t, r.dir), partner
}

// copying is a copy of the installation in run's directory.
type copying struct {
	run
	from, target *apptest.Service // give access to the two databases
	url          string           // of the target
}

// to prepares a copy to a PostgreSQL database, or to a file if the URL is empty.
func (r run) to(t *testing.T, database string) *copying {
	t.Helper()
	c := &copying{run: r, url: database}
	c.from = &apptest.Service{Data: filepath.Join(r.dir, "data")}
	c.target = &apptest.Service{Data: testkit.FastDir(t), Database: database}
	if database == "" {
		c.url = "sqlite:" + filepath.Join(c.target.Data, "dropyard.db")
	}
	return c
}

// after runs the copy, and calls interrupt once it has made a part of its progress (see
// holdAfter). It gets no further than a batch until release is called.
func (c *copying) after(t *testing.T, part string, interrupt func(p *os.Process, release func())) result {
	t.Helper()
	reached, itsReached, err := os.Pipe()
	must(t, err)
	itsRelease, release, err := os.Pipe()
	must(t, err)
	defer func() { _, _ = reached.Close(), release.Close() }()
	var stdout, stderr bytes.Buffer
	command := c.with(holdAfter+"="+part).command(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", c.url)
	command.Stdout, command.Stderr = &stdout, &stderr
	command.ExtraFiles = []*os.File{itsReached, itsRelease} // reachedFile and releaseFile
	must(t, command.Start())
	must(t, errors.Join(itsReached.Close(), itsRelease.Close()))
	if text, err := io.ReadAll(io.LimitReader(reached, 1)); err != nil || len(text) == 0 {
		_ = wait(command)
		t.Fatalf("the copy ended before %s: got %q, %q, %v", part, &stdout, &stderr, err)
	}
	interrupt(command.Process, func() { _ = release.Close() })
	_ = wait(command)
	return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// batches returns a part of the copying of a few batches, at random.
func batches(intN func(int) int) string { return fmt.Sprint("copying ", 1+intN(6)) }

// comparing is the last part of a copy, in its middle.
const comparing = "comparing 9"

func kill(p *os.Process, _ func()) { _ = p.Kill() }

// finish runs the copy to its end and checks the result.
func (c *copying) finish(t *testing.T, partner *apptest.Partner) {
	t.Helper()
	if got := c.do(t, "copy", "--from", "sqlite:data/dropyard.db", "--to", c.url); got.code != 0 ||
		!strings.Contains(got.stdout, "The copy is complete") {
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
		"SELECT name, value FROM settings WHERE name <> 'came_by'",
	} {
		left, right := c.from.Query(t, query), c.target.Query(t, query)
		slices.Sort(left) // engines sort texts differently
		slices.Sort(right)
		if len(left) == 0 || !slices.Equal(left, right) {
			t.Errorf("%s: got %d rows in the copy, want the same %d as in the source", query, len(right), len(left))
		}
	}
	// The note has the next start hold webhooks and mails.
	if note := c.target.Query(t,
		"SELECT value FROM settings WHERE name = 'came_by'"); !slices.Equal(note, []string{"copied"}) {
		t.Errorf("got the note %q in the copy, want copied", note)
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
			r = r.with(mayLoseData)
			c, draw := r.to(t, url), repeatable.Rand(t).IntN
			for range 8 {
				c.killed(t, batches(draw))
			}
			if refused := r.do(t, "serve", "--listen", "127.0.0.1:0", "--database", c.url); refused.code != 1 ||
				!strings.Contains(refused.stderr, "unfinished copy") {
				t.Errorf("service on an unfinished copy: got %+v, want exit code 1", refused)
			}
			c.killed(t, comparing)
			c.finish(t, partner)
		})
	}
}

// killed runs the copy and kills it after a part.
func (c *copying) killed(t *testing.T, part string) {
	t.Helper()
	if got := c.after(t, part, kill); got != (result{code: -1}) {
		t.Errorf("killed after %s: got %+v, want no exit code and nothing printed", part, got)
	}
}

// TestCopyStoppedBySignal expects one line and exit code 1, and that the copy can be
// continued.
func TestCopyStoppedBySignal(t *testing.T) {
	t.Parallel()
	r, partner := newInstallation(t)
	c := r.to(t, "")
	got := c.after(t, batches(repeatable.Rand(t).IntN), func(p *os.Process, _ func()) { _ = p.Signal(syscall.SIGTERM) })
	if got.code != 1 || got.stdout != "" ||
		got.stderr != "dropyard: the copy was interrupted; run the same command again to continue it\n" {
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
	c, draw := r.to(t, server.Database(t)), repeatable.Rand(t).IntN
	for range 3 {
		got := c.after(t, batches(draw), func(_ *os.Process, release func()) {
			server.StopImmediate()
			release()
		})
		server.Restart(t)
		if got.code != 1 || got.stdout != "" || !strings.HasPrefix(got.stderr, "dropyard: ") ||
			strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("got %+v, want exit code 1 and one line", got)
		}
	}
	c.finish(t, partner)
}
