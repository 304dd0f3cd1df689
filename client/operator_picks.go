package client

import (
	"context"
	"net/http"
	"time"
)

// PickState is how far the warehouse is with the items of an order.
type PickState string

// The states of picking.
const (
	PickStateOpen   PickState = "to_pick" // something is left to pick
	PickStateShort  PickState = "short"   // the same, and fewer units of a product were found than the order takes
	PickStateDone   PickState = "picked"  // all items are picked
	PickStatePacked PickState = "packed"  // the order is packed, too
)

// PickQuery chooses orders to pick. Zero fields do not restrict.
type PickQuery struct {
	Location string    `query:"location"` // that an order takes something from
	Until    time.Time `query:"until"`    // before which the pickup's time window begins
	State    PickState `query:"state"`    // those to pick or short if it is empty
	Limit    int       `query:"limit"`
	Cursor   string    `query:"cursor"`
}

// Picks is a page of orders to pick.
type Picks struct {
	Picks      []Pick `json:"picks"`
	NextCursor string `json:"next_cursor,omitempty"` // empty on the last page
}

// Pick is what the warehouse sees of an order. It has nothing of the recipient.
type Pick struct {
	OrderID        string       `json:"order_id"`
	PartnerID      string       `json:"partner_id"`
	PartnerName    string       `json:"partner_name,omitempty"` // in lists
	PartnerOrderID string       `json:"partner_order_id"`
	Status         OrderStatus  `json:"status"`
	Version        int64        `json:"version"`
	State          PickState    `json:"state"`
	TimeWindow     TimeWindow   `json:"time_window"` // when the courier comes
	Parcels        int          `json:"parcels"`
	Courier        *PickCourier `json:"courier"` // nil while no courier is assigned
	Lines          []PickLine   `json:"lines"`
	PackedAt       time.Time    `json:"packed_at,omitzero"` // zero if the order is not packed
}

// PickCourier is the courier who comes for an order.
type PickCourier struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
}

// PickLine is a product that an order takes from a location.
type PickLine struct {
	ProductID int64  `json:"product_id"`
	Name      string `json:"name"`
	Barcode   string `json:"barcode,omitempty"` // in lists
	SKU       string `json:"sku,omitempty"`     // when the order was created
	Location  string `json:"location"`
	Quantity  int64  `json:"quantity"`
	Picked    int64  `json:"picked"`
	Short     bool   `json:"short"`              // fewer units were found
	InStock   *int64 `json:"in_stock,omitempty"` // in lists: at the location, besides what orders have taken
}

// ListPicks lists the orders to pick, of all partners.
func (o *Operator) ListPicks(ctx context.Context, query PickQuery, options ...CallOption) (*Picks, error) {
	return fetch[Picks](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/picks", query: queryOf(query)}, options)
}

// PickRequest is what was picked for an order.
type PickRequest struct {
	Location string       `json:"location,omitempty"` // of the lines
	Lines    []PickedLine `json:"lines,omitempty"`
	Packed   bool         `json:"packed,omitempty"` // the order is packed for the courier
}

// PickedLine is how many units of a product were picked now; 0 if none was found.
type PickedLine struct {
	ProductID int64 `json:"product_id"`
	Quantity  int64 `json:"quantity"`
}

// PickOrder records what was picked for an order. A line with fewer units than are left is short, and the
// order needs attention until a later pick completes it. Stock does not change.
func (o *Operator) PickOrder(
	ctx context.Context, orderID string, pick PickRequest, options ...CallOption,
) (*Pick, error) {
	return fetch[Pick](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/orders/{id}/picks", id: orderID, body: pick, keyed: true,
	}, options)
}
