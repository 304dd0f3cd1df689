package delivery

import "time"

// EventType names a webhook event (interface section 6).
type EventType string

// The events that a change of state causes.
const (
	EventOrderAccepted       EventType = "order.accepted"
	EventCourierAssigned     EventType = "courier.assigned"
	EventOrderPickedUp       EventType = "order.picked_up"
	EventOrderInTransit      EventType = "order.in_transit"
	EventOrderOutForDelivery EventType = "order.out_for_delivery"
	EventOrderDelivered      EventType = "order.delivered"
	EventOrderFailed         EventType = "order.failed"
	EventOrderCancelled      EventType = "order.cancelled"
)

// EventTypes lists all of them, in the order in which an order causes them.
var EventTypes = []EventType{
	EventOrderAccepted, EventCourierAssigned, EventOrderPickedUp, EventOrderInTransit,
	EventOrderOutForDelivery, EventOrderDelivered, EventOrderFailed, EventOrderCancelled,
}

var eventOf = map[Status]EventType{
	StatusAccepted:        EventOrderAccepted,
	StatusCourierAssigned: EventCourierAssigned,
	StatusPickedUp:        EventOrderPickedUp,
	StatusInTransit:       EventOrderInTransit,
	StatusOutForDelivery:  EventOrderOutForDelivery,
	StatusDelivered:       EventOrderDelivered,
	StatusFailed:          EventOrderFailed,
	StatusCancelled:       EventOrderCancelled,
}

// EventFor is the event that entering a state causes. Every state but pending
// has one.
func EventFor(entered Status) (EventType, bool) {
	event, ok := eventOf[entered]
	return event, ok
}

// Event is one row of the outbox: what a webhook must tell, written in the
// transaction of the change that it tells of.
type Event struct {
	EventID   string // a UUID
	PartnerID string
	OrderID   string
	Type      EventType
	Sequence  int64 // counts the events of one order from 1
	CreatedAt time.Time
	Facts     EventFacts
	// Queued is set once the event is stored and waits to be sent. Otherwise its
	// partner has no endpoint.
	Queued bool
}

// EventFacts holds what the data of an event is made from. Which of them an
// event shows depends on its type; the others are zero.
type EventFacts struct {
	PartnerOrderID string     `json:"partner_order_id"`
	Status         Status     `json:"status"`
	Courier        *Courier   `json:"courier,omitzero"`
	At             time.Time  `json:"at"`  // when the state was entered
	ETA            time.Time  `json:"eta"` // current estimate of the delivery
	FailureReason  string     `json:"failure_reason,omitzero"`
	NextAttempt    *time.Time `json:"next_attempt,omitzero"`
	CancelledBy    Actor      `json:"cancelled_by,omitzero"`
	Reason         string     `json:"reason,omitzero"`
	SignatureURL   string     `json:"signature_url,omitzero"` // of the recipient's proof of delivery
}
