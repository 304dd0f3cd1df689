package storetest

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// testFeed reads what the feed of the board reads: all rows, some of them, their
// versions, and the clock.
func testFeed(t *testing.T, s *store.Store) {
	ctx := t.Context()
	check := func(when string, want ...*delivery.Order) {
		t.Helper()
		must(t, s.Feed().Read(ctx, func(tx feed.Reader) error { return compareFeed(ctx, t, tx, when, want) }))
	}
	check("empty")
	first, second := newOrder(t, "A-1", testkit.Epoch), newOrder(t, "A-02", testkit.Epoch.Add(time.Second))
	must(t, save(ctx, s, creation(first, 1)))
	must(t, save(ctx, s, creation(second, 2)))
	check("created", first, second)
	must(t, save(ctx, s, advance(first, delivery.StatusAccepted)))
	check("moved", first, second)
	must(t, save(ctx, s, advance(second, delivery.StatusCancelled)))
	check("ended", first)
	must(t, s.Feed().Read(ctx, func(tx feed.Reader) error {
		rows, err := tx.Rows(ctx, []string{second.OrderID, "none", first.OrderID})
		if err == nil && (len(rows) != 1 || *rows[0] != withoutSearch(board.Of(first))) {
			t.Errorf("rows of an order under way, one that has ended and none: got %+v, want the first only", rows)
		}
		return err
	}))
}

// compareFeed compares what the feed reads with the orders under way, which are
// sorted by id.
func compareFeed(ctx context.Context, t *testing.T, tx feed.Reader, when string, want []*delivery.Order) error {
	t.Helper()
	rows, versions, ids := make([]board.Row, 0, len(want)), map[string]int64{}, make([]string, 0, len(want))
	for _, o := range want {
		rows, ids = append(rows, withoutSearch(board.Of(o))), append(ids, o.OrderID)
		versions[o.OrderID] = o.Version
	}
	all, err := tx.AllRows(ctx)
	if err != nil {
		return err
	}
	some, err := tx.Rows(ctx, ids)
	if err != nil {
		return err
	}
	for _, found := range [][]*board.Row{all, some} {
		if got := sortedRows(found); !slices.Equal(got, rows) {
			t.Errorf("%s: got\n%swant\n%s", when, printed(got), printed(rows))
		}
	}
	seen := map[string]int64{}
	if err := tx.EachVersion(ctx, func(id string, version int64) { seen[id] = version }); err != nil {
		return err
	}
	if !maps.Equal(seen, versions) {
		t.Errorf("%s: got versions %v, want %v", when, seen, versions)
	}
	const most = repeatable.Hang // between the clocks of one machine, and for the transaction
	if clock, err := tx.Clock(ctx); err != nil || !clock.IsZero() && time.Since(clock).Abs() > most {
		t.Errorf("%s: got the time %v, %v, want the zero time or %v", when, clock, err, time.Now())
	}
	return nil
}

func sortedRows(found []*board.Row) (rows []board.Row) {
	rows = make([]board.Row, 0, len(found))
	for _, row := range found {
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b board.Row) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return rows
}
