package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

func writeDispatch(t *testing.T, s *store.Store, fn func(dispatch.Writer) error) {
	t.Helper()
	must(t, s.Dispatch().Write(t.Context(), fn))
}

func readDispatch(t *testing.T, s *store.Store, fn func(dispatch.Reader) error) {
	t.Helper()
	must(t, s.Dispatch().Read(t.Context(), fn))
}

// showRows adds or overwrites rows of the board.
func showRows(t *testing.T, s *store.Store, rows ...*board.Row) {
	t.Helper()
	must(t, s.Orders().Write(t.Context(), func(tx order.Writer) error {
		return tx.Save(t.Context(), &order.Changes{Shown: rows})
	}))
}

// hideRows removes rows of the board, if they are there.
func hideRows(t *testing.T, s *store.Store, partnerID string, orderIDs ...string) {
	t.Helper()
	ended := make([]order.OrderKey, len(orderIDs))
	for i, id := range orderIDs {
		ended[i] = order.OrderKey{PartnerID: partnerID, OrderID: id}
	}
	must(t, s.Orders().Write(t.Context(), func(tx order.Writer) error {
		return tx.Save(t.Context(), &order.Changes{Ended: ended})
	}))
}

// boardRow returns a row in which no two fields are the same.
func boardRow(n int) *board.Row {
	text := func(what string) string { return fmt.Sprintf("%s of %d", what, n) }
	return &board.Row{
		PartnerID: text("partner"), OrderID: text("order"), PartnerOrderID: text("partner's order"),
		Status: delivery.StatusFailed, Version: int64(100 + n), Failures: int64(200 + n), Flags: board.Flags(300 + n),
		CreatedAt: at(n), UpdatedAt: at(100 + n), EstimatedDelivery: at(200 + n),
		Pickup:       delivery.Window{Start: at(300 + n), End: at(400 + n)},
		Dropoff:      delivery.Window{Start: at(500 + n), End: at(600 + n)},
		ServiceLevel: delivery.SameDay, Zone: text("zone"), City: text("city"), CourierID: text("courier"),
		Recipient: text("recipient"), Street: text("street"), COD: int64(700 + n),
		Search: text("search"),
	}
}

// withoutSearch returns a row as lists have it: without its search text.
func withoutSearch(row *board.Row) board.Row {
	shown := *row
	shown.Search = ""
	return shown
}

func listBoard(t *testing.T, tx dispatch.Reader, f dispatch.Filter) (rows []board.Row) {
	t.Helper()
	if f.Sort == "" {
		f.Sort = dispatch.SortOldest
	}
	if f.Limit == 0 {
		f.Limit = 1000
	}
	found, err := tx.Board(t.Context(), f, testkit.Epoch)
	must(t, err)
	for _, row := range found {
		rows = append(rows, *row)
	}
	return rows
}

// shown returns all rows of the board, oldest first.
func shown(t *testing.T, s *store.Store) (rows []board.Row) {
	t.Helper()
	readDispatch(t, s, func(tx dispatch.Reader) error {
		rows = listBoard(t, tx, dispatch.Filter{})
		return nil
	})
	return rows
}

// printed returns rows for messages of failed tests, one a line.
func printed(rows []board.Row) string {
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "  %+v\n", row)
	}
	return text.String()
}

// testBoardRows writes, overwrites, finds and hides rows.
func testBoardRows(t *testing.T, s *store.Store) {
	one, two, three := boardRow(1), boardRow(2), boardRow(3)
	check := func(when string, f dispatch.Filter, want ...*board.Row) {
		t.Helper()
		readDispatch(t, s, func(tx dispatch.Reader) error {
			shown := make([]board.Row, len(want))
			for i, row := range want {
				shown[i] = withoutSearch(row)
			}
			if got := listBoard(t, tx, f); !slices.Equal(got, shown) {
				t.Errorf("%s: got\n%swant\n%s", when, printed(got), printed(shown))
			}
			return nil
		})
	}
	showRows(t, s, one, two, three)
	check("added", dispatch.Filter{}, one, two, three)
	check("search", dispatch.Filter{Search: "CH OF 2"}, two)

	changed := *boardRow(7)
	changed.PartnerID, changed.OrderID = two.PartnerID, two.OrderID
	showRows(t, s, &changed)
	check("overwritten", dispatch.Filter{}, one, three, &changed)
	check("search for what was overwritten", dispatch.Filter{Search: "ch of 2"})
	check("search for what is new", dispatch.Filter{Search: "ch of 7"}, &changed)

	hideRows(t, s, one.PartnerID, one.OrderID, "none", three.OrderID) // the last is another partner's
	check("hidden", dispatch.Filter{}, three, &changed)
}

// onBoard fails the test unless the board shows these orders as they are.
func onBoard(t *testing.T, s *store.Store, when string, orders ...*delivery.Order) {
	t.Helper()
	want := make([]board.Row, len(orders))
	for i, o := range orders {
		want[i] = withoutSearch(board.Of(o))
	}
	if got := shown(t, s); !slices.Equal(got, want) {
		t.Errorf("%s: the board shows\n%swant\n%s", when, printed(got), printed(want))
	}
}

// testBoardFollowsOrders checks that saving orders adds, changes and removes
// their rows.
func testBoardFollowsOrders(t *testing.T, s *store.Store) {
	ctx := t.Context()
	first, second := newOrder(t, "A-1", testkit.Epoch), newOrder(t, "A-02", testkit.Epoch.Add(time.Second))
	must(t, save(ctx, s, creation(first, 1)))
	must(t, save(ctx, s, creation(second, 2)))
	onBoard(t, s, "created", first, second)
	first.Courier = &delivery.Courier{CourierID: "cou_1", Name: "C", Phone: "+15145550177", Vehicle: "van"}
	for _, to := range []delivery.Status{
		delivery.StatusCourierAssigned, delivery.StatusFailed, delivery.StatusOutForDelivery, delivery.StatusFailed,
	} {
		must(t, save(ctx, s, advance(first, to)))
	}
	onBoard(t, s, "moved", first, second)
	stale := advance(second, delivery.StatusAccepted)
	stale.Changed[keyOf(second)].FromVersion = 7
	if err := save(ctx, s, stale); err == nil {
		t.Error("a change from a version that the order does not have was saved")
	}
	second.Status, second.Version, second.Events, second.UpdatedAt, second.History = delivery.StatusPending, 1, 0,
		second.CreatedAt, second.History[:1]
	onBoard(t, s, "raced", first, second)
	must(t, save(ctx, s, advance(second, delivery.StatusCancelled)))
	onBoard(t, s, "ended", first)
	// An order whose row is missing can be moved all the same.
	hide := func() {
		t.Helper()
		hideRows(t, s, partnerID, first.OrderID)
	}
	hide()
	onBoard(t, s, "hidden")
	must(t, save(ctx, s, advance(first, delivery.StatusInTransit)))
	onBoard(t, s, "moved again", first)
	hide()
	must(t, save(ctx, s, advance(first, delivery.StatusCancelled)))
	onBoard(t, s, "all ended")
}

// DisagreeingBoard damages the board in every way, and expects each damage to be found.
func DisagreeingBoard(t *testing.T, s *store.Store) {
	ctx := t.Context()
	register(t, s)
	const count = 5
	orders, all := make([]*delivery.Order, 0, count), make([]string, 0, count)
	for i := range count {
		o := newOrder(t, fmt.Sprint("A-", i), at(i))
		must(t, save(ctx, s, creation(o, byte(i))))
		orders, all = append(orders, o), append(all, o.OrderID)
	}
	must(t, save(ctx, s, advance(orders[1], delivery.StatusAccepted)))
	must(t, save(ctx, s, advance(orders[2], delivery.StatusCancelled)))
	find := func(what string, want int) {
		t.Helper()
		var found []string
		must(t, s.Read(ctx, func(c db.Conn) error {
			found = nil
			for _, one := range store.Schema.Disagreeing {
				must(t, c.Query(ctx, one.Query, nil, func(r db.Row) error {
					var text string
					err := r.Scan(&text)
					found = append(found, text)
					return err
				}))
			}
			return nil
		}))
		if len(found) != want {
			t.Errorf("%s: found %q, want %d", what, found, want)
		}
	}
	find("not damaged", 0)
	hideRows(t, s, partnerID, all...)
	find("missing", len(orders)-1)
	for _, o := range slices.Concat(orders[:2], orders[3:]) {
		showRows(t, s, board.Of(o))
	}
	find("mended", 0)
	old, ended, unknown := board.Of(orders[1]), board.Of(orders[2]), board.Of(orders[3])
	old.Version, old.Status = 1, delivery.StatusPending
	ended.Version, ended.Status = 1, delivery.StatusPending
	unknown.OrderID = "ord_none"
	showRows(t, s, old, ended, unknown)
	find("an old row, one of an order that has ended, and one of no order", 3)
}
