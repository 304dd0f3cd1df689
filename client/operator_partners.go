package client

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"time"
)

// Setting is a field of a change that is left as it is (the zero value), set to a value
// ([Set]) or reset to the default of the service ([Reset]).
type Setting[T any] struct {
	Change bool // false leaves it as it is
	Value  *T   // nil resets it
}

// Set returns a setting with a value.
func Set[T any](value T) Setting[T] { return Setting[T]{Change: true, Value: &value} }

// Reset returns a setting that restores the default.
func Reset[T any]() Setting[T] { return Setting[T]{Change: true} }

// MarshalJSON returns the value, or null.
func (s Setting[T]) MarshalJSON() ([]byte, error) { return json.Marshal(s.Value) }

// ListedPartner is an account of a partner with its settings, as operators see it.
type ListedPartner struct {
	PartnerID       string    `json:"partner_id"`
	Name            string    `json:"name"`
	Email           string    `json:"email"`
	CreatedAt       time.Time `json:"created_at"`
	PendingSince    time.Time `json:"pending_since,omitzero"` // zero unless the account awaits approval
	Suspended       bool      `json:"suspended"`
	SuspendedAt     time.Time `json:"suspended_at,omitzero"`      // zero unless suspended
	SuspendedReason string    `json:"suspended_reason,omitempty"` // empty if none was given
	Established     bool      `json:"established"`                // not a new account, which is limited
	RateLimit       int64     `json:"rate_limit,omitempty"`       // requests a minute; 0 for the default
	// the name of the partner's rate cards; empty for the default
	RateCard     string `json:"rate_card,omitempty"`
	OrdersPerDay *int64 `json:"orders_per_day,omitempty"` // in UTC; 0 for no limit, nil for the default
	StoredBytes  *int64 `json:"stored_bytes,omitempty"`   // of the records of orders; 0 for no limit, nil for the default
}

// PartnerOverview is all that operators see of a partner.
type PartnerOverview struct {
	ListedPartner
	APIKeys KeyCounts    `json:"api_keys"`
	Usage   PartnerUsage `json:"usage"`
}

// KeyCounts is how many API keys a partner has.
type KeyCounts struct {
	Active  int64 `json:"active"`
	Revoked int64 `json:"revoked"`
}

// PartnerUsage is what a partner has used of its quotas.
type PartnerUsage struct {
	OrdersToday int64 `json:"orders_today"` // created today, in UTC
	StoredBytes int64 `json:"stored_bytes"` // of the records of its orders
}

// PartnerList is a page of partners.
type PartnerList struct {
	Partners   []ListedPartner `json:"partners"`
	NextCursor string          `json:"next_cursor,omitempty"` // empty on the last page
}

// PartnerQuery chooses partners. Zero fields do not restrict.
type PartnerQuery struct {
	Search  string `query:"q"`       // text anywhere in the name, the e-mail address or the id, in either case
	Pending bool   `query:"pending"` // only partners whose account awaits approval
	Limit   int    `query:"limit"`   // the most partners of a page, 1 to 500; 50 if it is 0
	Cursor  string `query:"cursor"`  // the NextCursor of the previous page
}

// ListPartners returns a page of partners.
func (o *Operator) ListPartners(ctx context.Context, q PartnerQuery, options ...CallOption) (*PartnerList, error) {
	return fetch[PartnerList](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/partners", query: queryOf(q)},
		options)
}

// Partners iterates over partners. An error is the last value.
func (o *Operator) Partners(
	ctx context.Context, q PartnerQuery, options ...CallOption,
) iter.Seq2[ListedPartner, error] {
	return pages(q, func(q *PartnerQuery) ([]ListedPartner, bool, error) {
		page, err := o.ListPartners(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Partners, q.Cursor != "", nil
	})
}

// GetPartner returns a partner with its settings and what it has used.
func (o *Operator) GetPartner(ctx context.Context, partnerID string, options ...CallOption) (*PartnerOverview, error) {
	return fetch[PartnerOverview](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/partners/{id}", id: partnerID},
		options)
}

// PartnerChange is what to change of a partner. Zero fields stay as they are.
type PartnerChange struct {
	Suspended *bool `json:"suspended,omitempty"`
	// only with a suspension; the partner does not see it
	SuspendedReason string          `json:"suspended_reason,omitempty"`
	Established     *bool           `json:"established,omitempty"`   // true lifts what limits new accounts
	RateLimit       Setting[int64]  `json:"rate_limit,omitzero"`     // requests a minute, 1 to 1,000,000
	RateCard        Setting[string] `json:"rate_card,omitzero"`      // the name of rate cards that have been uploaded
	OrdersPerDay    Setting[int64]  `json:"orders_per_day,omitzero"` // in UTC; 0 for no limit
	StoredBytes     Setting[int64]  `json:"stored_bytes,omitzero"`   // of the records of orders; 0 for no limit
}

// ChangePartner suspends a partner or restores it, and sets its limits and its rate card.
// It takes effect within 5 seconds. A suspended partner's requests are refused with
// [CodeForbidden]; its orders can still be moved, and their events are still sent.
func (o *Operator) ChangePartner(
	ctx context.Context, partnerID string, change PartnerChange, options ...CallOption,
) (*PartnerOverview, error) {
	return fetch[PartnerOverview](ctx, o,
		operation{method: http.MethodPatch, path: "/ops/v1/partners/{id}", id: partnerID, body: change, keyed: true}, options)
}

// ApprovePartner approves an account that awaits it. One that is approved already stays
// as it is.
func (o *Operator) ApprovePartner(
	ctx context.Context, partnerID string, options ...CallOption,
) (*PartnerOverview, error) {
	return fetch[PartnerOverview](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/partners/{id}/approve", id: partnerID, keyed: true}, options)
}

// DispatchSettings says how a partner's orders are dispatched.
type DispatchSettings struct {
	PartnerID  string `json:"partner_id"`
	AutoAccept bool   `json:"auto_accept"` // the service accepts the partner's orders automatically
}

// DispatchSettingsRequest is how to dispatch a partner's orders.
type DispatchSettingsRequest struct {
	AutoAccept bool `json:"auto_accept"`
}

// GetDispatchSettings returns how a partner's orders are dispatched.
func (o *Operator) GetDispatchSettings(
	ctx context.Context, partnerID string, options ...CallOption,
) (*DispatchSettings, error) {
	return fetch[DispatchSettings](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/partners/{id}/dispatch", id: partnerID}, options)
}

// PutDispatchSettings sets how a partner's orders are dispatched. With AutoAccept those
// that are pending are accepted, too.
func (o *Operator) PutDispatchSettings(
	ctx context.Context, partnerID string, settings DispatchSettingsRequest, options ...CallOption,
) (*DispatchSettings, error) {
	return fetch[DispatchSettings](ctx, o,
		operation{method: http.MethodPut, path: "/ops/v1/partners/{id}/dispatch", id: partnerID, body: settings, keyed: true},
		options)
}
