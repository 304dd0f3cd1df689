package cluster_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestDesksFollowTheBoard moves orders at random on two nodes, one of which is
// killed and started again, while desks follow the board and change nodes. At the
// end every desk sees what is in the table, and then no more changes.
func TestDesksFollowTheBoard(t *testing.T) {
	t.Parallel()
	database, key := migrated.URL(t), filepath.Join(t.TempDir(), "master.key")
	data := [2]string{t.TempDir(), t.TempDir()}
	of := func(i int) settings { return settings{data: data[i], masterKey: key, database: database} }
	var nodes [2]atomic.Pointer[apptest.Service]
	processes := startAll(t, len(nodes), of)
	for i, p := range processes {
		nodes[i].Store(p.service)
	}
	operator := nodes[0].Load().Operate(t)
	partner := nodes[0].Load().Register(t, "metro")
	var ending atomic.Bool
	desks := make([]*boardDesk, testkit.Scaled(20, 4))
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		apptest.Together(len(desks), func(i int) error {
			desks[i] = &boardDesk{operator: operator}
			for n := i; !ending.Load() && !t.Failed(); n++ {
				desks[i].ask(t, nodes[n/3%len(nodes)].Load(), 2)
			}
			return nil
		})
	}()
	moved := make(chan struct{})
	go func() {
		defer close(moved)
		apptest.Together(4, func(i int) error {
			random := repeatable.Rand(t, fmt.Sprint("mover ", i))
			moveAround(t, partner, operator, func() *apptest.Service { return nodes[random.IntN(len(nodes))].Load() },
				random.IntN, fmt.Sprint("B-", i, "-"))
			return nil
		})
	}()
	processes[1].kill()
	again, err := startProcess(t, of(1))
	if err != nil {
		t.Fatal(err)
	}
	nodes[1].Store(again.service)
	<-moved
	ending.Store(true)
	<-followed
	want := map[string]float64{}
	for _, row := range nodes[0].Load().Query(t, "SELECT order_id, version FROM open_orders") {
		var id string
		var version float64
		if _, err := fmt.Sscan(row, &id, &version); err != nil {
			t.Fatal(err)
		}
		want[id] = version
	}
	apptest.Together(len(desks), func(i int) error {
		desks[i].catchUp(t, i, nodes[i%len(nodes)].Load(), want)
		return nil
	})
	t.Logf("%d orders under way, %d snapshots", len(want), snapshots(desks))
}

// boardDesk is a desk that follows the board.
type boardDesk struct {
	operator  *apptest.Operator
	seen      map[string]float64 // the version of each order
	after     string             // empty before the first snapshot
	snapshots int
}

// catchUp asks until the desk sees what is wanted and there are no more changes.
func (d *boardDesk) catchUp(t *testing.T, number int, node *apptest.Service, want map[string]float64) {
	for end := hangs(); !maps.Equal(d.seen, want) && time.Now().Before(end); {
		d.ask(t, node, 1)
	}
	for n := 0; d.ask(t, node, 1); n++ {
		if n == 20 {
			t.Errorf("desk %d: got changes in %d answers after the last move, want an end of them", number, n)
			break
		}
	}
	if !maps.Equal(d.seen, want) {
		t.Errorf("desk %d: got %v, want %v", number, d.seen, want)
	}
}

func snapshots(desks []*boardDesk) (sum int) {
	for _, d := range desks {
		sum += d.snapshots
	}
	return sum
}

// ask asks a node for changes, or for a snapshot, and reports whether there may be
// more: there were changes, or no answer.
func (d *boardDesk) ask(t *testing.T, node *apptest.Service, wait int) (more bool) {
	target := fmt.Sprintf("/ops/v1/orders/changes?after=%s&wait=%d", d.after, wait)
	if d.after == "" {
		target = "/ops/v1/orders/snapshot"
	}
	got, err := node.Try("GET", target, nil, "Authorization", "Bearer "+d.operator.Token)
	switch {
	case err != nil, got.Status == 503:
		backOff()
		return true
	case got.Status == 410:
		d.after = ""
		return true
	case got.Status != 200:
		t.Errorf("%s: got status %d, want 200: %s", target, got.Status, got.Body)
		return false
	}
	if d.after == "" {
		d.seen, d.snapshots = map[string]float64{}, d.snapshots+1
	}
	d.after = got.Text("after")
	for _, list := range []string{"orders", "changed"} {
		for i := range got.Len(list) {
			d.seen[got.Text(list, i, "order_id")], _ = got.JSON(list, i, "version").(float64)
		}
	}
	for i := range got.Len("gone") {
		delete(d.seen, got.Text("gone", i))
	}
	return got.Len("orders")+got.Len("changed")+got.Len("gone") > 0
}

// moveAround creates orders, and moves and cancels them, each request at any node.
func moveAround(t *testing.T, partner *apptest.Partner, operator *apptest.Operator, node func() *apptest.Service,
	draw func(below int) int, prefix string) {
	t.Helper()
	for i := range testkit.Scaled(100, 15) {
		orderID := ""
		for orderID == "" && !t.Failed() {
			body, there := testkit.OrderJSON(fmt.Sprint(prefix, i), ""), at(partner, node())
			got, err := there.Try("POST", "/v1/orders", body, append(there.Signed("POST", "/v1/orders", body), "Idempotency-Key",
				fmt.Sprintf("00000000-0000-4000-8000-%012x", len(prefix)<<40|int(prefix[2])<<32|i))...)
			switch {
			case err == nil && got.Status == 201:
				orderID = got.Text("order_id")
			case err == nil && got.Status < 500 && !strings.Contains(got.Code(), "progress"):
				t.Errorf("got status %d, want 201: %s", got.Status, got.Body)
			}
		}
		statuses := []string{"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"}
		for _, status := range statuses[:draw(len(statuses)+1)] {
			body := fmt.Appendf(nil, `{"status":%q,"courier_id":%q}`, status, operator.CourierID)
			// A move that fails because the node was killed leaves the order where it is.
			_, _ = node().Try("POST", "/ops/v1/orders/"+orderID+"/status", body, "Authorization", "Bearer "+operator.Token)
		}
	}
}
