package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Statement is what a partner owes at the end of a month, and why. A closed one never changes.
type Statement struct {
	StatementID string          `json:"statement_id,omitempty"` // empty in a preview
	Number      int64           `json:"number,omitempty"`       // counts the statements of the partner from 1; 0 in a preview
	PartnerID   string          `json:"partner_id"`
	PartnerName string          `json:"partner_name"`
	Period      string          `json:"period"`             // the month, such as "2026-11"
	ClosedAt    time.Time       `json:"closed_at,omitzero"` // zero in a preview
	Firm        Firm            `json:"firm"`
	Sums        []StatementSums `json:"sums"` // by currency; CAD always
	Lines       []StatementLine `json:"lines"`
}

// StatementSums are the sums of a statement in a currency, in cents. Above zero a balance is owed by the partner, below
// zero to it.
type StatementSums struct {
	Currency            Currency       `json:"currency"`
	OpeningBalanceCents int64          `json:"opening_balance_cents"`
	ChargedCents        int64          `json:"charged_cents"` // before taxes
	Taxes               []StatementTax `json:"taxes"`
	PaidCents           int64          `json:"paid_cents"`
	CollectedCents      int64          `json:"collected_cents"` // for the partner at doors
	RemittedCents       int64          `json:"remitted_cents"`  // of that, sent to the partner
	ClosingBalanceCents int64          `json:"closing_balance_cents"`
	HeldCents           int64          `json:"held_cents"` // collected, and not sent to the partner yet
}

// StatementTax is an amount of a tax.
type StatementTax struct {
	Tax         Tax   `json:"tax"`
	AmountCents int64 `json:"amount_cents"`
}

// Tax is a kind of tax.
type Tax string

// The taxes.
const (
	TaxGST Tax = "gst"
	TaxHST Tax = "hst"
	TaxQST Tax = "qst"
)

// StatementLine is an entry on a statement.
type StatementLine struct {
	Date           string         `json:"date"`
	EntryID        string         `json:"entry_id"`
	Act            Act            `json:"act"`
	OrderID        string         `json:"order_id,omitempty"` // empty for an act that is about no order
	PartnerOrderID string         `json:"partner_order_id,omitempty"`
	Notes          string         `json:"notes"`
	Currency       Currency       `json:"currency"`
	AmountCents    int64          `json:"amount_cents"` // before taxes
	Taxes          []StatementTax `json:"taxes"`
	TotalCents     int64          `json:"total_cents"`
}

// StatementSummary is a statement without its lines.
type StatementSummary struct {
	StatementID string           `json:"statement_id"`
	PartnerID   string           `json:"partner_id"`
	Number      int64            `json:"number"`
	Period      string           `json:"period"`
	ClosedAt    time.Time        `json:"closed_at"`
	Balances    []ClosingBalance `json:"balances"` // by currency
}

// ClosingBalance is what a statement ends with in a currency.
type ClosingBalance struct {
	Currency            Currency `json:"currency"`
	ClosingBalanceCents int64    `json:"closing_balance_cents"` // below zero if it is owed to the partner
}

// StatementPage is a page of statements.
type StatementPage struct {
	Statements []StatementSummary `json:"statements"`
	NextCursor string             `json:"next_cursor,omitempty"` // empty on the last page
}

// StatementsQuery chooses statements. Zero fields do not restrict.
type StatementsQuery struct {
	Period string `query:"period"` // such as "2026-11"
	Limit  int    `query:"limit"`  // the most statements of a page, 1 to 500; 50 if it is 0
	Cursor string `query:"cursor"` // the NextCursor of the previous page
}

// ListStatements returns a page of the partner's statements, the latest month first. Keys with scopes may not.
func (c *Client) ListStatements(
	ctx context.Context, q StatementsQuery, options ...CallOption,
) (*StatementPage, error) {
	return fetch[StatementPage](ctx, c,
		operation{method: http.MethodGet, path: "/v1/statements", query: queryOf(q)}, options)
}

// Statements iterates over the partner's statements, the latest month first. An error is the last value.
func (c *Client) Statements(
	ctx context.Context, q StatementsQuery, options ...CallOption,
) iter.Seq2[StatementSummary, error] {
	return pages(q, func(q *StatementsQuery) ([]StatementSummary, bool, error) {
		page, err := c.ListStatements(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Statements, q.Cursor != "", nil
	})
}

// GetStatement returns a statement.
func (c *Client) GetStatement(ctx context.Context, statementID string, options ...CallOption) (*Statement, error) {
	return fetch[Statement](ctx, c,
		operation{method: http.MethodGet, path: "/v1/statements/{id}", id: statementID}, options)
}

// StatementFormat is a kind of file that a statement can be had as.
type StatementFormat string

// The kinds of files.
const (
	StatementPDF StatementFormat = "application/pdf"
	StatementCSV StatementFormat = "text/csv"
)

// GetStatementFile returns a statement as a file.
func (c *Client) GetStatementFile(
	ctx context.Context, statementID string, format StatementFormat, options ...CallOption,
) ([]byte, error) {
	return content(fetch[[]byte](ctx, c, statementAs(format, "/v1/statements/{id}", statementID), options))
}

// statementAs is the operation that returns a statement as a file.
func statementAs(format StatementFormat, path, statementID string) operation {
	return operation{method: http.MethodGet, path: path, id: statementID, accept: string(format)}
}
