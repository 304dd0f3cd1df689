package client

import (
	"context"
	"net/http"
	"time"
)

// HolderKind is who has parcels.
type HolderKind string

// The holders of parcels.
const (
	HeldByLocation  HolderKind = "location" // a warehouse or a hub
	HeldByCourier   HolderKind = "courier"
	HeldByRecipient HolderKind = "recipient"
	HeldBySender    HolderKind = "sender"
)

// ParcelHolder is who has parcels.
type ParcelHolder struct {
	Kind HolderKind `json:"kind"`
	ID   string     `json:"id,omitempty"`   // of a courier, or the code of a location
	Name string     `json:"name,omitempty"` // of a courier
}

// Held says who had the parcels of an order, and for how long.
type Held struct {
	Holder ParcelHolder `json:"holder"`
	From   time.Time    `json:"from"`
	Until  time.Time    `json:"until,omitzero"` // zero if the holder still has them
}

// TransferRequest hands parcels over: either to a courier or to a location.
type TransferRequest struct {
	CourierID string `json:"courier_id,omitempty"`
	Location  string `json:"location,omitempty"`
	// OccurredAt is when it happened, at most 48 hours ago; zero if that is now. The transfer is
	// refused with [CodeConflict] if the order was moved, or its parcels handed over, since that time.
	OccurredAt time.Time `json:"occurred_at,omitzero"`
	// Version is the version of the order that the operator saw. It is not compared if it is 0.
	Version int64 `json:"version,omitempty"`
}

// TransferOrder hands parcels that were picked up over to another courier or a location. The order
// keeps its status.
func (o *Operator) TransferOrder(
	ctx context.Context, orderID string, transfer TransferRequest, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/orders/{id}/transfer", id: orderID, body: transfer, keyed: true,
	}, options)
}

// ScanRequest is what was read from a label.
type ScanRequest struct {
	Code string    `json:"code"`
	At   time.Time `json:"at,omitzero"` // when it was read; zero if that is now
}

// OrderScan is what an operator has read from a label of an order.
type OrderScan struct {
	ScanID     string    `json:"scan_id"`
	Code       string    `json:"code"`
	At         time.Time `json:"at"`
	RecordedAt time.Time `json:"recorded_at"`
	OperatorID string    `json:"operator_id"`
}

// AddOrderScan records what was read from a label of an order.
func (o *Operator) AddOrderScan(
	ctx context.Context, orderID string, scan ScanRequest, options ...CallOption,
) (*OrderScan, error) {
	return fetch[OrderScan](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/orders/{id}/scans", id: orderID, body: scan, keyed: true,
	}, options)
}

// ReceiptRequest is what was received of parcels that come back.
type ReceiptRequest struct {
	// Location is where the parcels lie now. It is required for an order with items, and empty if the
	// sender has received the parcels, which needs a proof.
	Location string       `json:"location,omitempty"`
	Lines    []ReturnLine `json:"lines,omitempty"` // several may be about one product
	// OccurredAt is when it happened, at most 48 hours ago; zero if that is now.
	OccurredAt time.Time `json:"occurred_at,omitzero"`
}

// ReceiveReturn receives the parcels of an order that was cancelled after its pickup. Couriers can only
// give parcels that they carry back to the sender, without a location.
func (o *Operator) ReceiveReturn(
	ctx context.Context, orderID string, receipt ReceiptRequest, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/orders/{id}/return/receive", id: orderID, body: receipt, keyed: true,
	}, options)
}

// ReturnQuery selects parcels that come back.
type ReturnQuery struct {
	State  ReturnState `query:"state"` // [ReturnStateDue] by default
	Limit  int         `query:"limit"`
	Cursor string      `query:"cursor"`
}

// Returns is a page of parcels that come back.
type Returns struct {
	Returns    []Return `json:"returns"`
	NextCursor string   `json:"next_cursor,omitempty"` // empty on the last page
}

// Return is an order whose parcels come back.
type Return struct {
	OrderID        string       `json:"order_id"`
	PartnerID      string       `json:"partner_id"`
	PartnerName    string       `json:"partner_name"`
	PartnerOrderID string       `json:"partner_order_id"`
	State          ReturnState  `json:"state"`
	Holder         ParcelHolder `json:"holder"`
	Items          []Item       `json:"items"` // what has left
	Lines          []ReturnLine `json:"lines"` // what was received
	DueAt          time.Time    `json:"due_at"`
	ReceivedAt     time.Time    `json:"received_at,omitzero"` // zero until then
}

// ListReturns lists parcels that come back.
func (o *Operator) ListReturns(ctx context.Context, query ReturnQuery, options ...CallOption) (*Returns, error) {
	return fetch[Returns](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/returns", query: queryOf(query)},
		options)
}
