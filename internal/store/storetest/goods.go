package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// returned stores an order whose goods are due, since some minutes after testkit.Epoch.
func returned(t *testing.T, s *store.Store, key byte, since int) *delivery.Order {
	t.Helper()
	o := newOrder(t, fmt.Sprintf("A-%0*d", key, 1), testkit.Epoch.Add(time.Duration(since)*time.Minute-3*time.Minute))
	must(t, save(t.Context(), s, creation(o, key)))
	for _, status := range []delivery.Status{delivery.StatusPickedUp, delivery.StatusFailed} {
		must(t, save(t.Context(), s, advance(o, status)))
	}
	o.Course.Return = &delivery.Return{State: delivery.ReturnDue}
	o.Cancellation = &delivery.Cancellation{At: o.UpdatedAt.Add(time.Minute)}
	must(t, save(t.Context(), s, advance(o, delivery.StatusCancelled)))
	return o
}

// receivedBack stores that the goods of an order were received.
func receivedBack(t *testing.T, s *store.Store, o *delivery.Order, at time.Time) {
	t.Helper()
	from := o.Version
	o.Version++
	o.UpdatedAt = at
	o.Course.Return = &delivery.Return{State: delivery.ReturnReceived, Location: "MTL-1", ReceivedAt: at}
	must(t, save(t.Context(), s, &order.Changes{
		Changed: map[order.OrderKey]*order.Change{keyOf(o): {Order: o, FromVersion: from}},
	}))
}

// inState lists the orders whose goods are in a state, with pages of one order.
func inState(t *testing.T, s *store.Store, state delivery.ReturnState) (found []*delivery.Returned) {
	t.Helper()
	readDispatch(t, s, func(tx dispatch.Reader) error {
		for filter := (dispatch.ReturnFilter{State: state, Limit: 1}); ; {
			page, err := tx.Returns(t.Context(), filter)
			must(t, err)
			if len(page) == 0 || len(found) > 9 {
				return nil
			}
			found = append(found, page...)
			filter.After = dispatch.GoodsCursor{DueAt: page[0].DueAt, OrderID: page[0].OrderID}
		}
	})
	return found
}

// testReturns: goods that come back are listed by their state with who has them, those that are due
// longest first and those that were received with the latest first; a receipt moves them, and they go with
// their order.
func testReturns(t *testing.T, s *store.Store) {
	register(t, s)
	second, first, third := returned(t, s, 1, 20), returned(t, s, 2, 10), returned(t, s, 3, 30)
	must(t, save(t.Context(), s, creation(newOrder(t, "not due", testkit.Epoch), 4)))
	check := func(when string, state delivery.ReturnState, want ...*delivery.Order) {
		t.Helper()
		rows := make([]delivery.Returned, len(want))
		for i, o := range want {
			rows[i] = *o.Returned()
		}
		if got := values(inState(t, s, state)); !slices.Equal(got, rows) {
			t.Errorf("%s: got %s %+v, want %+v", when, state, got, rows)
		}
	}
	check("at first", delivery.ReturnDue, first, second, third)
	check("at first", delivery.ReturnReceived)
	receivedBack(t, s, second, testkit.Epoch.Add(time.Hour))
	receivedBack(t, s, first, testkit.Epoch.Add(2*time.Hour))
	check("after receipts", delivery.ReturnDue, third)
	check("after receipts", delivery.ReturnReceived, second, first)

	readDispatch(t, s, func(tx dispatch.Reader) error {
		orders, err := tx.OrdersBack(t.Context(), []*delivery.Returned{first.Returned(), third.Returned()})
		if err != nil || len(orders) != 2 || len(orders[first.OrderID].History) != len(first.History) {
			t.Errorf("got %d orders, %v, want two with their histories", len(orders), err)
		}
		return nil
	})
	writeRetention(t, s, func(tx retention.Writer) error {
		return tx.RemoveOrders(t.Context(), partnerID, []string{third.OrderID, first.OrderID})
	})
	check("after a removal", delivery.ReturnDue)
	check("after a removal", delivery.ReturnReceived, second)
}

// testScans: what was read from the labels of an order is listed newest first, overwritten by the
// erasure of its recipient, and removed with the order.
func testScans(t *testing.T, s *store.Store) {
	register(t, s)
	o, other := returned(t, s, 1, 10), returned(t, s, 2, 20)
	scan := func(n int, of *delivery.Order) *dispatch.Scanned {
		return &dispatch.Scanned{
			ScanID: fmt.Sprintf("scan %d", n), PartnerID: of.PartnerID, OrderID: of.OrderID,
			Code: fmt.Sprintf("code %d", n), OperatorID: fmt.Sprintf("operator %d", n), At: at(n), RecordedAt: at(n + 1),
		}
	}
	all := []*dispatch.Scanned{scan(3, o), scan(2, o), scan(1, o)} // as they are listed
	foreign := scan(4, other)
	writeDispatch(t, s, func(tx dispatch.Writer) error {
		for _, one := range append(slices.Clone(all), foreign) {
			must(t, tx.AddScan(t.Context(), one))
		}
		return nil
	})
	check := func(when string, of *delivery.Order, limit int, want ...*dispatch.Scanned) {
		t.Helper()
		readDispatch(t, s, func(tx dispatch.Reader) error {
			got, err := tx.Scans(t.Context(), partnerID, of.OrderID, limit)
			if err != nil || !slices.Equal(values(got), values(want)) {
				t.Errorf("%s: got %+v, %v, want %+v", when, values(got), err, values(want))
			}
			return nil
		})
	}
	check("all", o, 9, all...)
	check("the newest", o, 2, all[:2]...)
	writeRetention(t, s, func(tx retention.Writer) error {
		locked, err := tx.LockOrders(t.Context(), partnerID, []string{o.OrderID})
		must(t, err)
		return tx.SaveErased(t.Context(), []*retention.Stored{locked[o.OrderID]}, "erased")
	})
	for _, one := range all {
		one.Code = "erased"
	}
	check("erased", o, 9, all...)
	writeRetention(t, s, func(tx retention.Writer) error {
		return tx.RemoveOrders(t.Context(), partnerID, []string{o.OrderID})
	})
	check("removed", o, 9)
	check("of another order", other, 9, foreign)
}
