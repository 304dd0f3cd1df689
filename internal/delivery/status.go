package delivery

import "slices"

// Status is how far an order has come (docs/contract.md, Statuses).
type Status string

// The nine statuses.
const (
	StatusPending         Status = "pending"          // received, awaiting processing
	StatusAccepted        Status = "accepted"         // accepted by the service
	StatusCourierAssigned Status = "courier_assigned" // a courier will come
	StatusPickedUp        Status = "picked_up"        // picked up at origin
	StatusInTransit       Status = "in_transit"       // in transit
	StatusOutForDelivery  Status = "out_for_delivery" // out for final delivery
	StatusDelivered       Status = "delivered"        // delivered; final
	StatusFailed          Status = "failed"           // a delivery attempt failed
	StatusCancelled       Status = "cancelled"        // cancelled; final
)

// Statuses lists all statuses in the order of an undisturbed delivery.
var Statuses = []Status{
	StatusPending, StatusAccepted, StatusCourierAssigned, StatusPickedUp, StatusInTransit,
	StatusOutForDelivery, StatusDelivered, StatusFailed, StatusCancelled,
}

// Known reports whether s is one of the nine statuses.
func (s Status) Known() bool { return slices.Contains(Statuses, s) }

// Actor is the side that moves an order. Events of type order.cancelled hold its
// text in cancelled_by.
type Actor string

// The two sides that move orders.
const (
	ActorPartner Actor = "partner"
	ActorService Actor = "service"
)

// Transition is one permitted move of an order.
type Transition struct {
	From, To Status
	// PartnerMay is set if the partner may cause the move, by cancelling. The
	// service may cause every move.
	PartnerMay bool
}

// Transitions lists every permitted move. A move that it does not list is
// refused.
var Transitions = []Transition{
	{From: StatusPending, To: StatusAccepted},
	{From: StatusPending, To: StatusCancelled, PartnerMay: true},

	{From: StatusAccepted, To: StatusCourierAssigned},
	{From: StatusAccepted, To: StatusCancelled, PartnerMay: true},

	{From: StatusCourierAssigned, To: StatusPickedUp},
	{From: StatusCourierAssigned, To: StatusAccepted},        // unassigned
	{From: StatusCourierAssigned, To: StatusCourierAssigned}, // another courier
	{From: StatusCourierAssigned, To: StatusCancelled},
	{From: StatusCourierAssigned, To: StatusFailed},

	{From: StatusPickedUp, To: StatusInTransit},
	{From: StatusPickedUp, To: StatusOutForDelivery},
	{From: StatusPickedUp, To: StatusFailed},

	{From: StatusInTransit, To: StatusOutForDelivery},
	{From: StatusInTransit, To: StatusFailed},

	{From: StatusOutForDelivery, To: StatusDelivered},
	{From: StatusOutForDelivery, To: StatusFailed},

	{From: StatusFailed, To: StatusInTransit},      // next attempt
	{From: StatusFailed, To: StatusOutForDelivery}, // next attempt
	{From: StatusFailed, To: StatusCancelled},      // given up, returned
}

// MayMove reports whether the actor may move an order from one status to another.
func MayMove(from, to Status, by Actor) bool {
	return slices.ContainsFunc(Transitions, func(t Transition) bool {
		return t.From == from && t.To == to && (by == ActorService || t.PartnerMay)
	})
}

// RequestableStatuses lists the statuses in which a partner may request that the service
// cancels an order: those from which the partner can no longer cancel it.
var RequestableStatuses = []Status{
	StatusCourierAssigned, StatusPickedUp, StatusInTransit, StatusOutForDelivery, StatusFailed,
}

// MayGrant reports whether the service may cancel an order because its partner has requested
// it. That is so until the order has ended, also where MayMove allows no cancellation.
func MayGrant(from Status) bool { return len(NextStatuses(from)) > 0 }

// CourierStatuses lists the statuses that couriers may move their orders to. Only
// dispatchers set the others.
var CourierStatuses = []Status{StatusPickedUp, StatusInTransit, StatusOutForDelivery, StatusDelivered, StatusFailed}

// NextStatuses returns the statuses that the service may move an order to from
// the given one. It is empty, not nil, for a final status.
func NextStatuses(from Status) []Status {
	next := []Status{}
	for _, t := range Transitions {
		if t.From == from {
			next = append(next, t.To)
		}
	}
	return next
}
