package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// AttentionReason is why an order needs a dispatcher's attention.
type AttentionReason string

// The reasons why orders need attention.
const (
	AttentionLate         AttentionReason = "late"          // it was due: the dropoff's window has ended, or the estimated delivery has passed
	AttentionFailedTwice  AttentionReason = "failed_twice"  // two attempts or more have failed
	AttentionWindowMissed AttentionReason = "window_missed" // a window has passed in which a courier was expected
	AttentionNoCourier    AttentionReason = "no_courier"    // the pickup's window has begun without a courier
	AttentionCourierGone  AttentionReason = "courier_gone"  // the courier is no longer active
	// the partner's request to cancel the order awaits an answer
	AttentionCancellationRequested AttentionReason = "cancellation_requested"
	// the order was edited after its pickup, of which the service learned later
	AttentionEditedAfterPickup AttentionReason = "edited_after_pickup"
	// the warehouse found fewer units of a product than the order takes
	AttentionShortPick AttentionReason = "short_pick"
	AttentionAny       AttentionReason = "any" // any of them; in [BoardQuery] only
)

// BoardQuery chooses orders. Zero fields do not restrict.
type BoardQuery struct {
	Statuses  []OrderStatus `query:"status"` // a final status only alone, and with PartnerID
	PartnerID string        `query:"partner_id"`
	CourierID string        `query:"courier_id"` // [NoCourier] for orders without one
	// the beginning of the dropoff's postal code, up to three characters
	Zone             string       `query:"zone"`
	ServiceLevel     ServiceLevel `query:"service_level"`
	OlderThanMinutes int          `query:"older_than"`   // only orders created more than this many minutes ago
	CreatedFrom      time.Time    `query:"created_from"` // only orders created at this time or later
	CreatedTo        time.Time    `query:"created_to"`   // only orders created before this time
	// only orders whose dropoff window ends within this many minutes
	AtRiskMinutes int               `query:"at_risk"`
	Attention     []AttentionReason `query:"attention"` // only orders that need attention for one of these reasons
	// Search is text in the order_id, partner_order_id, reference, a parcel_id, a
	// barcode, or the recipient's name or city, in either case. The short number on a
	// label is a part of the order_id.
	Search string    `query:"q"`
	Sort   BoardSort `query:"sort"`   // [SortOldest] if it is empty
	Limit  int       `query:"limit"`  // the most orders of a page, 1 to 200; 50 if it is 0
	Cursor string    `query:"cursor"` // the NextCursor of the previous page
}

// NoCourier is the CourierID of a [BoardQuery] for orders without a courier.
const NoCourier = "none"

// BoardSort is a sequence of orders.
type BoardSort string

// The sequences of orders.
const (
	SortOldest BoardSort = "oldest" // by creation, oldest first
	SortWindow BoardSort = "window" // by the end of the dropoff's window, earliest first
)

// BoardRow is what the dispatch board shows of an order, except for what changes by the
// clock alone.
type BoardRow struct {
	OrderID        string        `json:"order_id"`
	PartnerID      string        `json:"partner_id"`
	PartnerName    string        `json:"partner_name"`
	PartnerOrderID string        `json:"partner_order_id"`
	Status         OrderStatus   `json:"status"`
	Version        int64         `json:"version"` // for StatusChange.Version; grows by one with every change
	ServiceLevel   ServiceLevel  `json:"service_level"`
	Courier        *BoardCourier `json:"courier"` // nil until a courier is assigned
	Zone           string        `json:"zone"`    // the first half of the dropoff's postal code
	City           string        `json:"city"`    // of the dropoff
	// Recipient and Street are those of the dropoff; empty in rows that 0.1.0 wrote until the order changes.
	Recipient         string     `json:"recipient"`
	Street            string     `json:"street"`
	CODCents          int64      `json:"cod_cents,omitempty"` // to be collected in cash
	Fragile           bool       `json:"fragile,omitempty"`   // a parcel is
	PickupWindow      TimeWindow `json:"pickup_window"`
	DropoffWindow     TimeWindow `json:"dropoff_window"`
	EstimatedDelivery time.Time  `json:"estimated_delivery"`
	Failures          int        `json:"failures"` // how many attempts have failed
	CreatedAt         time.Time  `json:"created_at"`
	UpdatedAt         time.Time  `json:"updated_at"`
	// the reasons for attention that no time and no courier brings about
	Flags []AttentionReason `json:"flags,omitempty"`
}

// Due returns when the order is due: at the end of the dropoff's window, or at the estimated delivery if
// that is earlier.
func (r *BoardRow) Due() time.Time {
	if r.DropoffWindow.End.Before(r.EstimatedDelivery) {
		return r.DropoffWindow.End
	}
	return r.EstimatedDelivery
}

// BoardOrder is an order on the dispatch board.
type BoardOrder struct {
	BoardRow
	Attention  []AttentionReason `json:"attention"` // why the order needs attention; empty if it does not
	AgeMinutes int64             `json:"age_minutes"`
}

// BoardCourier is the courier of an order on the board.
type BoardCourier struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
	Active    bool   `json:"active"`
}

// BoardPage is a page of the dispatch board.
type BoardPage struct {
	Orders     []BoardOrder `json:"orders"`
	NextCursor string       `json:"next_cursor,omitempty"` // empty on the last page
}

// ListBoard returns a page of the open orders of all partners, or of one partner's orders
// that have ended.
func (o *Operator) ListBoard(ctx context.Context, q BoardQuery, options ...CallOption) (*BoardPage, error) {
	return fetch[BoardPage](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/orders", query: queryOf(q)}, options)
}

// Board iterates over the orders of ListBoard. An error is the last value.
func (o *Operator) Board(ctx context.Context, q BoardQuery, options ...CallOption) iter.Seq2[BoardOrder, error] {
	return pages(q, func(q *BoardQuery) ([]BoardOrder, bool, error) {
		page, err := o.ListBoard(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Orders, q.Cursor != "", nil
	})
}

// Attention counts open orders.
type Attention struct {
	Open      int64                     `json:"open"`
	Statuses  map[OrderStatus]int64     `json:"statuses"`
	Attention int64                     `json:"attention"` // how many need attention for any reason
	Reasons   map[AttentionReason]int64 `json:"reasons"`   // an order may have several
}

// GetAttention counts the open orders, and those that need attention.
func (o *Operator) GetAttention(ctx context.Context, options ...CallOption) (*Attention, error) {
	return fetch[Attention](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/attention"}, options)
}

// OrderRecord is all that operators see of an order.
type OrderRecord struct {
	BoardOrder
	CreatedBy  *NamedOperator `json:"created_by,omitempty"` // the operator; nil for an order by the partner
	Allocation []Allocation   `json:"allocation"`           // from where the items were taken
	Notes      []Note         `json:"notes"`                // at most 100, newest first
	Proofs     []Proof        `json:"proofs"`               // oldest first
	Scans      []OrderScan    `json:"scans"`                // at most 100, newest first
	Custody    []Held         `json:"custody"`              // who had the parcels, oldest first
	Moves      []OrderMove    `json:"moves"`                // by operators, at most 20, newest first
	// Operators are the e-mail addresses of the operators in Notes, Proofs, Scans and Moves,
	// by their ids. What acts by itself, such as the command line, has none.
	Operators map[string]string `json:"operators"`
	Couriers  map[string]string `json:"couriers"` // the names of the couriers in Moves, by their ids
	// FailedAttempt is why the latest attempt failed; nil unless the status is failed and its event is still kept.
	FailedAttempt *FailedAttempt `json:"failed_attempt,omitempty"`
	Order         Order          `json:"order"` // as the partner sees it
}

// OrderMove is a move of an order by an operator.
type OrderMove struct {
	Version    int64     `json:"version"` // of the order after it
	At         time.Time `json:"at"`
	OperatorID string    `json:"operator_id"`
	CourierID  string    `json:"courier_id"` // who had the order after it; empty for no courier
}

// Allocation is the items that were taken from a location.
type Allocation struct {
	ProductID int64  `json:"product_id"`
	Location  string `json:"location"`
	Quantity  int64  `json:"quantity"`
}

// GetOrderRecord returns an order. For a courier, another courier's order is
// [CodeNotFound].
func (o *Operator) GetOrderRecord(ctx context.Context, orderID string, options ...CallOption) (*OrderRecord, error) {
	return fetch[OrderRecord](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/orders/{id}", id: orderID}, options)
}

// NoteRequest is a new note.
type NoteRequest struct {
	Text string `json:"text"` // 1 to 2000 characters
}

// Note is a note on an order, which partners and recipients never see.
type Note struct {
	NoteID     string    `json:"note_id"`
	At         time.Time `json:"at"`
	OperatorID string    `json:"operator_id"`
	Text       string    `json:"text"`
}

// AddOrderNote adds a note to an order.
func (o *Operator) AddOrderNote(
	ctx context.Context, orderID string, note NoteRequest, options ...CallOption,
) (*Note, error) {
	return fetch[Note](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/orders/{id}/notes", id: orderID, body: note, keyed: true}, options)
}
