package client

import (
	"context"
	"iter"
	"net/http"
)

// OperatorStatementsQuery chooses statements. Zero fields do not restrict.
type OperatorStatementsQuery struct {
	PartnerID string `query:"partner_id"`
	Period    string `query:"period"` // such as "2026-11"
	Limit     int    `query:"limit"`  // the most statements of a page, 1 to 500; 50 if it is 0
	Cursor    string `query:"cursor"` // the NextCursor of the previous page
}

// ListStatements returns a page of the statements of all partners, the latest month first.
func (o *Operator) ListStatements(
	ctx context.Context, q OperatorStatementsQuery, options ...CallOption,
) (*StatementPage, error) {
	return fetch[StatementPage](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/statements", query: queryOf(q)}, options)
}

// Statements iterates over the statements of all partners, the latest month first. An error is the last value.
func (o *Operator) Statements(
	ctx context.Context, q OperatorStatementsQuery, options ...CallOption,
) iter.Seq2[StatementSummary, error] {
	return pages(q, func(q *OperatorStatementsQuery) ([]StatementSummary, bool, error) {
		page, err := o.ListStatements(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Statements, q.Cursor != "", nil
	})
}

// GetStatement returns a statement of any partner.
func (o *Operator) GetStatement(ctx context.Context, statementID string, options ...CallOption) (*Statement, error) {
	return fetch[Statement](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/statements/{id}", id: statementID}, options)
}

// PeriodQuery chooses a month; the last one that has ended if it is empty.
type PeriodQuery struct {
	Period string `query:"period"`
}

// PreviewStatement returns the statement of a partner as it would be if the month were closed now.
func (o *Operator) PreviewStatement(
	ctx context.Context, partnerID string, q PeriodQuery, options ...CallOption,
) (*Statement, error) {
	return fetch[Statement](ctx, o, operation{
		method: http.MethodGet, path: "/ops/v1/partners/{id}/statement-preview", id: partnerID, query: queryOf(q),
	}, options)
}

// ClosingRequest is a month to close.
type ClosingRequest struct {
	Period    string `json:"period"`               // such as "2026-11"
	PartnerID string `json:"partner_id,omitempty"` // empty for all partners
}

// ClosingState is how far the closing of a month is.
type ClosingState string

// The states of the closing of a month.
const (
	ClosingNone    ClosingState = "none" // not closed for all partners
	ClosingRunning ClosingState = "running"
	ClosingDone    ClosingState = "done"
)

// ClosingProgress is how far the closing of a month is.
type ClosingProgress struct {
	Period string       `json:"period"`
	Total  int          `json:"total"` // statements that there will be
	Done   int          `json:"done"`
	State  ClosingState `json:"state"`
}

// ClosedMonth is the answer to [Operator.CloseMonth]: the statement of the partner or, of all partners, how far the
// closing is.
type ClosedMonth struct {
	Statement              // its Period is always set
	Total     int          `json:"total,omitempty"`
	Done      int          `json:"done,omitempty"`
	State     ClosingState `json:"state,omitempty"` // empty if the month of one partner was closed
}

// CloseMonth closes a month of a partner, or begins to close it for all partners that get a statement; then
// [Operator.GetClosing] returns how far that is. The error is CodeConflict if the month has not ended, if it or a later
// one is closed for the partner, or if there is nothing to state.
func (o *Operator) CloseMonth(
	ctx context.Context, request ClosingRequest, options ...CallOption,
) (*ClosedMonth, error) {
	return fetch[ClosedMonth](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/statements", body: request, keyed: true}, options)
}

// GetClosing returns how far the closing of a month is.
func (o *Operator) GetClosing(ctx context.Context, q PeriodQuery, options ...CallOption) (*ClosingProgress, error) {
	return fetch[ClosingProgress](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/statements/closing", query: queryOf(q)}, options)
}

// GetStatementFile returns a statement of any partner as a file.
func (o *Operator) GetStatementFile(
	ctx context.Context, statementID string, format StatementFormat, options ...CallOption,
) ([]byte, error) {
	return content(fetch[[]byte](ctx, o, statementAs(format, "/ops/v1/statements/{id}", statementID), options))
}
