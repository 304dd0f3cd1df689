package client

import (
	"context"
	"net/http"
	"time"
)

// Sequence is the order in which the dispatch desk wants a courier's stops done. Orders
// that are not in it follow in the order of jobs.
type Sequence struct {
	CourierID string   `json:"courier_id"`
	OrderIDs  []string `json:"order_ids"`
	Version   int64    `json:"version"` // for SequenceRequest.Version
}

// SequenceRequest replaces a courier's sequence.
type SequenceRequest struct {
	OrderIDs []string `json:"order_ids"` // open orders of the courier, at most 200, each once
	Version  int64    `json:"version"`   // of the sequence that it replaces; 0 if there was none
}

// SequenceProposal is a sequence of all jobs of a courier, sorted by way.
type SequenceProposal struct {
	CourierID string         `json:"courier_id"`
	OrderIDs  []string       `json:"order_ids"`
	Stops     []ProposedStop `json:"stops"` // of the orders, in the same order
}

// ProposedStop says when a courier would do a stop.
type ProposedStop struct {
	OrderID     string    `json:"order_id"`
	Arrival     time.Time `json:"arrival"`      // not before the stop's time window begins
	LateMinutes int       `json:"late_minutes"` // by how much that is after the window's end, rounded up
}

// GetSequence returns a courier's sequence. A courier reads their own.
func (o *Operator) GetSequence(ctx context.Context, courierID string, options ...CallOption) (*Sequence, error) {
	return fetch[Sequence](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/couriers/{id}/sequence", id: courierID}, options)
}

// PutSequence replaces a courier's sequence. It fails with [CodeConflict] if the sequence
// has another version than the request names. Orders that have ended are left out.
func (o *Operator) PutSequence(
	ctx context.Context, courierID string, sequence SequenceRequest, options ...CallOption,
) (*Sequence, error) {
	return fetch[Sequence](ctx, o,
		operation{method: http.MethodPut, path: "/ops/v1/couriers/{id}/sequence", id: courierID, body: sequence, keyed: true},
		options)
}

// ProposeSequence sorts a courier's jobs by way, without more lateness than their present
// order has. It stores nothing.
func (o *Operator) ProposeSequence(
	ctx context.Context, courierID string, options ...CallOption,
) (*SequenceProposal, error) {
	return fetch[SequenceProposal](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/couriers/{id}/sequence/proposal", id: courierID}, options)
}
