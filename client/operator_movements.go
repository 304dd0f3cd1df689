package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// MovementRequest is a stock movement to book.
type MovementRequest struct {
	Type       MovementType `json:"type"`
	ProductID  int64        `json:"product_id"`
	Quantity   int64        `json:"quantity"`              // at least 1; signed for [MovementAdjustment]
	Location   string       `json:"location"`              // a code of 1 to 64 characters; the source of a transfer
	ToLocation string       `json:"to_location,omitempty"` // the target of a transfer, and refused otherwise
	Notes      string       `json:"notes,omitempty"`       // at most 1000 characters
}

// BookedMovements is what was booked: two movements for a transfer, and otherwise one.
type BookedMovements struct {
	Movements []Movement `json:"movements"`
}

// CreateMovement books a stock movement. One of more than its location holds is refused
// with [CodeInsufficientStock].
func (o *Operator) CreateMovement(
	ctx context.Context, partnerID string, movement MovementRequest, options ...CallOption,
) (*BookedMovements, error) {
	return fetch[BookedMovements](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/partners/{id}/movements", id: partnerID, body: movement, keyed: true,
	}, options)
}

// CountRequest is the result of a count at a location.
type CountRequest struct {
	Location string          `json:"location"`
	Notes    string          `json:"notes,omitempty"` // at most 1000 characters
	Lines    []CountedAmount `json:"lines"`           // 1 to 500, each for another product
}

// CountedAmount is how much of a product was counted.
type CountedAmount struct {
	ProductID int64 `json:"product_id"`
	Counted   int64 `json:"counted"`
}

// StockCount is what was booked for a count.
type StockCount struct {
	Location string      `json:"location"`
	Lines    []CountLine `json:"lines"`
	Booked   int         `json:"booked"`
	Refused  int         `json:"refused"`
}

// CountLine is the result of a line of a count.
type CountLine struct {
	ProductID  int64  `json:"product_id"`
	Before     int64  `json:"before"`                // what the location held before
	After      int64  `json:"after"`                 // the same as Before if the line was refused
	MovementID int64  `json:"movement_id,omitempty"` // 0 if none was booked
	Error      *Error `json:"error,omitempty"`       // nil unless the line was refused; without an HTTP status
}

// CreateCount books an adjustment for each product whose level differs from the count.
// The error of one line is in its result. Levels leave out what has been ordered.
func (o *Operator) CreateCount(
	ctx context.Context, partnerID string, count CountRequest, options ...CallOption,
) (*StockCount, error) {
	return fetch[StockCount](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/partners/{id}/counts", id: partnerID, body: count, keyed: true},
		options)
}

// JournalEntry is a movement with its cause.
type JournalEntry struct {
	Movement
	OrderID string `json:"order_id,omitempty"` // that caused it; empty if none did
	Notes   string `json:"notes"`
}

// JournalPage is a page of a partner's movements.
type JournalPage struct {
	Movements  []JournalEntry `json:"movements"`
	NextCursor string         `json:"next_cursor,omitempty"` // empty on the last page
}

// JournalQuery chooses movements of a partner. Zero fields do not restrict.
type JournalQuery struct {
	ProductID int64        `query:"product_id"`
	Type      MovementType `query:"type"`
	Location  string       `query:"location"`
	From      time.Time    `query:"from"`   // only movements at this time or later
	To        time.Time    `query:"to"`     // only movements before this time
	Limit     int          `query:"limit"`  // the most movements of a page, 1 to 500; 50 if it is 0
	Cursor    string       `query:"cursor"` // the NextCursor of the previous page
}

// ListJournal returns a page of a partner's movements, newest first.
func (o *Operator) ListJournal(
	ctx context.Context, partnerID string, q JournalQuery, options ...CallOption,
) (*JournalPage, error) {
	return fetch[JournalPage](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/partners/{id}/movements", id: partnerID, query: queryOf(q)}, options)
}

// Journal iterates over a partner's movements, newest first. An error is the last value.
func (o *Operator) Journal(
	ctx context.Context, partnerID string, q JournalQuery, options ...CallOption,
) iter.Seq2[JournalEntry, error] {
	return pages(q, func(q *JournalQuery) ([]JournalEntry, bool, error) {
		page, err := o.ListJournal(ctx, partnerID, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Movements, q.Cursor != "", nil
	})
}
