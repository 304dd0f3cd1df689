package feed_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/testkit"
)

// table is a board in memory, which nodes share.
type table struct {
	mu       sync.Mutex // guards the following fields
	rows     map[string]*board.Row
	couriers map[string]dispatch.Courier
	partner  string        // the name of all partners
	down     error         // what reads fail with; nil if they do not
	takes    time.Duration // how long a read takes
	skew     time.Duration
}

func newTable() *table {
	return &table{rows: map[string]*board.Row{}, couriers: map[string]dispatch.Courier{
		"cou_1": {Name: "Amélie", Active: true},
	}, partner: "Métro"}
}

// put creates or moves an order, and returns its id.
func (b *table) put(id string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	row := &board.Row{
		PartnerID: "par_1", OrderID: id, Status: delivery.StatusInTransit, CourierID: "cou_1", Search: "long",
		EstimatedDelivery: time.Now().Add(time.Hour), Dropoff: delivery.Window{End: time.Now().Add(time.Hour)},
	}
	if before := b.rows[id]; before != nil {
		*row = *before
	}
	row.Version++
	b.rows[id] = row
	return id
}

// one is what Committed takes for one order.
func one(id string) iter.Seq[string] { return slices.Values([]string{id}) }

// end removes an order.
func (b *table) end(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.rows, id)
}

// fail makes all reads fail from now on, or no longer.
func (b *table) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = err
}

// slow makes each read take so long from now on.
func (b *table) slow(takes time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.takes = takes
}

// picture returns what desks should see.
func (b *table) picture() picture {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen := picture{}
	for id, row := range b.rows {
		courier := b.couriers[row.CourierID]
		shown := *row
		shown.Search = ""
		seen[id] = line(&shown, b.partner, courier)
	}
	return seen
}

// line is how a row is encoded in these tests.
func line(row *board.Row, partner string, courier dispatch.Courier) string {
	return fmt.Sprintf("%s v%d %s %s %t %q", row.OrderID, row.Version, partner, courier.Name, courier.Active, row.Search)
}

// Read runs fn on a view of the table, which other goroutines cannot change.
func (b *table) Read(_ context.Context, fn func(feed.Reader) error) error {
	b.mu.Lock()
	takes := b.takes
	b.mu.Unlock()
	time.Sleep(takes)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.down != nil {
		return b.down
	}
	return fn(reader{b})
}

type reader struct{ *table }

func (r reader) Clock(context.Context) (time.Time, error) { return time.Now().Add(r.skew), nil }

func (r reader) AllRows(ctx context.Context) ([]*board.Row, error) {
	return r.Rows(ctx, slices.Collect(maps.Keys(r.rows)))
}

func (r reader) EachVersion(_ context.Context, each func(string, int64)) error {
	for id, row := range r.rows {
		each(id, row.Version)
	}
	return nil
}

func (r reader) Rows(_ context.Context, ids []string) (rows []*board.Row, err error) {
	for _, id := range ids {
		if row := r.rows[id]; row != nil {
			shown := *row
			shown.Search = ""
			rows = append(rows, &shown)
		}
	}
	return rows, nil
}

func (r reader) PartnerNames(_ context.Context, ids []string) (map[string]string, error) {
	names := map[string]string{}
	for _, id := range ids {
		names[id] = r.partner
	}
	return names, nil
}

func (r reader) Couriers(_ context.Context, ids []string) (map[string]dispatch.Courier, error) {
	found := map[string]dispatch.Courier{}
	for _, id := range ids {
		found[id] = r.couriers[id]
	}
	return found, nil
}

// seeds makes the ids of mirrors differ.
var seeds atomic.Int32

// newNode returns a node on a table. Its clock is ahead of the time by skew.
func newNode(b *table, shared bool, skew time.Duration) *feed.Service {
	return feed.NewService(feed.Config{
		Store: b, Shared: shared, Random: testkit.NewRandom(byte(seeds.Add(1))), Log: slog.New(slog.NewTextHandler(io.Discard,
			nil)),
		Now: func() time.Time { return time.Now().Add(skew) },
		At:  func(at time.Time) <-chan time.Time { return time.After(time.Until(at.Add(-skew))) },
		Encode: func(buffer []byte, e *dispatch.Entry) []byte {
			return append(buffer[:0],
				line(e.Row, e.PartnerName, dispatch.Courier{Name: e.CourierName, Active: e.CourierActive})...)
		},
	})
}

// following runs a test in a bubble of time, with a table, a node, and a desk
// that has loaded the board from it.
func following(t *testing.T, shared bool, test func(t *testing.T, b *table, node *feed.Service, d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := newTable()
		node, d := newNode(b, shared, 0), &desk{}
		defer node.Close()
		d.load(t, node)
		test(t, b, node, d)
	})
}

// picture is what a desk has on its screen: the encoded rows, by order id.
type picture map[string]string

// desk is a program that follows the board.
type desk struct {
	seen    picture
	after   string
	answers int
}

// failer is a *testing.T or *rapid.T.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// load begins with a snapshot.
func (d *desk) load(t failer, node *feed.Service) {
	t.Helper()
	got, err := node.Snapshot(context.Background())
	if err != nil {
		t.Fatalf("snapshot: %v", err)
	}
	d.seen, d.after = picture{}, got.After
	d.apply(got)
}

// ask asks for changes, and applies them.
func (d *desk) ask(node *feed.Service, wait time.Duration) (*feed.Answer, error) {
	got, err := node.Changes(context.Background(), d.after, wait)
	if err != nil {
		return nil, err
	}
	d.after = got.After
	d.answers++
	d.apply(got)
	return got, nil
}

func (d *desk) apply(a *feed.Answer) {
	for _, row := range a.Rows {
		id, _, _ := strings.Cut(string(row), " ")
		d.seen[id] = string(row)
	}
	for _, id := range a.Gone {
		delete(d.seen, id)
	}
}

// pass lets time pass, and waits until all goroutines wait for more of it.
func pass(d time.Duration) {
	time.Sleep(d) // of the bubble, whose clock jumps
	synctest.Wait()
}
