// Package cluster_test shows what holds when several nodes share a database,
// and processes, networks and databases fail: nothing acknowledged is lost or
// doubled, the stock is exact, and the service recovers by itself.
package cluster_test

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

func TestMain(m *testing.M) {
	testkit.ClearSettings()
	code := m.Run()
	removeBinary()
	testkit.StopPostgres()
	os.Exit(code)
}

const (
	// patience bounds how long a test waits for progress. Only a test that fails
	// waits as long.
	patience = time.Minute
	// backoff is the pause of a client before it sends a request again.
	backoff = 20 * time.Millisecond
)

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
	timeout := time.After(patience)
	for c.count.Load() < goal {
		select {
		case <-c.grown:
		case <-timeout:
			t.Fatalf("got a count of %d within %v, want %d", c.count.Load(), patience, goal)
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
	database, data := testkit.PostgresURL(t), t.TempDir()
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
