package client

import (
	"context"
	"net/http"
)

// ReturnTo is where a return brings goods.
type ReturnTo string

// The ends of returns.
const (
	ReturnToSender    ReturnTo = "sender"    // the pickup of the order
	ReturnToWarehouse ReturnTo = "warehouse" // a location of the service, which receives the goods
)

// ReturnRequest is a request to bring goods back that an order has delivered.
type ReturnRequest struct {
	Reason string   `json:"reason"` // for the service; 1 to 500 characters
	To     ReturnTo `json:"to"`
	// Location is the code of the warehouse. If it is empty: the one that the items were taken
	// from, or the only one that has an address.
	Location string       `json:"location,omitempty"`
	Pickup   ReturnPickup `json:"pickup"`
	// Items are the products that come back; nil for all that were delivered and are in no other
	// return.
	Items []Item `json:"items,omitempty"`
	// Parcels are how the goods are packed; nil for the parcels of the order.
	Parcels []Parcel `json:"parcels,omitempty"`
	// PartnerOrderID is your reference of the return; empty for its OrderID.
	PartnerOrderID string       `json:"partner_order_id,omitempty"`
	ServiceLevel   ServiceLevel `json:"service_level,omitempty"` // [LevelStandard] if it is empty
}

// ReturnPickup says when the courier gets the goods, where they were delivered.
type ReturnPickup struct {
	TimeWindow TimeWindow `json:"time_window"`
}

// CreateReturn creates an order that brings goods of a delivered order back. Over all returns they are
// at most what was delivered: more is refused with [CodeValidationError].
func (c *Client) CreateReturn(
	ctx context.Context, orderID string, wanted ReturnRequest, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, c, operation{
		method: http.MethodPost, path: "/v1/orders/{id}/returns", id: orderID, body: wanted, keyed: true,
	}, options)
}
