package delivery

import (
	"slices"
	"strings"
	"time"
)

// Held says who had the goods of an order, and for how long.
type Held struct {
	Holder
	From  time.Time
	Until time.Time // zero if the holder still has the goods
}

// Custody returns the holders of an order's goods since its creation, oldest first. Each holder
// has them until the next one does, so there are neither gaps nor two holders. The order's history
// must be known.
func (o *Order) Custody() []Held {
	held := []Held{{Holder: o.origin(), From: o.CreatedAt}}
	hand := func(to Holder, at time.Time) {
		held[len(held)-1].Until = at
		held = append(held, Held{Holder: to, From: at})
	}
	if i := slices.IndexFunc(o.History, isPickedUp); i >= 0 {
		hand(o.collector(), o.History[i].At)
	}
	for _, transfer := range o.Course.Transfers {
		hand(transfer.To, transfer.At)
	}
	if o.Status == StatusDelivered {
		hand(o.end(), o.LastMove().At)
	}
	if back := o.Course.Return; back != nil && back.State == ReturnReceived {
		hand(back.holder(), back.ReceivedAt)
	}
	return held
}

// Holder returns who has the order's goods now.
func (o *Order) Holder() Holder {
	held := o.Custody()
	return held[len(held)-1].Holder
}

// InHands reports whether a courier or a hub has the order's goods.
func (o *Order) InHands() bool {
	switch o.Status {
	case StatusDelivered:
		return false
	case StatusCancelled:
		return o.Course.Return != nil && o.Course.Return.State == ReturnDue
	default:
		return o.WasPickedUp()
	}
}

// AtHub reports whether the goods were handed to a location, and no courier has got them since.
func (o *Order) AtHub() bool { return o.Courier == nil && len(o.Course.Transfers) > 0 }

// LastAct returns when the order was last moved, or its goods handed on: what happened before that
// cannot be recorded any more.
func (o *Order) LastAct() time.Time {
	at := o.LastMove().At
	if n := len(o.Course.Transfers); n > 0 && o.Course.Transfers[n-1].At.After(at) {
		return o.Course.Transfers[n-1].At
	}
	return at
}

// end returns who gets the goods of an order that is delivered.
func (o *Order) end() Holder {
	switch origin := o.Course.Origin; {
	case origin == nil:
		return Holder{Kind: HeldByRecipient}
	case origin.To == ReturnToWarehouse:
		return Holder{Kind: HeldByLocation, ID: origin.Location}
	default:
		return Holder{Kind: HeldBySender}
	}
}

// origin returns who has the goods until they are picked up.
func (o *Order) origin() Holder {
	if o.Course.Origin != nil {
		return Holder{Kind: HeldByRecipient}
	}
	var locations []string
	for _, take := range o.Allocation {
		if !slices.Contains(locations, take.Location) {
			locations = append(locations, take.Location)
		}
	}
	if len(locations) == 0 {
		return Holder{Kind: HeldBySender}
	}
	return Holder{Kind: HeldByLocation, ID: strings.Join(locations, ", ")}
}

// collector returns the courier who has picked the goods up.
func (o *Order) collector() Holder {
	if len(o.Course.Transfers) > 0 {
		return o.Course.Transfers[0].From
	}
	return o.Courier.Holder()
}

// Holder returns the courier as a holder of goods. The courier may be nil.
func (c *Courier) Holder() Holder {
	if c == nil {
		return Holder{Kind: HeldByCourier}
	}
	return Holder{Kind: HeldByCourier, ID: c.CourierID, Name: c.Name}
}

// holder returns who has received the goods.
func (r *Return) holder() Holder {
	if r.Location == "" {
		return Holder{Kind: HeldBySender}
	}
	return Holder{Kind: HeldByLocation, ID: r.Location}
}

// PicksUp reports whether an order that enters a status has been picked up.
func PicksUp(entered Status) bool {
	switch entered {
	case StatusPickedUp, StatusInTransit, StatusOutForDelivery:
		return true
	default:
		return false
	}
}

func isPickedUp(entry HistoryEntry) bool { return PicksUp(entry.Status) }

// Returned is how the goods of an order that was given up come back.
type Returned struct {
	PartnerID  string
	OrderID    string
	State      ReturnState
	Holder     Holder // who has them now
	DueAt      time.Time
	ReceivedAt time.Time // zero until then
}

// Returned returns how the goods of the order come back. It must have a Return.
func (o *Order) Returned() *Returned {
	return &Returned{
		PartnerID: o.PartnerID, OrderID: o.OrderID, State: o.Course.Return.State, Holder: o.Holder(),
		DueAt: o.LastMove().At, ReceivedAt: o.Course.Return.ReceivedAt,
	}
}

// WayBack is where the goods of an order that was given up after its pickup are brought.
type WayBack struct {
	To       ReturnTo
	Location string // of the warehouse, if it is known
	// Contact is the sender, or the end of a return order; nil for a warehouse of which only the
	// code is known.
	Contact *Contact
}

// WayBack returns where goods of the order that come back are brought: those that were in stock to a
// warehouse, which receives them, and others to their sender.
func (o *Order) WayBack() WayBack {
	way := WayBack{To: ReturnToSender, Contact: &o.Pickup}
	if len(o.Items) > 0 {
		way = WayBack{To: ReturnToWarehouse}
		if len(o.Allocation) > 0 {
			way.Location = o.Allocation[0].Location
		}
	}
	if origin := o.Course.Origin; origin != nil {
		way.Contact = &o.Dropoff
		if origin.To == ReturnToWarehouse {
			way.To, way.Location = ReturnToWarehouse, origin.Location
		}
	}
	return way
}
