package delivery

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EventType names a webhook event (docs/contract.md, Webhooks).
type EventType string

// The events of an order: those that a change of status causes, and the others.
const (
	EventOrderAccepted       EventType = "order.accepted"
	EventCourierAssigned     EventType = "courier.assigned"
	EventOrderPickedUp       EventType = "order.picked_up"
	EventOrderInTransit      EventType = "order.in_transit"
	EventOrderOutForDelivery EventType = "order.out_for_delivery"
	EventOrderDelivered      EventType = "order.delivered"
	EventOrderFailed         EventType = "order.failed"
	EventOrderCancelled      EventType = "order.cancelled"
	EventOrderUpdated        EventType = "order.updated" // its content was edited
	// EventCancellationDeclined reports that the service has declined a request to cancel.
	EventCancellationDeclined EventType = "order.cancellation_declined"
	EventCourierChanged       EventType = "courier.changed" // the goods have another courier, or lie at a hub
	EventReturnDue            EventType = "return.due"
	EventReturnReceived       EventType = "return.received"
)

// EventStatementClosed reports that a month was closed. It is about no order: its place among events is that of the
// first event of what has its id in Event.OrderID, the statement.
const EventStatementClosed EventType = "statement.closed"

// The events of a product: they are about no order, and count for each product together.
const (
	// EventStockLow reports that a product has become low: see Product.IsLow.
	EventStockLow EventType = "stock.low"
	// EventStockChanged reports a change of a product's quantity at a location. It is recorded only
	// while an endpoint of the account names it.
	EventStockChanged EventType = "stock.changed"
)

// MoveEvents lists the events that a change of status causes, in the order of an undisturbed delivery.
var MoveEvents = []EventType{
	EventOrderAccepted, EventCourierAssigned, EventOrderPickedUp, EventOrderInTransit,
	EventOrderOutForDelivery, EventOrderDelivered, EventOrderFailed, EventOrderCancelled,
}

// OrderEvents lists the events of orders: those of moves, and then the others.
var OrderEvents = append(slices.Clip(MoveEvents), EventOrderUpdated, EventCancellationDeclined, EventCourierChanged,
	EventReturnDue, EventReturnReceived)

// EventTypes lists all event types.
var EventTypes = append(slices.Clip(OrderEvents), EventStatementClosed, EventStockLow, EventStockChanged)

// OnlyWhenNamed reports whether events of a type are sent only to endpoints that name it. It
// is for types that come often, or that a receiver written before them would not expect.
func OnlyWhenNamed(kind EventType) bool { return slices.Contains(onlyWhenNamed, kind) }

// onlyWhenNamed holds the types for which OnlyWhenNamed is true.
var onlyWhenNamed = []EventType{EventStockLow, EventStockChanged}

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

// EventFor returns the type of the event that entering a status causes. It is
// false for pending, which causes none.
func EventFor(entered Status) (EventType, bool) {
	event, ok := eventOf[entered]
	return event, ok
}

// Event is one row of the outbox, written in the transaction of the change that
// it reports.
type Event struct {
	EventID   string // a UUID
	PartnerID string
	OrderID   string // or the id of the statement, or the StockID of the product, that it is about
	Type      EventType
	Sequence  int64     // counts the events of one order, or of one product, from 1
	CreatedAt time.Time // when what it reports happened
	// RecordedAt is when the change was recorded, from which on a new event is due; zero
	// if that is CreatedAt, and in events that were read.
	RecordedAt time.Time
	Facts      EventFacts
}

// EventFacts holds what the body of an event is made from. The type of the event
// decides which fields are set; the others are zero.
type EventFacts struct {
	PartnerOrderID string     `json:"partner_order_id"`
	Province       string     `json:"province,omitzero"` // of the dropoff, for the figures; no body has it
	Status         Status     `json:"status"`
	Courier        *Courier   `json:"courier,omitzero"`
	At             time.Time  `json:"at"`  // when the status was entered
	ETA            time.Time  `json:"eta"` // the estimated delivery at that time
	FailureReason  string     `json:"failure_reason,omitzero"`
	NextAttempt    *time.Time `json:"next_attempt,omitzero"`
	CancelledBy    Actor      `json:"cancelled_by,omitzero"`
	Reason         string     `json:"reason,omitzero"`
	Answer         string     `json:"answer,omitzero"`        // to a request to cancel
	SignatureURL   string     `json:"signature_url,omitzero"` // of the recipient's proof of delivery
	Version        int64      `json:"version,omitzero"`       // of an edited order
	Fields         FieldList  `json:"fields,omitzero"`        // that were edited
	Return         *Return    `json:"return,omitzero"`        // of goods that were received
	// Statement is set in events of statements only.
	Statement *StatementFacts `json:"statement,omitzero"`
	// Stock is set in events of products only.
	Stock *StockFacts `json:"stock,omitzero"`
}

// StatementFacts are those of a statement that was closed.
type StatementFacts struct {
	StatementID string    `json:"statement_id"`
	Period      string    `json:"period"` // the month, such as 2026-11
	Number      int64     `json:"number"`
	Balances    []Balance `json:"balances"`
}

// Balance is what a partner owes in a currency; below zero if it is owed something.
type Balance struct {
	Currency Currency `json:"currency"`
	Cents    int64    `json:"cents"`
}

// StockFacts are those of a product whose stock has changed; those of EventStockLow have no movement.
type StockFacts struct {
	ProductID  int64        `json:"product_id"`
	SKU        string       `json:"sku,omitzero"`
	Name       string       `json:"name"`
	Total      int64        `json:"total"`              // over all locations, afterwards
	Threshold  int64        `json:"threshold,omitzero"` // of EventStockLow: the stock is low at this total and below
	Location   string       `json:"location,omitzero"`
	Quantity   int64        `json:"quantity,omitzero"` // at the location, afterwards
	Change     int64        `json:"change,omitzero"`
	MovementID int64        `json:"movement_id,omitzero"`
	Type       MovementType `json:"type,omitzero"`     // of the movement
	OrderID    string       `json:"order_id,omitzero"` // the order that caused the movement; empty if none did
}

// stockPrefix begins the StockID of every product. Such ids are behind those of all orders, and so
// are the ids of statements: the store relies on that.
const stockPrefix = "stock_"

// StockID returns what the events of a product have in Event.OrderID.
func StockID(productID int64) string { return stockPrefix + strconv.FormatInt(productID, 10) }

// About returns the id of the order that the event is about; empty if it is about none.
func (e *Event) About() string {
	if slices.Contains(OrderEvents, e.Type) {
		return e.OrderID
	}
	return ""
}

// FieldList is a list of paths such as dropoff.phone, separated by commas; a list in JSON. So
// facts can be compared.
type FieldList string

// FieldListOf returns a list of fields.
func FieldListOf(fields []string) FieldList { return FieldList(strings.Join(fields, ",")) }

// Fields returns the fields; empty, not nil, if there are none.
func (l FieldList) Fields() []string {
	if l == "" {
		return []string{}
	}
	return strings.Split(string(l), ",")
}

// MarshalJSON returns the fields as a list.
func (l FieldList) MarshalJSON() ([]byte, error) { return json.Marshal(l.Fields()) }

// UnmarshalJSON reads a list of fields.
func (l *FieldList) UnmarshalJSON(data []byte) error {
	var fields []string
	err := json.Unmarshal(data, &fields)
	*l = FieldListOf(fields)
	return err
}
