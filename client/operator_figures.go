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

// HouseFigures are what was counted in a period, for operators.
type HouseFigures struct {
	Figures
	// Money is what the books have, for admins and accountants; nil for others, and for one courier.
	Money *FiguresMoney `json:"money"`
}

// FiguresMoney is what the books have of a period.
type FiguresMoney struct {
	Days []DayMoney `json:"days"` // by day and currency, without days that have nothing
}

// DayMoney is what was charged and collected on a day, by the clock of the service, in one currency.
type DayMoney struct {
	Day            string   `json:"day"`
	Currency       Currency `json:"currency"`
	RevenueCents   int64    `json:"revenue_cents"`   // charged to partners, before taxes
	CollectedCents int64    `json:"collected_cents"` // for partners
}

// GetFigures returns what was counted by day, of all partners together unless the query
// restricts it.
func (o *Operator) GetFigures(ctx context.Context, q HouseFiguresQuery, options ...CallOption) (*HouseFigures, error) {
	return fetch[HouseFigures](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/figures", query: queryOf(q)}, options)
}
