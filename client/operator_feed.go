package client

import (
	"context"
	"net/http"
)

// BoardSnapshot is the whole board at one moment.
type BoardSnapshot struct {
	Orders []BoardRow `json:"orders"` // all open orders, by id
	Counts Attention  `json:"counts"`
	After  string     `json:"after"` // for ListBoardChanges
}

// GetBoardSnapshot returns all open orders, to be followed with
// [Operator.ListBoardChanges].
func (o *Operator) GetBoardSnapshot(ctx context.Context, options ...CallOption) (*BoardSnapshot, error) {
	return fetch[BoardSnapshot](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/orders/snapshot"}, options)
}

// BoardChanges is what has changed on the board since a position.
type BoardChanges struct {
	Changed []BoardRow `json:"changed"` // the orders that have changed or are new, by id
	Gone    []string   `json:"gone"`    // the ids of orders that are no longer open
	Counts  Attention  `json:"counts"`
	After   string     `json:"after"` // for the next call
}

// BoardChangesQuery chooses changes of the board.
type BoardChangesQuery struct {
	After string `query:"after"` // the After of a [BoardSnapshot] or of the last [BoardChanges]
	Wait  int    `query:"wait"`  // how many seconds to wait for a change, at most 25
}

// ListBoardChanges returns what has changed since q.After. If that is nothing, it
// returns with the next change, or when the wait is over. A row may come twice; after a
// change of nodes it may come in a lower version than before, and the newer one follows.
// [CodeGone] means that q.After is too old: start from a snapshot.
func (o *Operator) ListBoardChanges(
	ctx context.Context, q BoardChangesQuery, options ...CallOption,
) (*BoardChanges, error) {
	return fetch[BoardChanges](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/orders/changes", query: queryOf(q)}, options)
}
