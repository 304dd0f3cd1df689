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
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// shown lists all rows of the board, oldest first.
func shown(t *testing.T, s *store.Store) (rows []*board.Row) {
	t.Helper()
	must(t, s.Dispatch().Read(t.Context(), func(tx dispatch.Reader) (err error) {
		rows, err = tx.Board(t.Context(), dispatch.Filter{Sort: dispatch.SortOldest, Limit: 1000}, testkit.Epoch)
		return err
	}))
	return rows
}

// onBoard fails the test unless the board shows these orders as they are.
func onBoard(t *testing.T, s *store.Store, when string, orders ...*delivery.Order) {
	t.Helper()
	want := make([]*board.Row, 0, len(orders))
	for _, o := range orders {
		row := board.Of(o)
		row.Search = "" // is not read
		want = append(want, row)
	}
	if got := shown(t, s); !slices.EqualFunc(got, want, func(a, b *board.Row) bool { return *a == *b }) {
		t.Errorf("%s: the board shows\n%s, want\n%s", when, printed(got), printed(want))
	}
}

func printed(rows []*board.Row) string {
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "%+v\n", *row)
	}
	return text.String()
}

// testBoard: rows come, change and go with their orders.
func testBoard(t *testing.T, s *store.Store) {
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
	if rows := shown(t, s); rows[0].Failures != 2 || rows[0].CourierID != "cou_1" || rows[0].Zone != "M5H" {
		t.Errorf("%+v", rows[0])
	}
	stale := advance(second, delivery.StatusAccepted)
	stale.Changed[keyOf(second)].FromVersion = 7
	if err := save(ctx, s, stale); err == nil {
		t.Error("a stale change was saved")
	}
	second.Status, second.Version, second.Events, second.UpdatedAt, second.History = delivery.StatusPending, 1, 0, second.CreatedAt, second.History[:1]
	onBoard(t, s, "raced", first, second)
	must(t, save(ctx, s, advance(second, delivery.StatusCancelled)))
	onBoard(t, s, "ended", first)
	// The row of an order may be missing; its moves do not mind.
	must(t, s.Dispatch().Write(ctx, func(tx dispatch.Writer) error {
		return tx.Hide(ctx, partnerID, []string{first.OrderID, "ord_none"})
	}))
	onBoard(t, s, "hidden")
	must(t, save(ctx, s, advance(first, delivery.StatusInTransit)))
	onBoard(t, s, "moved again", first)
	must(t, s.Dispatch().Write(ctx, func(tx dispatch.Writer) error { return tx.Hide(ctx, partnerID, []string{first.OrderID}) }))
	must(t, save(ctx, s, advance(first, delivery.StatusCancelled)))
	onBoard(t, s, "all ended")
}

// damaged is how many rows are: more than one transaction mends.
const damaged = 201

// testRepair damages the board in every way and has it mended.
func testRepair(t *testing.T, s *store.Store) {
	ctx := t.Context()
	must(t, s.Partners().Write(ctx, func(tx partner.Writer) error {
		_, err := tx.AddPartner(ctx, &partner.Account{Partner: partner.Partner{PartnerID: partnerID, Name: "p", Email: "a@b.ca", CreatedAt: testkit.Epoch}, EmailKey: "a@b.ca"})
		return err
	}))
	orders := make([]*delivery.Order, 0, damaged)
	for i := range damaged {
		o := newOrder(t, "A-"+time.Duration(i).String(), testkit.Epoch.Add(time.Duration(i)*time.Second))
		must(t, save(ctx, s, creation(o, byte(i))))
		orders = append(orders, o)
	}
	must(t, save(ctx, s, advance(orders[1], delivery.StatusAccepted)))
	must(t, save(ctx, s, advance(orders[2], delivery.StatusCancelled)))
	service := dispatch.NewService(dispatch.Config{Store: s.Dispatch(), Now: func() time.Time { return testkit.Epoch }, Log: slog.New(slog.DiscardHandler)})
	repair := func(want int) {
		t.Helper()
		if mended, err := service.Repair(ctx); err != nil || mended != want {
			t.Errorf("mended %d, %v; want %d", mended, err, want)
		}
		onBoard(t, s, "mended", slices.Concat(orders[:2], orders[3:])...)
	}
	repair(0)
	all := make([]string, 0, len(orders))
	for _, o := range orders {
		all = append(all, o.OrderID)
	}
	must(t, s.Dispatch().Write(ctx, func(tx dispatch.Writer) error { return tx.Hide(ctx, partnerID, all) }))
	repair(len(orders) - 1) // missing
	old, ended, nothing := board.Of(orders[1]), board.Of(orders[2]), board.Of(orders[3])
	old.Version, old.Status = 1, delivery.StatusPending
	ended.Version, ended.Status = 1, delivery.StatusPending
	nothing.OrderID = "ord_none"
	must(t, s.Dispatch().Write(ctx, func(tx dispatch.Writer) error { return tx.Show(ctx, []*board.Row{old, ended, nothing}) }))
	repair(3) // behind, ended, and of no order
	repair(0)
}
