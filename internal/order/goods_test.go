package order

import (
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/movement"
	"pgregory.net/rapid"
)

// checkReturn: goods come back if the order was given up after its pickup, or has brought them to a
// warehouse, and only then.
func checkReturn(t *rapid.T, o *delivery.Order, listed delivery.Returned) {
	back := o.Course.Return
	origin := o.Course.Origin
	atWarehouse := o.Status == delivery.StatusDelivered && origin != nil && origin.To == delivery.ReturnToWarehouse
	if want := o.Status == delivery.StatusCancelled && o.WasPickedUp() || atWarehouse; (back != nil) != want {
		t.Fatalf("%s is %s: got return %+v, want one: %t", o.OrderID, o.Status, back, want)
	}
	if back == nil {
		if listed != (delivery.Returned{}) {
			t.Fatalf("%s: got %+v among the returns, want nothing", o.OrderID, listed)
		}
		return
	}
	if listed.State != back.State || listed.Holder != o.Holder() || listed.DueAt != o.LastMove().At {
		t.Fatalf("%s: got %+v among the returns, want %+v with %+v", o.OrderID, listed, back, o.Holder())
	}
}

// checkCustody: goods have one holder at every time.
func checkCustody(t *rapid.T, o *delivery.Order) {
	held := o.Custody()
	if !held[0].From.Equal(o.CreatedAt) || !held[len(held)-1].Until.IsZero() {
		t.Fatalf("%s: got custody %+v, want it from %v until now", o.OrderID, held, o.CreatedAt)
	}
	for i, next := range held[1:] {
		if before := held[i]; !before.Until.Equal(next.From) || next.From.Before(before.From) {
			t.Fatalf("%s: got %+v after %+v, want no gap and one holder", o.OrderID, next, before)
		}
	}
	inHands := len(held) > 1 && o.Status != delivery.StatusDelivered
	if back := o.Course.Return; back != nil && back.State == delivery.ReturnReceived {
		inHands = false
	}
	if o.InHands() != inHands {
		t.Fatalf("%s is %s: got in hands %t, custody %+v", o.OrderID, o.Status, o.InHands(), held)
	}
	if holder := o.Holder(); o.InHands() && holder.Kind == delivery.HeldByCourier && !o.CarriedBy(holder.ID) {
		t.Fatalf("%s: got courier %+v, want the holder %+v", o.OrderID, o.Courier, holder)
	}
}

// whereabouts says where the units of a product are.
type whereabouts struct{ shelf, ordered, inHands, delivered, damaged, missing, sender int64 }

func (w whereabouts) sum() int64 {
	return w.shelf + w.ordered + w.inHands + w.delivered + w.damaged + w.missing + w.sender
}

// checkGoods: no unit of a product is lost or made. What was there at first is on the shelf, taken for
// orders that wait, with couriers and hubs, delivered, written off or missing; and what is sold is
// what lies on the shelf.
func checkGoods(t *rapid.T, initial, m *memory) {
	for key, product := range m.stock {
		where := whereabouts{}
		for _, level := range product.Levels {
			where.shelf += level.Quantity
		}
		for orderKey, o := range m.orders {
			if orderKey.PartnerID == key.PartnerID {
				where.add(o, key)
			}
		}
		if where.delivered < 0 {
			t.Fatalf("%v: got %+v, more than was delivered comes back", key, where)
		}
		if before := initial.stock[key].Quantity; where.sum() != before {
			t.Fatalf("%v: got %+v, which are %d units, want %d", key, where, where.sum(), before)
		}
		if product.Quantity > where.shelf {
			t.Fatalf("%v: %d can be sold, but %d lie on the shelf", key, product.Quantity, where.shelf)
		}
	}
}

// add adds the units of a product that an order has taken, or brings back.
func (w *whereabouts) add(o *delivery.Order, key movement.ProductKey) {
	if o.Course.Origin != nil {
		w.addBack(o, key)
		return
	}
	var taken int64
	for _, take := range o.Allocation {
		if take.ProductID == key.ProductID {
			taken += take.Quantity
		}
	}
	back := o.Course.Return
	switch {
	case o.Status == delivery.StatusDelivered:
		w.delivered += taken
	case o.InHands():
		w.inHands += taken
	case o.Status != delivery.StatusCancelled:
		w.ordered += taken
	case back != nil:
		w.receive(back, key)
	}
}

// addBack moves the units of a product that a return order brings back from where they were delivered.
func (w *whereabouts) addBack(o *delivery.Order, key movement.ProductKey) {
	var brought int64
	for _, item := range o.Items {
		if item.ProductID == key.ProductID {
			brought += item.Quantity
		}
	}
	back := o.Course.Return
	switch {
	case !o.WasPickedUp(): // the recipient still has them
		return
	case back != nil && back.State == delivery.ReturnReceived:
		w.receive(back, key)
	case o.Status == delivery.StatusDelivered && back == nil:
		w.sender += brought
	default:
		w.inHands += brought
	}
	w.delivered -= brought
}

func (w *whereabouts) receive(back *delivery.Return, key movement.ProductKey) {
	for _, line := range back.Lines {
		switch {
		case line.ProductID != key.ProductID, line.Disposition == delivery.Sellable: // that is on the shelf again
		case line.Disposition == delivery.Damaged:
			w.damaged += line.Quantity
		default:
			w.missing += line.Quantity
		}
	}
}

// TestCustodyOfAnOrder follows the goods of an order over a courier, a hub and another courier back to
// the warehouse.
func TestCustodyOfAnOrder(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return modelStart.Add(time.Duration(minutes) * time.Minute) }
	o := &delivery.Order{
		OrderID: "ord_1", PartnerID: "par_a", CreatedAt: at(0), Status: delivery.StatusFailed, Version: 4, MovedIn: 4,
		UpdatedAt: at(3), Allocation: []delivery.Take{{ProductID: 1, Location: "A", Quantity: 2}},
		OrderRequest: delivery.OrderRequest{Items: []delivery.Item{{ProductID: 1, Quantity: 2}}},
		Courier:      &delivery.Courier{CourierID: "cou_1", Name: "Alex"},
		History: []delivery.HistoryEntry{
			{Status: delivery.StatusPending, At: at(0)}, {Status: delivery.StatusAccepted, At: at(1)},
			{Status: delivery.StatusPickedUp, At: at(2)}, {Status: delivery.StatusFailed, At: at(3)},
		},
	}
	product := movement.Product{Product: delivery.Product{ProductID: 1, Quantity: 5}}
	product.Levels = []delivery.Level{{ProductID: 1, Location: "A", Quantity: 5}}
	state := &State{
		Orders: map[OrderKey]*delivery.Order{{"par_a", "ord_1"}: o},
		Stocks: map[string]*movement.Stock{"par_a": {PartnerID: "par_a", Products: map[int64]*movement.Product{1: &product}}},
	}
	encode := func(*delivery.Order) []byte { return nil }
	target := OrderKey{"par_a", "ord_1"}
	transfer := func(minutes int, courier *delivery.Courier, location, event string) command {
		return &transferCommand{target: target, encode: encode, handover: handover{
			courier: courier, location: location, at: at(60), occurredAt: at(minutes), eventID: event,
		}}
	}
	cancelled := &advanceCommand{target: target, version: 6, encode: encode, step: step{
		to: delivery.StatusCancelled, by: delivery.ActorService, at: at(60), eventID: "evt_3",
	}}
	late := transfer(4, nil, "HUB-2", "evt_4")
	lines := []delivery.ReturnLine{
		{
			ProductID: 1, Quantity: 1, Disposition: delivery.Sellable,
		}, {ProductID: 1, Quantity: 1, Disposition: delivery.Damaged},
	}
	receipt := &receiveCommand{target: target, location: "B", lines: lines, at: at(70), eventID: "evt_5", encode: encode}
	again := *receipt
	again.eventID = "evt_6"
	outcomes, changes := decideGroup(zones{}, state, []command{
		transfer(5, nil, "HUB-1", "evt_1"), transfer(9, &delivery.Courier{CourierID: "cou_2", Name: "Kim"}, "", "evt_2"),
		cancelled, late, receipt, &again,
	})
	for i, o := range outcomes {
		if refuse := i == 3 || i == 5; refuse != refusal.HasCode(o.err, refusal.CodeConflict) || !refuse && o.err != nil {
			t.Fatalf("command %d: got error %v, want a conflict: %t", i, o.err, refuse)
		}
	}
	want := []delivery.Held{
		{Holder: delivery.Holder{Kind: delivery.HeldByLocation, ID: "A"}, From: at(0), Until: at(2)},
		{Holder: delivery.Holder{Kind: delivery.HeldByCourier, ID: "cou_1", Name: "Alex"}, From: at(2), Until: at(5)},
		{Holder: delivery.Holder{Kind: delivery.HeldByLocation, ID: "HUB-1"}, From: at(5), Until: at(9)},
		{Holder: delivery.Holder{Kind: delivery.HeldByCourier, ID: "cou_2", Name: "Kim"}, From: at(9), Until: at(70)},
		{Holder: delivery.Holder{Kind: delivery.HeldByLocation, ID: "B"}, From: at(70)},
	}
	if got := state.Orders[target].Custody(); !slices.Equal(got, want) {
		t.Errorf("got custody %+v\nwant %+v", got, want)
	}
	var kinds []delivery.EventType
	for _, event := range changes.Events {
		kinds = append(kinds, event.Type)
	}
	if want := []delivery.EventType{
		delivery.EventCourierChanged, delivery.EventCourierChanged, delivery.EventOrderCancelled,
		delivery.EventReturnDue, delivery.EventReturnReceived,
	}; !slices.Equal(kinds, want) {
		t.Errorf("got events %v, want %v", kinds, want)
	}
	booked := changes.Stocks["par_a"].Booked
	if len(booked) != 3 || booked[0].Type != delivery.MovementIn || booked[2].Type != delivery.MovementAdjustment ||
		booked[2].OrderID != "ord_1" || product.Quantity != 6 {
		t.Errorf("got movements %+v and %d units, want two in, one damaged out, and 6", booked, product.Quantity)
	}
}
