package storetest

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
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

// boardRow returns a row in which no two fields are the same.
func boardRow(n int) *board.Row {
	text := func(what string) string { return fmt.Sprintf("%s of %d", what, n) }
	return &board.Row{
		PartnerID: text("partner"), OrderID: text("order"), PartnerOrderID: text("partner's order"),
		Status: delivery.StatusFailed, Version: int64(100 + n), Failures: int64(200 + n),
		CreatedAt: at(n), UpdatedAt: at(100 + n), EstimatedDelivery: at(200 + n),
		Pickup:       delivery.Window{Start: at(300 + n), End: at(400 + n)},
		Dropoff:      delivery.Window{Start: at(500 + n), End: at(600 + n)},
		ServiceLevel: delivery.SameDay, Zone: text("zone"), City: text("city"), CourierID: text("courier"), Search: text("search"),
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
	ctx := t.Context()
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
	writeDispatch(t, s, func(tx dispatch.Writer) error { return tx.Show(ctx, []*board.Row{one, two, three}) })
	check("added", dispatch.Filter{}, one, two, three)
	check("search", dispatch.Filter{Search: "CH OF 2"}, two)

	changed := *boardRow(7)
	changed.PartnerID, changed.OrderID = two.PartnerID, two.OrderID
	writeDispatch(t, s, func(tx dispatch.Writer) error { return tx.Show(ctx, []*board.Row{&changed}) })
	check("overwritten", dispatch.Filter{}, one, three, &changed)
	check("search for what was overwritten", dispatch.Filter{Search: "ch of 2"})
	check("search for what is new", dispatch.Filter{Search: "ch of 7"}, &changed)

	writeDispatch(t, s, func(tx dispatch.Writer) error {
		if err := tx.Hide(ctx, one.PartnerID, []string{one.OrderID, "none"}); err != nil {
			return err
		}
		return tx.Hide(ctx, one.PartnerID, []string{three.OrderID}) // another partner's
	})
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
	for _, to := range []delivery.Status{delivery.StatusCourierAssigned, delivery.StatusFailed, delivery.StatusOutForDelivery, delivery.StatusFailed} {
		must(t, save(ctx, s, advance(first, to)))
	}
	onBoard(t, s, "moved", first, second)
	stale := advance(second, delivery.StatusAccepted)
	stale.Changed[keyOf(second)].FromVersion = 7
	if err := save(ctx, s, stale); err == nil {
		t.Error("a change from a version that the order does not have was saved")
	}
	second.Status, second.Version, second.Events, second.UpdatedAt, second.History = delivery.StatusPending, 1, 0, second.CreatedAt, second.History[:1]
	onBoard(t, s, "raced", first, second)
	must(t, save(ctx, s, advance(second, delivery.StatusCancelled)))
	onBoard(t, s, "ended", first)
	// An order whose row is missing can be moved all the same.
	hide := func() {
		t.Helper()
		writeDispatch(t, s, func(tx dispatch.Writer) error { return tx.Hide(ctx, partnerID, []string{first.OrderID}) })
	}
	hide()
	onBoard(t, s, "hidden")
	must(t, save(ctx, s, advance(first, delivery.StatusInTransit)))
	onBoard(t, s, "moved again", first)
	hide()
	must(t, save(ctx, s, advance(first, delivery.StatusCancelled)))
	onBoard(t, s, "all ended")
}

// testBoardVersions compares the board with orders in every state.
func testBoardVersions(t *testing.T, s *store.Store) {
	ctx := t.Context()
	orders := map[delivery.Status]*delivery.Order{}
	rows := make([]*board.Row, 0, len(delivery.Statuses))
	shown := make([]dispatch.Versions, 0, len(delivery.Statuses)+1)
	for i, status := range delivery.Statuses {
		o := newOrder(t, fmt.Sprintf("A-%d", i), at(i))
		o.Status, o.Version = status, int64(10+i)
		must(t, save(ctx, s, creation(o, byte(i))))
		row := board.Of(o)
		row.Version = int64(20 + i)
		orders[status], rows = o, append(rows, row)
		versions := dispatch.Versions{OrderID: o.OrderID, Order: o.Version, OnBoard: row.Version}
		if status == delivery.StatusDelivered || status == delivery.StatusCancelled {
			versions.Order = 0
		}
		shown = append(shown, versions)
	}
	unknown := board.Row{PartnerID: partnerID, OrderID: "ord_zzz", Version: 30}
	stranger := board.Row{PartnerID: "par_00000002", OrderID: "ord_1", Version: 31}
	shown = append(shown, dispatch.Versions{OrderID: unknown.OrderID, OnBoard: unknown.Version})
	writeDispatch(t, s, func(tx dispatch.Writer) error { return tx.Show(ctx, append(rows, &unknown, &stranger)) })
	readDispatch(t, s, func(tx dispatch.Reader) error {
		got, err := tx.ShownVersions(ctx, partnerID, "", 100)
		if err != nil || !slices.Equal(got, shown) {
			t.Errorf("got rows %+v, %v\nwant %+v", got, err, shown)
		}
		if got, err = tx.ShownVersions(ctx, partnerID, shown[2].OrderID, 3); err != nil || !slices.Equal(got, shown[3:6]) {
			t.Errorf("got the second page of rows %+v, %v\nwant %+v", got, err, shown[3:6])
		}
		for i, status := range delivery.Statuses {
			want := []dispatch.Versions{{OrderID: orders[status].OrderID, Order: int64(10 + i), OnBoard: int64(20 + i)}}
			if got, err := tx.StoredVersions(ctx, partnerID, status, "", 100); err != nil || !slices.Equal(got, want) {
				t.Errorf("%s: got orders %+v, %v\nwant %+v", status, got, err, want)
			}
			if got, err := tx.StoredVersions(ctx, partnerID, status, want[0].OrderID, 100); err != nil || len(got) != 0 {
				t.Errorf("%s: got %+v, %v after the last order, want none", status, got, err)
			}
		}
		return nil
	})
}

// damaged is the number of damaged rows: more than one transaction mends.
const damaged = 201

// testBoardRepair damages the board in every way and has it mended.
func testBoardRepair(t *testing.T, s *store.Store) {
	ctx := t.Context()
	register(t, s)
	orders := make([]*delivery.Order, 0, damaged)
	for i := range damaged {
		o := newOrder(t, "A-"+time.Duration(i).String(), testkit.Epoch.Add(time.Duration(i)*time.Second))
		must(t, save(ctx, s, creation(o, byte(i))))
		orders = append(orders, o)
	}
	must(t, save(ctx, s, advance(orders[1], delivery.StatusAccepted)))
	must(t, save(ctx, s, advance(orders[2], delivery.StatusCancelled)))
	service := dispatch.NewService(dispatch.Config{Store: s.Dispatch(), Now: func() time.Time { return testkit.Epoch }, Log: slog.New(slog.DiscardHandler)})
	repair := func(what string, want int) {
		t.Helper()
		if mended, err := service.Repair(ctx); err != nil || mended != want {
			t.Errorf("%s: mended %d rows, %v; want %d", what, mended, err, want)
		}
		onBoard(t, s, what, slices.Concat(orders[:2], orders[3:])...)
	}
	repair("not damaged", 0)
	all := make([]string, 0, len(orders))
	for _, o := range orders {
		all = append(all, o.OrderID)
	}
	writeDispatch(t, s, func(tx dispatch.Writer) error { return tx.Hide(ctx, partnerID, all) })
	repair("missing", len(orders)-1)
	old, ended, unknown := board.Of(orders[1]), board.Of(orders[2]), board.Of(orders[3])
	old.Version, old.Status = 1, delivery.StatusPending
	ended.Version, ended.Status = 1, delivery.StatusPending
	unknown.OrderID = "ord_none"
	writeDispatch(t, s, func(tx dispatch.Writer) error { return tx.Show(ctx, []*board.Row{old, ended, unknown}) })
	repair("an old row, one of an order that has ended, and one of no order", 3)
	repair("mended", 0)
}
