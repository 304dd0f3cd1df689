package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// taking stores an order that takes two units from stock, with a pickup window that begins some hours after
// testkit.Epoch.
func taking(t *testing.T, s *store.Store, key byte, hours int) *delivery.Order {
	t.Helper()
	o := newOrder(t, string('A'+rune(key)), testkit.Epoch.Add(time.Duration(key)*time.Minute))
	o.Pickup.Window = delivery.Window{Start: at(hours * 60), End: at(hours*60 + 60)}
	o.Allocation = []delivery.Take{{ProductID: 1, Location: "A-03", Quantity: 2}}
	must(t, save(t.Context(), s, creation(o, key)))
	return o
}

// pickedOf stores what was picked of an order.
func pickedOf(t *testing.T, s *store.Store, o *delivery.Order, units int64) {
	t.Helper()
	from := o.Version
	o.Version++
	o.Course.Picking = o.Course.Picking.With(delivery.PickedLine{
		ProductID: 1, Location: "A-03", Quantity: units, Short: units < 2, OperatorID: "opr_1", At: testkit.Epoch,
	})
	must(t, save(t.Context(), s, &order.Changes{
		Changed: map[order.OrderKey]*order.Change{keyOf(o): {Order: o, FromVersion: from}},
	}))
}

// testPicks: orders that take something from stock and await their pickup are listed by when their couriers
// come, in each state of picking, and counted while something is left.
func testPicks(t *testing.T, s *store.Store) {
	register(t, s)
	last, short, done, first := taking(t, s, 1, 9), taking(t, s, 2, 3), taking(t, s, 3, 2), taking(t, s, 4, 1)
	must(t, save(t.Context(), s, creation(newOrder(t, "takes nothing", testkit.Epoch), 5)))
	carried := taking(t, s, 6, 1)
	must(t, save(t.Context(), s, advance(carried, delivery.StatusPickedUp)))
	pickedOf(t, s, short, 1)
	pickedOf(t, s, done, 2)
	check := func(filter dispatch.PickFilter, want ...*delivery.Order) {
		t.Helper()
		var got []string
		ids := make([]string, 0, len(want))
		for _, o := range want {
			ids = append(ids, o.OrderID)
		}
		readDispatch(t, s, func(tx dispatch.Reader) error {
			for filter.Limit = 1; ; {
				rows, err := tx.ToPick(t.Context(), filter)
				must(t, err)
				if len(rows) == 0 || len(got) > 9 {
					return nil
				}
				got = append(got, rows[0].OrderID)
				filter.After = dispatch.GoodsCursor{DueAt: rows[0].Pickup.Start, OrderID: rows[0].OrderID}
			}
		})
		if !slices.Equal(got, ids) {
			t.Errorf("%q until %v: got %v, want %v", filter.State, filter.Until, got, ids)
		}
	}
	check(dispatch.PickFilter{}, first, short, last)
	check(dispatch.PickFilter{Until: at(4 * 60)}, first, short)
	check(dispatch.PickFilter{State: delivery.PickOpen}, first, last)
	check(dispatch.PickFilter{State: delivery.PickShort}, short)
	check(dispatch.PickFilter{State: delivery.PickDone}, done)
	readDispatch(t, s, func(tx dispatch.Reader) error {
		for until, want := range map[int]int64{60: 0, 61: 1, 4 * 60: 2, 10 * 60: 3} {
			if got, err := tx.CountToPick(t.Context(), at(until)); err != nil || got != want {
				t.Errorf("until %v: got %d, %v, want %d", at(until), got, err, want)
			}
		}
		found, err := tx.Shelves(t.Context(), []dispatch.ProductKey{{PartnerID: partnerID, ProductID: 99}})
		if err != nil || len(found[dispatch.ProductKey{PartnerID: partnerID, ProductID: 99}].Levels) != 0 {
			t.Errorf("got %+v, %v for a product that does not exist, want nothing", found, err)
		}
		return nil
	})
}
