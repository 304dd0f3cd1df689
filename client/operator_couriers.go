package client

import (
	"context"
	"iter"
	"net/http"
)

// CourierRecord is a person who carries orders.
type CourierRecord struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
	Phone     string `json:"phone"` // E.164
	Vehicle   string `json:"vehicle"`
	Active    bool   `json:"active"` // only active couriers can be assigned
}

// CourierRequest is a new courier.
type CourierRequest struct {
	Name    string `json:"name"`  // 1 to 255 characters
	Phone   string `json:"phone"` // E.164, such as +15145550100
	Vehicle string `json:"vehicle"`
	Active  *bool  `json:"active,omitempty"` // true if it is nil
}

// CreateCourier adds a courier.
func (o *Operator) CreateCourier(
	ctx context.Context, courier CourierRequest, options ...CallOption,
) (*CourierRecord, error) {
	return fetch[CourierRecord](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/couriers", body: courier, keyed: true}, options)
}

// GetCourier returns a courier.
func (o *Operator) GetCourier(ctx context.Context, courierID string, options ...CallOption) (*CourierRecord, error) {
	return fetch[CourierRecord](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/couriers/{id}", id: courierID},
		options)
}

// CourierChange is what to change of a courier. Fields that are nil or empty stay as they
// are.
type CourierChange struct {
	Name    string `json:"name,omitempty"`
	Phone   string `json:"phone,omitempty"`
	Vehicle string `json:"vehicle,omitempty"`
	Active  *bool  `json:"active,omitempty"`
}

// ChangeCourier changes a courier. Orders keep the name, phone number and vehicle that
// the courier had when assigned. The orders of a courier who becomes inactive stay
// assigned, and need attention as [AttentionCourierGone].
func (o *Operator) ChangeCourier(
	ctx context.Context, courierID string, change CourierChange, options ...CallOption,
) (*CourierRecord, error) {
	return fetch[CourierRecord](ctx, o,
		operation{method: http.MethodPatch, path: "/ops/v1/couriers/{id}", id: courierID, body: change, keyed: true}, options)
}

// CourierList is a page of couriers.
type CourierList struct {
	Couriers   []CourierRecord `json:"couriers"`
	NextCursor string          `json:"next_cursor,omitempty"` // empty on the last page
}

// ListCouriers returns a page of couriers.
func (o *Operator) ListCouriers(ctx context.Context, q PageQuery, options ...CallOption) (*CourierList, error) {
	return fetch[CourierList](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/couriers", query: queryOf(q)},
		options)
}

// Couriers iterates over couriers. An error is the last value.
func (o *Operator) Couriers(ctx context.Context, q PageQuery, options ...CallOption) iter.Seq2[CourierRecord, error] {
	return pages(q, func(q *PageQuery) ([]CourierRecord, bool, error) {
		page, err := o.ListCouriers(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Couriers, q.Cursor != "", nil
	})
}
