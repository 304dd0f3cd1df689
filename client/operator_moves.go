package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// StatusMove is a move of orders to a status.
type StatusMove struct {
	Status OrderStatus `json:"status"`
	// for the history, which the partner sees; at most 1000 characters
	Notes     string    `json:"notes,omitempty"`
	CourierID string    `json:"courier_id,omitempty"` // required with [StatusCourierAssigned]
	ETA       time.Time `json:"eta,omitzero"`         // the new estimate of the delivery
	// with [StatusFailed]: what went wrong; a [FailureReason], or text for the partner only
	FailureReason string    `json:"failure_reason,omitempty"`
	NextAttempt   time.Time `json:"next_attempt,omitzero"` // with [StatusFailed]: when the next attempt is planned
	Reason        string    `json:"reason,omitempty"`      // with [StatusCancelled]: why, at most 500 characters
	// OccurredAt is when it happened, at most 48 hours ago; zero if that is now. The move is
	// refused with [CodeConflict] if the order has changed since that time.
	OccurredAt time.Time `json:"occurred_at,omitzero"`
}

// StatusMoveRequest is a move of one order.
type StatusMoveRequest struct {
	StatusMove
	// Version is the version of the order that the operator saw. The move is refused with
	// [CodeInvalidTransition] if the order has changed since. It is not compared if it is 0.
	Version int64 `json:"version,omitempty"`
	// Collected is what was collected, with [StatusDelivered] of an order that is paid for at the door.
	Collected *Collected `json:"collected,omitempty"`
}

// ChangeOrderStatus moves an order. A move that its status does not allow is refused with
// [CodeInvalidTransition]: Details has what is allowed and, if another operator was
// faster, ChangedBy.
func (o *Operator) ChangeOrderStatus(
	ctx context.Context, orderID string, move StatusMoveRequest, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/orders/{id}/status", id: orderID, body: move, keyed: true}, options)
}

// EditOrder changes the content of an order with a reason, as far as its status still allows
// that to the service: otherwise the error is [CodeOrderNotEditable]. See [Client.EditOrder].
func (o *Operator) EditOrder(
	ctx context.Context, orderID, reason string, edit OrderEdit, version int64, options ...CallOption,
) (*Order, error) {
	return o.edit(ctx, orderID, nil, reason, edit, version, options)
}

// PreviewEdit returns the order as EditOrder would leave it, and changes nothing. See
// [Client.PreviewEdit].
func (o *Operator) PreviewEdit(
	ctx context.Context, orderID, reason string, edit OrderEdit, version int64, options ...CallOption,
) (*Order, error) {
	return o.edit(ctx, orderID, previewed, reason, edit, version, options)
}

func (o *Operator) edit(
	ctx context.Context, orderID string, query url.Values, reason string, edit OrderEdit, version int64,
	options []CallOption,
) (*Order, error) {
	body := OrderEdit{"reason": reason}
	for member, value := range edit {
		body[member] = value
	}
	return fetch[Order](ctx, o, operation{
		method: http.MethodPatch, path: "/ops/v1/orders/{id}", id: orderID, query: query, body: body, version: version,
		keyed: true,
	}, options)
}

// StatusMovesRequest is the same move of up to 200 orders.
type StatusMovesRequest struct {
	OrderIDs []string `json:"order_ids"`
	Versions []int64  `json:"versions,omitempty"` // that the operator saw, in the sequence of OrderIDs; optional
	// Collected is what was collected of each order that is paid for at the door, with [StatusDelivered].
	Collected []CollectedOfOrder `json:"collected,omitempty"`
	StatusMove
}

// StatusResults has the result of each order.
type StatusResults struct {
	Results []StatusResult `json:"results"` // in the sequence of the request
}

// StatusResult is the result of the move of one order.
type StatusResult struct {
	OrderID string      `json:"order_id"` // as it was sent
	OK      bool        `json:"ok"`       // the order has been moved
	Status  OrderStatus `json:"status,omitempty"`
	Version int64       `json:"version,omitempty"` // after the move; 0 if it was refused
	Error   *Error      `json:"error,omitempty"`   // nil if the order has been moved; without an HTTP status
}

// ChangeOrderStatuses moves many orders in the same way, each independently of the others:
// the error of one order is in its result.
func (o *Operator) ChangeOrderStatuses(
	ctx context.Context, moves StatusMovesRequest, options ...CallOption,
) (*StatusResults, error) {
	return fetch[StatusResults](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/orders/status", body: moves, keyed: true}, options)
}

// CancellationAnswer answers a partner's request to cancel an order.
type CancellationAnswer struct {
	Grant  bool   `json:"grant"`
	Answer string `json:"answer,omitempty"` // for the partner; at most 500 characters
}

// AnswerCancellationRequest answers the request to cancel an order; a grant cancels it, in
// any status. If there is no open request, or the order has ended, it is refused with
// [CodeConflict].
func (o *Operator) AnswerCancellationRequest(
	ctx context.Context, orderID string, answer CancellationAnswer, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/orders/{id}/cancellation-request/answer", id: orderID, body: answer,
		keyed: true,
	}, options)
}
