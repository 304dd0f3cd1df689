package client

import (
	"context"
	"net/http"
)

// FiguresQuery chooses the period of figures, in dates such as "2026-03-02". Zero fields
// mean the last 30 days.
type FiguresQuery struct {
	From string `query:"from"` // the first day
	To   string `query:"to"`   // the last day, at most 365 days later, or 30 with By
	By   string `query:"by"`   // [ByCourier] splits each day by courier
}

// ByCourier is the By of a [FiguresQuery] that splits each day by courier.
const ByCourier = "courier"

// Figures are what was counted in a period.
type Figures struct {
	From string       `json:"from"`
	To   string       `json:"to"`
	Days []DayFigures `json:"days"` // by date, and by courier if asked for
}

// DayFigures is what was counted on a day, local to the dropoff.
type DayFigures struct {
	Date        string `json:"date"`
	CourierID   string `json:"courier_id"` // with [ByCourier]; empty for what no courier did
	CourierName string `json:"courier_name"`
	Orders      int64  `json:"orders"` // created
	// to couriers; an order that is given to another courier counts again
	Assigned  int64 `json:"assigned"`
	Delivered int64 `json:"delivered"`
	// delivered by the estimated delivery that the creation answered
	OnTime            int64                      `json:"on_time"`
	FailedAttempts    int64                      `json:"failed_attempts"`
	Cancelled         int64                      `json:"cancelled"`
	WebhooksDelivered int64                      `json:"webhooks_delivered"` // events acknowledged, once each
	TimeInStatus      map[OrderStatus]StatusTime `json:"time_in_status"`     // of the statuses that orders have left
}

// StatusTime is how long orders were in a status.
type StatusTime struct {
	Count   int64 `json:"count"`   // how often an order has left the status
	Seconds int64 `json:"seconds"` // how long these orders had been in it together
}

// GetFigures returns what was counted by day.
func (c *Client) GetFigures(ctx context.Context, q FiguresQuery, options ...CallOption) (*Figures, error) {
	return fetch[Figures](ctx, c, operation{method: http.MethodGet, path: "/v1/figures", query: queryOf(q)}, options)
}
