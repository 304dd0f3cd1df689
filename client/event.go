package client

import (
	"encoding/json"
	"errors"
	"time"
)

// Event is the body of a webhook: something that has happened to an order.
type Event struct {
	ID        string    `json:"id"` // the same in every attempt, so that repetitions can be recognised
	Type      EventType `json:"type"`
	CreatedAt time.Time `json:"created_at"` // when the order changed
	Sequence  int64     `json:"sequence"`   // numbers the events of an order, from 1, without gaps; 0 for a test
	LiveMode  bool      `json:"livemode"`   // false for an order in test mode
	// Data is a pointer to the struct that belongs to the type, such as *OrderDelivered,
	// or *UnknownData for data that this version does not understand. Use a type switch.
	Data EventData `json:"data"`
	// Raw is the body as received, byte for byte.
	Raw json.RawMessage `json:"-"`
}

// EventData is the data of an event, in a struct for each type of event.
type EventData interface{ orderID() string }

// OrderAccepted is the data of [EventOrderAccepted].
type OrderAccepted struct {
	OrderID        string      `json:"order_id"`
	PartnerOrderID string      `json:"partner_order_id"`
	Status         OrderStatus `json:"status"` // [StatusAccepted]
}

// CourierAssigned is the data of [EventCourierAssigned].
type CourierAssigned struct {
	OrderID        string  `json:"order_id"`
	PartnerOrderID string  `json:"partner_order_id"`
	Courier        Courier `json:"courier"`
}

// OrderPickedUp is the data of [EventOrderPickedUp].
type OrderPickedUp struct {
	OrderID        string    `json:"order_id"`
	PartnerOrderID string    `json:"partner_order_id"`
	PickedUpAt     time.Time `json:"picked_up_at"`
}

// OrderInTransit is the data of [EventOrderInTransit].
type OrderInTransit struct {
	OrderID        string    `json:"order_id"`
	PartnerOrderID string    `json:"partner_order_id"`
	ETA            time.Time `json:"eta"` // the present estimate of the delivery
}

// OrderOutForDelivery is the data of [EventOrderOutForDelivery].
type OrderOutForDelivery struct {
	OrderID        string    `json:"order_id"`
	PartnerOrderID string    `json:"partner_order_id"`
	ETA            time.Time `json:"eta"` // the present estimate of the delivery
	Courier        Courier   `json:"courier"`
}

// OrderDelivered is the data of [EventOrderDelivered].
type OrderDelivered struct {
	OrderID        string    `json:"order_id"`
	PartnerOrderID string    `json:"partner_order_id"`
	DeliveredAt    time.Time `json:"delivered_at"`
	// SignatureURL is the address of the recipient's signature, or else of a photo; empty
	// if there is neither. See [Service.GetProof].
	SignatureURL string `json:"signature_url,omitempty"`
}

// OrderFailed is the data of [EventOrderFailed].
type OrderFailed struct {
	OrderID        string    `json:"order_id"`
	PartnerOrderID string    `json:"partner_order_id"`
	FailureReason  string    `json:"failure_reason"`        // empty if none was given
	NextAttempt    time.Time `json:"next_attempt,omitzero"` // zero if no further attempt is planned
}

// OrderCancelled is the data of [EventOrderCancelled].
type OrderCancelled struct {
	OrderID        string    `json:"order_id"`
	PartnerOrderID string    `json:"partner_order_id"`
	CancelledBy    Canceller `json:"cancelled_by"`
	Reason         string    `json:"reason"` // empty if none was given
}

// OrderUpdated is the data of [EventOrderUpdated].
type OrderUpdated struct {
	OrderID        string   `json:"order_id"`
	PartnerOrderID string   `json:"partner_order_id"`
	Version        int64    `json:"version"` // of the order after the edit
	Fields         []string `json:"fields"`  // what was changed: paths such as dropoff.phone
}

// CancellationDeclined is the data of [EventCancellationDeclined].
type CancellationDeclined struct {
	OrderID        string `json:"order_id"`
	PartnerOrderID string `json:"partner_order_id"`
	Answer         string `json:"answer"` // empty if none was given
}

// CourierChanged is the data of [EventCourierChanged].
type CourierChanged struct {
	OrderID        string   `json:"order_id"`
	PartnerOrderID string   `json:"partner_order_id"`
	Courier        *Courier `json:"courier"` // nil while the parcels are at a hub
}

// ReturnDue is the data of [EventReturnDue].
type ReturnDue struct {
	OrderID        string `json:"order_id"`
	PartnerOrderID string `json:"partner_order_id"`
}

// ReturnReceived is the data of [EventReturnReceived].
type ReturnReceived struct {
	OrderID        string       `json:"order_id"`
	PartnerOrderID string       `json:"partner_order_id"`
	Lines          []ReturnLine `json:"lines"` // empty for an order without items
}

// StatementClosed is the data of [EventStatementClosed].
type StatementClosed struct {
	StatementID string           `json:"statement_id"`
	Period      string           `json:"period"` // the month, such as "2026-11"
	Number      int64            `json:"number"`
	Balances    []ClosingBalance `json:"balances"` // by currency
}

// StockLow is the data of [EventStockLow].
type StockLow struct {
	ProductID int64  `json:"product_id"`
	SKU       string `json:"sku"` // empty if it has none
	Name      string `json:"name"`
	Quantity  int64  `json:"quantity"` // over all locations
	Threshold int64  `json:"threshold"`
}

// StockChanged is the data of [EventStockChanged].
type StockChanged struct {
	ProductID  int64        `json:"product_id"`
	SKU        string       `json:"sku"` // empty if it has none
	Name       string       `json:"name"`
	Location   string       `json:"location"`
	Quantity   int64        `json:"quantity"` // at the location, afterwards
	Change     int64        `json:"change"`
	Total      int64        `json:"total"` // over all locations, afterwards
	MovementID int64        `json:"movement_id"`
	Type       MovementType `json:"type"`
	OrderID    string       `json:"order_id"` // the order that caused the movement; empty if none did
}

// TestData is the data of [EventTest].
type TestData struct {
	Message string `json:"message"`
}

// UnknownData is the data of an event whose type this version of the package does not
// know, or does not know in this form.
type UnknownData struct{ Raw json.RawMessage }

func (d *OrderAccepted) orderID() string       { return d.OrderID }
func (d *CourierAssigned) orderID() string     { return d.OrderID }
func (d *OrderPickedUp) orderID() string       { return d.OrderID }
func (d *OrderInTransit) orderID() string      { return d.OrderID }
func (d *OrderOutForDelivery) orderID() string { return d.OrderID }
func (d *OrderDelivered) orderID() string      { return d.OrderID }
func (d *OrderFailed) orderID() string         { return d.OrderID }
func (d *OrderCancelled) orderID() string      { return d.OrderID }
func (d *OrderUpdated) orderID() string        { return d.OrderID }
func (d *CourierChanged) orderID() string      { return d.OrderID }
func (d *ReturnDue) orderID() string           { return d.OrderID }
func (d *ReturnReceived) orderID() string      { return d.OrderID }
func (d *StatementClosed) orderID() string     { return "" }
func (d *StockLow) orderID() string            { return "" }
func (d *StockChanged) orderID() string        { return "" }
func (d *TestData) orderID() string            { return "" }

func (d *CancellationDeclined) orderID() string { return d.OrderID }

func (d *UnknownData) orderID() string {
	var data struct {
		OrderID string `json:"order_id"`
	}
	_ = json.Unmarshal(d.Raw, &data) // data that is not an object has no order
	return data.OrderID
}

// UnmarshalJSON keeps the data as it is.
func (d *UnknownData) UnmarshalJSON(data []byte) error {
	d.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// MarshalJSON returns the data as it was.
func (d *UnknownData) MarshalJSON() ([]byte, error) { return d.Raw, nil }

// dataOf returns an empty struct for the data of an event.
func dataOf(kind EventType) EventData {
	switch kind {
	case EventOrderAccepted:
		return new(OrderAccepted)
	case EventCourierAssigned:
		return new(CourierAssigned)
	case EventOrderPickedUp:
		return new(OrderPickedUp)
	case EventOrderInTransit:
		return new(OrderInTransit)
	case EventOrderOutForDelivery:
		return new(OrderOutForDelivery)
	case EventOrderDelivered:
		return new(OrderDelivered)
	case EventOrderFailed:
		return new(OrderFailed)
	case EventOrderCancelled:
		return new(OrderCancelled)
	case EventOrderUpdated:
		return new(OrderUpdated)
	case EventCancellationDeclined:
		return new(CancellationDeclined)
	case EventCourierChanged:
		return new(CourierChanged)
	case EventReturnDue:
		return new(ReturnDue)
	case EventReturnReceived:
		return new(ReturnReceived)
	case EventStatementClosed:
		return new(StatementClosed)
	case EventStockLow:
		return new(StockLow)
	case EventStockChanged:
		return new(StockChanged)
	case EventTest:
		return new(TestData)
	default:
		return new(UnknownData)
	}
}

// OrderID returns the id of the event's order; empty if it has none.
func (e *Event) OrderID() string {
	if e.Data == nil {
		return ""
	}
	return e.Data.orderID()
}

// UnmarshalJSON parses the data into the struct that belongs to the type. Data that does
// not fit into it is kept as *UnknownData.
func (e *Event) UnmarshalJSON(body []byte) error {
	type plain Event
	envelope := struct {
		*plain
		Data json.RawMessage `json:"data"`
	}{plain: (*plain)(e)}
	if err := json.Unmarshal(body, &envelope); err != nil {
		return err
	}
	e.Raw = append(json.RawMessage(nil), body...)
	e.Data = dataOf(e.Type)
	if len(envelope.Data) == 0 {
		return nil
	}
	if json.Unmarshal(envelope.Data, e.Data) != nil {
		e.Data = &UnknownData{Raw: envelope.Data}
	}
	return nil
}

// errNotAnEvent means that a body lacks what every event has.
var errNotAnEvent = errors.New("the body is not an event: it has no id or no type")

// ParseEvent parses the body of a webhook, of a [FeedEvent] or of an [EventDetail]. It does
// not verify who has sent it.
func ParseEvent(body []byte) (*Event, error) {
	var event Event
	if err := json.Unmarshal(body, &event); err != nil {
		return nil, err
	}
	if event.ID == "" || event.Type == "" {
		return nil, errNotAnEvent
	}
	return &event, nil
}
