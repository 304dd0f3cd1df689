package client

import (
	"context"
	"net/http"
)

// HouseFiguresQuery chooses figures. Zero fields do not restrict; without dates, they are
// those of the last 30 days.
type HouseFiguresQuery struct {
	PartnerID string `query:"partner_id"`
	CourierID string `query:"courier_id"`
	From      string `query:"from"` // the first day, such as "2026-03-02"
	To        string `query:"to"`   // the last day, at most 365 days later, or 30 with By
	By        string `query:"by"`   // [ByCourier] splits each day by courier
}

// GetFigures returns what was counted by day, of all partners together unless the query
// restricts it.
func (o *Operator) GetFigures(ctx context.Context, q HouseFiguresQuery, options ...CallOption) (*Figures, error) {
	return fetch[Figures](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/figures", query: queryOf(q)}, options)
}
