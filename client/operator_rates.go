package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Zone is a class of distance between the two ends of a delivery.
type Zone string

// The zones, nearest first.
const (
	ZoneLocal    Zone = "local"    // the same postal area or city
	ZoneRegional Zone = "regional" // the same province
	ZoneAdjacent Zone = "adjacent" // neighbouring provinces
	ZoneNational Zone = "national" // any other
	ZoneRemote   Zone = "remote"   // a rural or northern end
)

// RateCardFile is the prices of deliveries, as docs/rates.md describes them.
type RateCardFile struct {
	// identifies the card; unique among all cards
	Version       string                     `json:"version"`
	EffectiveFrom time.Time                  `json:"effective_from,omitzero"` // the same as outside the file, or zero
	Levels        map[ServiceLevel]RateLevel `json:"levels"`                  // all three
	ParcelCents   int64                      `json:"parcel_cents"`            // for each parcel
	// the part of each parcel's billable weight that is not charged
	IncludedGrams   int64      `json:"included_grams"`
	FragileCents    int64      `json:"fragile_cents"` // for each fragile parcel
	Insurance       Percentage `json:"insurance"`
	COD             Percentage `json:"cod"`
	FuelBasisPoints int64      `json:"fuel_basis_points"`
	CADPer10000USD  int64      `json:"cad_per_10000_usd"`
	// The amounts that follow are not part of the price of an order. They are charged when they happen; 0 is nothing.
	AttemptCents          int64 `json:"attempt_cents,omitzero"`           // for each attempt to deliver after the first
	ReturnCents           int64 `json:"return_cents,omitzero"`            // for bringing goods back after their pickup
	LateCancellationCents int64 `json:"late_cancellation_cents,omitzero"` // for a cancellation after a courier was assigned
}

// Percentage is a part of an amount, and at least so much.
type Percentage struct {
	BasisPoints  int64 `json:"basis_points"` // hundredths of a percent
	MinimumCents int64 `json:"minimum_cents"`
}

// RateLevel is the prices of a service level.
type RateLevel struct {
	CutOff    string             `json:"cut_off"`    // the last time of day for a pickup on the same day, such as 13:00
	DeliverBy string             `json:"deliver_by"` // the time of day that estimates give
	Zones     map[Zone]*ZoneRate `json:"zones"`      // the level is not offered in a zone that is missing or nil
}

// ZoneRate is the prices of a service level in a zone.
type ZoneRate struct {
	BaseCents   int64 `json:"base_cents"`
	PerKGCents  int64 `json:"per_kg_cents"`
	TransitDays int   `json:"transit_days"` // 3 to 5 business days for standard, 1 or 2 for express, 0 for same_day
}

// RateCardRequest is a rate card to upload.
type RateCardRequest struct {
	// under which partners use it; "default" for all without one of their own
	Name          string       `json:"name"`
	EffectiveFrom time.Time    `json:"effective_from,omitzero"` // not in the past; now if it is zero
	Card          RateCardFile `json:"card"`
}

// RateCard is a rate card without its prices.
type RateCard struct {
	CardID        string    `json:"card_id"`
	Name          string    `json:"name"`
	Version       string    `json:"version"`
	EffectiveFrom time.Time `json:"effective_from"`
	// when the next card of the name takes effect; zero if there is none yet
	EffectiveUntil time.Time     `json:"effective_until,omitzero"`
	State          RateCardState `json:"state"`
	CreatedAt      time.Time     `json:"created_at,omitzero"`  // zero for the built-in card
	CreatedBy      string        `json:"created_by,omitempty"` // the operator; empty for the built-in card
}

// RateCardState says whether a card applies.
type RateCardState string

// The states of rate cards.
const (
	RateCardPlanned  RateCardState = "planned"
	RateCardInForce  RateCardState = "in_force"
	RateCardPast     RateCardState = "past"
	RateCardReplaced RateCardState = "replaced" // by a later upload for the same time, so that it never applies
)

// WholeRateCard is a rate card with its prices.
type WholeRateCard struct {
	RateCard
	Card RateCardFile `json:"card"`
}

// CreateRateCard uploads a rate card. A refusal with [CodeValidationError] names every
// fault; a version that is in use is refused with [CodeConflict]. Orders keep the rate
// that they were created with.
func (o *Operator) CreateRateCard(ctx context.Context, card RateCardRequest, options ...CallOption) (*RateCard, error) {
	return fetch[RateCard](ctx, o, operation{method: http.MethodPost, path: "/ops/v1/rate-cards", body: card, keyed: true},
		options)
}

// ValidRateCard says what the upload of a rate card would do.
type ValidRateCard struct {
	Valid         bool      `json:"valid"` // true
	Name          string    `json:"name"`
	Version       string    `json:"version"`
	EffectiveFrom time.Time `json:"effective_from"`
}

// ValidateRateCard refuses what CreateRateCard would refuse, and stores nothing.
func (o *Operator) ValidateRateCard(
	ctx context.Context, card RateCardRequest, options ...CallOption,
) (*ValidRateCard, error) {
	return fetch[ValidRateCard](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/rate-cards/validate", body: card, safe: true}, options)
}

// PreviewRequest is a delivery whose prices on two rate cards are wanted: one of Card and
// CardID, and one of Quote and OrderID.
type PreviewRequest struct {
	Card    *RateCardFile `json:"card,omitempty"`
	CardID  string        `json:"card_id,omitempty"`
	Quote   *QuoteRequest `json:"quote,omitempty"`
	OrderID string        `json:"order_id,omitempty"`
	// with Quote: whose present card to compare with; otherwise the default card
	PartnerID string `json:"partner_id,omitempty"`
}

// Preview is what a delivery costs on two rate cards.
type Preview struct {
	// on the present card; nil if it does not offer the service level
	Current *Price `json:"current"`
	// on the proposed card; nil if it does not offer the service level
	Proposed         *Price `json:"proposed"`
	OrderedRateCents *int64 `json:"ordered_rate_cents,omitempty"` // with OrderID: the rate of the order
}

// Price is a price with its parts.
type Price struct {
	CardVersion       string    `json:"card_version"`
	RateCents         int64     `json:"rate_cents"`
	Currency          Currency  `json:"currency"`
	Zone              Zone      `json:"zone"`
	TransitDays       int       `json:"transit_days"` // business days
	EstimatedDelivery time.Time `json:"estimated_delivery"`
	Charges           []Charge  `json:"charges"`
}

// Charge is a part of a price.
type Charge struct {
	Name        ChargeName `json:"name"`
	AmountCents int64      `json:"amount_cents"`
}

// ChargeName is a kind of charge.
type ChargeName string

// The kinds of charges.
const (
	ChargeBase      ChargeName = "base"
	ChargeParcels   ChargeName = "parcels"
	ChargeWeight    ChargeName = "weight"
	ChargeFragile   ChargeName = "fragile"
	ChargeFuel      ChargeName = "fuel"
	ChargeInsurance ChargeName = "insurance"
	ChargeCOD       ChargeName = "cod"
)

// PreviewRateCard returns what a delivery costs now, on the card that applies and on a
// proposed one.
func (o *Operator) PreviewRateCard(
	ctx context.Context, preview PreviewRequest, options ...CallOption,
) (*Preview, error) {
	return fetch[Preview](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/rate-cards/preview", body: preview, safe: true}, options)
}

// RateCardList is a page of rate cards.
type RateCardList struct {
	RateCards  []RateCard `json:"rate_cards"`
	NextCursor string     `json:"next_cursor,omitempty"` // empty on the last page
}

// RateCardQuery chooses rate cards. Zero fields do not restrict.
type RateCardQuery struct {
	Name   string `query:"name"`   // only the cards of this name
	Limit  int    `query:"limit"`  // the most cards of a page, 1 to 500; 50 if it is 0
	Cursor string `query:"cursor"` // the NextCursor of the previous page
}

// ListRateCards returns a page of rate cards, past and planned ones included, by name,
// and for each name the newest first.
func (o *Operator) ListRateCards(ctx context.Context, q RateCardQuery, options ...CallOption) (*RateCardList, error) {
	return fetch[RateCardList](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/rate-cards", query: queryOf(q)},
		options)
}

// RateCards iterates over rate cards in the sequence of ListRateCards. An error is the
// last value.
func (o *Operator) RateCards(ctx context.Context, q RateCardQuery, options ...CallOption) iter.Seq2[RateCard, error] {
	return pages(q, func(q *RateCardQuery) ([]RateCard, bool, error) {
		page, err := o.ListRateCards(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.RateCards, q.Cursor != "", nil
	})
}

// GetRateCard returns a rate card with its prices.
func (o *Operator) GetRateCard(ctx context.Context, cardID string, options ...CallOption) (*WholeRateCard, error) {
	return fetch[WholeRateCard](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/rate-cards/{id}", id: cardID},
		options)
}
