package cluster_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// clocks is how far the clocks of nodes are behind the first one's.
var clocks = []time.Duration{0, 45 * time.Second, 90 * time.Second}

// between is a partner with an endpoint, and nodes whose clocks differ.
type between struct {
	nodes    []*apptest.Service
	partner  *apptest.Partner
	operator *apptest.Operator
	receiver *apptest.Receiver
}

// startBetween starts a node on each of the clocks.
func startBetween(t *testing.T) *between {
	t.Helper()
	database, data := migrated.URL(t), t.TempDir()
	b := &between{receiver: apptest.NewReceiver(t)}
	for _, behind := range clocks {
		clock := testkit.NewClock(testkit.Epoch.Add(-behind))
		node := apptest.Start(t, apptest.DatabaseAt(database), apptest.DataIn(data), apptest.Webhooks(),
			apptest.OnClock(clock))
		node.Clock = clock
		b.nodes = append(b.nodes, node)
	}
	middle := b.nodes[1] // credentials are valid by all clocks, also those that are behind
	b.partner, b.operator = middle.Register(t, "metro"), middle.Operate(t)
	b.partner.SetEndpoint(t, b.receiver.URL)
	return b
}

// move moves an order on a node.
func (b *between) move(t *testing.T, node int, orderID, status string) {
	t.Helper()
	there := *b.operator
	there.Service = b.nodes[node]
	there.Move(t, orderID, status).Must(t, 200)
}

// read reads the feed of a node on from a cursor, or from now on if that is empty.
func (b *between) read(t *testing.T, node int, cursor string) (ids []string, next string) {
	t.Helper()
	target := "/v1/webhooks/feed?limit=500"
	if cursor != "" {
		target += "&after=" + cursor
	}
	page := at(b.partner, b.nodes[node]).Call(t, "GET", target, nil).Must(t, 200)
	for i := range page.Len("events") {
		ids = append(ids, page.Text("events", i, "event_id"))
	}
	return ids, page.Text("cursor")
}

// pass lets a second pass on all clocks.
func (b *between) pass() {
	for _, node := range b.nodes {
		node.Clock.Advance(time.Second)
	}
}

// TestEventsBetweenClocks changes 20 orders three times each, on nodes whose clocks differ
// by 45 s. A follower of the feed on each node, and the endpoint, get all 60 events: the
// followers in the order in which they were committed, the endpoint in that of each order.
func TestEventsBetweenClocks(t *testing.T) {
	t.Parallel()
	b := startBetween(t)
	turn := repeatable.Rand(t)
	cursors, seen := make([]string, len(b.nodes)), make([][]string, len(b.nodes))
	for i := range cursors {
		_, cursors[i] = b.read(t, i, "")
	}
	var orders, committed []string
	for i := range 20 {
		orders = append(orders, b.partner.Create(t, testkit.OrderJSON(fmt.Sprint("A-", i), "")).Must(t, 201).Text("order_id"))
	}
	for sequence, status := range []string{"accepted", "courier_assigned", "picked_up"} {
		for _, id := range orders {
			b.move(t, turn.IntN(len(b.nodes)), id, status)
			committed = append(committed, b.nodes[0].Query(t, fmt.Sprintf(
				"SELECT event_id FROM events WHERE order_id = '%s' AND sequence = %d", id, sequence+1))...)
			reader := turn.IntN(len(b.nodes))
			ids, next := b.read(t, reader, cursors[reader])
			for _, id := range ids {
				if !slices.Contains(seen[reader], id) {
					seen[reader] = append(seen[reader], id)
				}
			}
			cursors[reader] = next
		}
	}
	if len(committed) != 60 || !slices.IsSorted(committed) {
		t.Errorf("got %d events, whose ids ascend: %v; want 60, ascending", len(committed), slices.IsSorted(committed))
	}
	for i, cursor := range cursors {
		ids, _ := b.read(t, i, cursor)
		for _, id := range ids {
			if !slices.Contains(seen[i], id) {
				seen[i] = append(seen[i], id)
			}
		}
		if !slices.Equal(seen[i], committed) {
			t.Errorf("%v behind: got %d of %d events, in the order of commits: %v", clocks[i], len(seen[i]), len(committed),
				slices.IsSorted(seen[i]))
		}
	}
	b.arrive(t, orders)
}

// arrive waits until all events have arrived at the endpoint, while time passes.
func (b *between) arrive(t *testing.T, orders []string) {
	t.Helper()
	apptest.Await(t, "delivered events", func() bool {
		b.pass()
		return b.nodes[0].Query(t, "SELECT count(*) FROM events WHERE state <> 'delivered'")[0] == "0"
	})
	first := map[string][]float64{} // the sequences of each order's events, when they first arrived
	ids := map[string]bool{}
	for len(ids) < 60 {
		hook := b.receiver.Next(t)
		if id := hook.Header.Get("Drop-Event-Id"); !ids[id] {
			ids[id] = true
			order := hook.Text("data", "order_id")
			sequence, _ := hook.JSON("sequence").(float64)
			first[order] = append(first[order], sequence)
		}
	}
	for _, id := range orders {
		if !slices.Equal(first[id], []float64{1, 2, 3}) {
			t.Errorf("order %s: got the events %v, want 1, 2, 3", id, first[id])
		}
	}
}
