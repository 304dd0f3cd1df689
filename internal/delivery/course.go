package delivery

import (
	"slices"
	"time"
)

// Course is what has happened to an order besides its moves. Most orders have none of it.
type Course struct {
	// CreatedBy is the operator who created the order for its partner; empty for an order by the partner.
	CreatedBy string `json:"created_by,omitempty"`
	// Edits lists the changes of the order's content, oldest first: the latest MaxEdits.
	Edits []Edit `json:"edits,omitempty"`
	// Request is the latest request to cancel the order after a courier was assigned; nil if
	// there was none.
	Request *CancellationRequest `json:"cancellation_request,omitempty"`
	// Transfers lists who has handed the goods on between their pickup and their delivery.
	Transfers []Transfer `json:"transfers,omitempty"`
	// Return says how goods come back that a courier has, or that a return order has brought to a
	// warehouse; nil for any other order.
	Return *Return `json:"return,omitempty"`
	// Origin says what a return order brings back; nil for any other order.
	Origin *Origin `json:"origin,omitempty"`
	// Returns lists the orders that bring goods of this one back, oldest first. Those that were
	// cancelled before their pickup are not among them.
	Returns []ReturnOrder `json:"returns,omitempty"`
	// Picking is what the warehouse has picked of the order; nil before the first pick.
	Picking *Picking `json:"picking,omitempty"`
	// Collected is what was collected at the door; nil if nothing was to be, and before the delivery.
	Collected *Collected `json:"collected,omitempty"`
}

// IsZero reports whether nothing has happened.
func (c *Course) IsZero() bool {
	return len(c.Edits) == 0 && c.Request == nil && len(c.Transfers) == 0 && c.Return == nil && c.Origin == nil &&
		len(c.Returns) == 0 && c.Picking == nil && c.Collected == nil &&
		c.CreatedBy == ""
}

// MaxEdits is how many edits of an order are listed.
const MaxEdits = 100

// Editor is the side that edits an order.
type Editor string

// The editors.
const (
	EditorPartner   Editor = "partner"
	EditorService   Editor = "service"
	EditorRecipient Editor = "recipient"
)

// Edit is one change of an order's content.
type Edit struct {
	Version    int64     `json:"version"` // that the order has had since
	At         time.Time `json:"at"`
	By         Editor    `json:"by"`
	OperatorID string    `json:"operator_id,omitempty"` // of an edit by the service
	Reason     string    `json:"reason,omitempty"`      // why the service edited; partners do not see it
	Fields     []string  `json:"fields"`                // paths such as dropoff.phone, sorted
	// Unseen is set while the courier who carries the order has not confirmed the edit.
	Unseen bool `json:"unseen,omitempty"`
	// Was lists what the courier saw before, as long as the edit is unseen: of fields that an
	// earlier unseen edit has changed, that one has it.
	Was []FormerValue `json:"was,omitempty"`
	// Seen says who confirmed the edit; nil if it needs no confirmation, or waits for it.
	Seen *Confirmation `json:"seen,omitempty"`
}

// RequestState says how a request to cancel stands.
type RequestState string

// The states of a request to cancel.
const (
	RequestOpen     RequestState = "requested"
	RequestGranted  RequestState = "granted"
	RequestDeclined RequestState = "declined"
)

// CancellationRequest is a partner's request to cancel an order that only the service may
// cancel.
type CancellationRequest struct {
	State  RequestState `json:"state"`
	Reason string       `json:"reason,omitempty"` // the partner's
	At     time.Time    `json:"at"`               // of the request
	Answer string       `json:"answer,omitempty"` // the service's
}

// RequestOpen reports whether a request to cancel the order awaits its answer. That of an
// order that has ended otherwise stays open, and is never answered.
func (c *Course) RequestOpen() bool { return c.Request != nil && c.Request.State == RequestOpen }

// HolderKind is who has goods.
type HolderKind string

// The holders of goods.
const (
	HeldByLocation  HolderKind = "location" // a warehouse or a hub
	HeldByCourier   HolderKind = "courier"
	HeldByRecipient HolderKind = "recipient"
	HeldBySender    HolderKind = "sender"
)

// Holder is who has the goods of an order.
type Holder struct {
	Kind HolderKind `json:"kind"`
	ID   string     `json:"id,omitempty"` // of a courier, or the code of a location
	Name string     `json:"name,omitempty"`
}

// Transfer hands goods on.
type Transfer struct {
	Version    int64     `json:"version"` // that the order has had since
	From       Holder    `json:"from"`
	To         Holder    `json:"to"`
	At         time.Time `json:"at"`          // when it happened
	RecordedAt time.Time `json:"recorded_at"` // when the service recorded it
	OperatorID string    `json:"operator_id,omitempty"`
}

// ReturnState says whether goods are back.
type ReturnState string

// The states of goods that come back.
const (
	ReturnDue      ReturnState = "due" // still with a courier or at a hub
	ReturnReceived ReturnState = "received"
)

// Return is what becomes of the goods of an order that was given up after its pickup.
type Return struct {
	State      ReturnState  `json:"state"`
	Lines      []ReturnLine `json:"lines,omitempty"` // what was received
	Location   string       `json:"location,omitempty"`
	ReceivedAt time.Time    `json:"received_at,omitzero"`
}

// Disposition is what is done with returned goods.
type Disposition string

// The dispositions of returned goods.
const (
	Sellable Disposition = "sellable"
	Damaged  Disposition = "damaged"
	Missing  Disposition = "missing"
)

// Dispositions lists them.
var Dispositions = []Disposition{Sellable, Damaged, Missing}

// ReturnLine is what was received of a product.
type ReturnLine struct {
	ProductID   int64       `json:"product_id"`
	Quantity    int64       `json:"quantity"`
	Disposition Disposition `json:"disposition"`
}

// WasPickedUp reports whether the goods of an order have left the place of its pickup. Its
// history must be known.
func (o *Order) WasPickedUp() bool { return slices.ContainsFunc(o.History, isPickedUp) }

// LastMove returns the latest entry of an order's history, which must be known.
func (o *Order) LastMove() HistoryEntry { return o.History[len(o.History)-1] }
