// Package cluster_test shows what holds when several nodes share a database,
// and processes, networks and databases fail: nothing acknowledged is lost or
// doubled, the stock is exact, and the service recovers by itself.
package cluster_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

func TestMain(m *testing.M) {
	testkit.ClearSettings()
	apptest.Overlap()
	code := m.Run()
	removeBinary()
	testkit.StopPostgres()
	os.Exit(code)
}

// migrated is a database with the current schema, for the tests that are not about its
// making.
var migrated = testkit.PostgresTemplate{Fill: func(ctx context.Context, url string) error {
	_, err := app.Migrate(ctx, &config.Config{DatabaseURL: url, DatabaseMayLoseData: true})
	return err
}}

// backOff is the pause of a client before it sends a request again.
func backOff() { time.Sleep(repeatable.Poll) }

// hangs returns the time from which on a test that waits for progress fails.
func hangs() time.Time { return time.Now().Add(repeatable.Hang) }

// setClock sets the clock with which requests are signed to that of the machine, which
// services in processes of their own use. Signatures are valid for minutes.
func setClock(s *apptest.Service) { s.Clock.Advance(time.Since(s.Clock.Now())) }

var keys atomic.Int64

// newKey returns an Idempotency-Key that no other request has.
func newKey() string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", keys.Add(1)) }

// tally counts something that several goroutines do. One goroutine may wait for
// it to grow.
type tally struct {
	count atomic.Int64
	grown chan struct{} // holds one
}

func newTally() *tally { return &tally{grown: make(chan struct{}, 1)} }

func (c *tally) add() {
	c.count.Add(1)
	select {
	case c.grown <- struct{}{}:
	default: // the waiting goroutine has been notified
	}
}

// await waits until the count has grown by more.
func (c *tally) await(t *testing.T, more int64) {
	t.Helper()
	c.reach(t, c.count.Load()+more)
}

// reach waits until the count is at least goal.
func (c *tally) reach(t *testing.T, goal int64) {
	t.Helper()
	timeout := time.NewTimer(repeatable.Hang)
	defer timeout.Stop()
	for c.count.Load() < goal {
		select {
		case <-c.grown:
		case <-timeout.C:
			t.Fatalf("got a count of %d within %v, want %d", c.count.Load(), repeatable.Hang, goal)
		}
	}
}

// wish is an order that a client wants.
type wish struct {
	reference, key string
	units          int    // of lamps; 0 means no items
	orderID        string // set when the order was acknowledged
	cancelled      bool   // and this was acknowledged
	accepted       bool   // by an operator, and this was acknowledged
}

// body returns the request that creates the order.
func (w *wish) body(lamp int) []byte {
	items := ""
	if w.units > 0 {
		items = buying(lamp, w.units)
	}
	return testkit.OrderJSON(w.reference, items)
}

func flat(lists [][]*wish) (all []*wish) {
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// buying returns the items of an order.
func buying(product, quantity int) string {
	return fmt.Sprintf(`[{"product_id":%d,"quantity":%d}]`, product, quantity)
}

// startNodes starts services in this process that share a fresh database.
func startNodes(t *testing.T, count int) []*apptest.Service {
	t.Helper()
	database, data := migrated.URL(t), t.TempDir()
	nodes := make([]*apptest.Service, count)
	for i := range nodes {
		nodes[i] = apptest.Start(t, apptest.DatabaseAt(database), apptest.DataIn(data))
	}
	return nodes
}

// at returns the same partner, calling another node.
func at(p *apptest.Partner, node *apptest.Service) *apptest.Partner {
	there := *p
	there.Service = node
	return &there
}
