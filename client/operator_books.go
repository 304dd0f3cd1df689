package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Firm is who sends statements.
type Firm struct {
	Name    string      `json:"name"`
	Address string      `json:"address,omitempty"` // as statements print it; may have several lines
	Numbers FirmNumbers `json:"numbers,omitzero"`
}

// FirmNumbers are those under which the firm collects taxes; a tax whose number is empty is not charged.
type FirmNumbers struct {
	GSTHST string `json:"gst_hst,omitempty"` // for GST and HST
	QST    string `json:"qst,omitempty"`
}

// GetFirm returns who sends statements.
func (o *Operator) GetFirm(ctx context.Context, options ...CallOption) (*Firm, error) {
	return fetch[Firm](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/firm"}, options)
}

// PutFirm sets who sends statements, and which taxes are charged from now on, as an admin.
func (o *Operator) PutFirm(ctx context.Context, firm Firm, options ...CallOption) (*Firm, error) {
	return fetch[Firm](ctx, o, operation{method: http.MethodPut, path: "/ops/v1/firm", body: firm, keyed: true}, options)
}

// Books are the settings of the books.
type Books struct {
	// BooksFrom is the first day of which acts are charged; empty while the books are off.
	BooksFrom string `json:"books_from,omitempty"`
	// CloseOnDay is the day of the month on which the month before is closed by itself; 0 if none is.
	CloseOnDay int `json:"close_on_day,omitempty"`
	// RequireCollected is set if a delivery has to say what was collected, if anything was to be.
	RequireCollected bool `json:"require_collected"`
}

// BooksChange is what to change of the settings. Zero fields stay as they are.
type BooksChange struct {
	// BooksFrom is a date such as "2026-12-01"; a reset turns the books off.
	BooksFrom Setting[string] `json:"books_from,omitzero"`
	// CloseOnDay is a day of the month, 1 to 28; a reset has no month closed by itself.
	CloseOnDay Setting[int] `json:"close_on_day,omitzero"`
	// RequireCollected is for deliveries from now on.
	RequireCollected *bool `json:"require_collected,omitempty"`
}

// GetBooks returns the settings of the books.
func (o *Operator) GetBooks(ctx context.Context, options ...CallOption) (*Books, error) {
	return fetch[Books](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/books"}, options)
}

// ChangeBooks changes the settings of the books, as an admin. The first day can be changed until the journal has
// its first entry; then the error is CodeConflict.
func (o *Operator) ChangeBooks(ctx context.Context, change BooksChange, options ...CallOption) (*Books, error) {
	return fetch[Books](ctx, o,
		operation{method: http.MethodPatch, path: "/ops/v1/books", body: change, keyed: true}, options)
}

// Act is what an entry of the journal is about.
type Act string

// The acts.
const (
	ActDelivery         Act = "delivery"          // an order was delivered, or cancelled after its pickup
	ActAttempt          Act = "attempt"           // an attempt to deliver after the first
	ActReturn           Act = "return"            // goods of an order that was given up were brought back
	ActLateCancellation Act = "late_cancellation" // an order was cancelled that a courier was to pick up
	ActAdjustment       Act = "adjustment"        // a charge was corrected
	ActPayment          Act = "payment"           // the partner has paid
	ActCollection       Act = "collection"        // money was collected at the door
	ActUnconfirmed      Act = "unconfirmed"       // it was to be, and the courier has not said whether it was
	ActCorrection       Act = "correction"        // the desk has confirmed or corrected what was collected
	ActHandIn           Act = "hand_in"           // a courier's cash was counted
	ActDeposit          Act = "deposit"           // cash was taken from the desk to the bank
	ActRemittance       Act = "remittance"        // the partner was sent what was collected for it
)

// BookAccount is what an amount belongs to. What a partner owes and what is held is above zero, what is earned or
// owed is below.
type BookAccount string

// The accounts.
const (
	BookAccountCharges     BookAccount = "charges"   // what the partner owes, with taxes
	BookAccountCollected   BookAccount = "collected" // what was collected for the partner
	BookAccountRevenue     BookAccount = "revenue"   // without taxes
	BookAccountTaxGST      BookAccount = "tax_gst"
	BookAccountTaxHST      BookAccount = "tax_hst"
	BookAccountTaxQST      BookAccount = "tax_qst"
	BookAccountCash        BookAccount = "cash"     // that couriers carry
	BookAccountTerminal    BookAccount = "terminal" // paid by card at the door
	BookAccountDesk        BookAccount = "desk"     // cash that was handed in
	BookAccountBank        BookAccount = "bank"
	BookAccountDifferences BookAccount = "differences" // missing when cash was counted
)

// BookEntry is one act in the books. Its lines add up to zero for each currency.
type BookEntry struct {
	EntryID        string     `json:"entry_id"`
	PartnerID      string     `json:"partner_id"`
	Day            string     `json:"day"` // of the act, in the time zone of the service
	At             time.Time  `json:"at"`
	RecordedAt     time.Time  `json:"recorded_at"` // when the service learned of it
	Act            Act        `json:"act"`
	OrderID        string     `json:"order_id,omitempty"` // empty for an act that is about no order
	PartnerOrderID string     `json:"partner_order_id,omitempty"`
	ActorID        string     `json:"actor_id,omitempty"` // empty for what the service does by itself
	Notes          string     `json:"notes,omitempty"`    // of what was posted by hand
	Lines          []BookLine `json:"lines"`
}

// BookLine is an amount of an entry on one account.
type BookLine struct {
	Account     BookAccount `json:"account"`
	CourierID   string      `json:"courier_id,omitempty"` // of cash
	AmountCents int64       `json:"amount_cents"`
	Currency    Currency    `json:"currency"`
}

// BookEntryPage is a page of the journal.
type BookEntryPage struct {
	Entries    []BookEntry `json:"entries"`
	NextCursor string      `json:"next_cursor,omitempty"` // empty on the last page
}

// BookEntriesQuery chooses entries of the journal. Zero fields do not restrict; From and To are dates, both included.
type BookEntriesQuery struct {
	PartnerID string `query:"partner_id"`
	OrderID   string `query:"order_id"`
	CourierID string `query:"courier_id"` // whose cash moved
	Act       Act    `query:"act"`
	From      string `query:"from"`
	To        string `query:"to"`
	Limit     int    `query:"limit"`  // the most entries of a page, 1 to 500; 50 if it is 0
	Cursor    string `query:"cursor"` // the NextCursor of the previous page
	// Columns are those of ExportBookEntries: all of the journal's if it is empty.
	Columns BookColumns `query:"columns"`
}

// BookColumns are the columns of a program that imports a journal.
type BookColumns string

// The programs.
const (
	BookColumnsQuickBooks BookColumns = "quickbooks" // Online
	BookColumnsXero       BookColumns = "xero"
)

// ExportBookEntries returns all entries that a query selects as CSV, oldest first, with a row for each line. Its limit
// and cursor do not count.
func (o *Operator) ExportBookEntries(ctx context.Context, q BookEntriesQuery, options ...CallOption) ([]byte, error) {
	return content(fetch[[]byte](ctx, o, operation{
		method: http.MethodGet, path: "/ops/v1/journal", query: queryOf(q), accept: csvKind,
	}, options))
}

// ListBookEntries returns a page of the journal, newest first.
func (o *Operator) ListBookEntries(
	ctx context.Context, q BookEntriesQuery, options ...CallOption,
) (*BookEntryPage, error) {
	return fetch[BookEntryPage](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/journal", query: queryOf(q)}, options)
}

// BookEntries iterates over the entries of the journal, newest first. An error is the last value.
func (o *Operator) BookEntries(
	ctx context.Context, q BookEntriesQuery, options ...CallOption,
) iter.Seq2[BookEntry, error] {
	return pages(q, func(q *BookEntriesQuery) ([]BookEntry, bool, error) {
		page, err := o.ListBookEntries(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Entries, q.Cursor != "", nil
	})
}

// Balance is what the lines on an account add up to.
type Balance struct {
	Account     BookAccount `json:"account"`
	AmountCents int64       `json:"amount_cents"`
	Currency    Currency    `json:"currency"`
}

// BalanceList has the balances by currency and account.
type BalanceList struct {
	Balances []Balance `json:"balances"`
}

// BalancesQuery chooses lines to add up. Zero fields do not restrict; From and To are dates, both included.
type BalancesQuery struct {
	PartnerID string `query:"partner_id"`
	CourierID string `query:"courier_id"` // whose cash is added up
	From      string `query:"from"`
	To        string `query:"to"`
}

// ListBalances returns what the accounts add up to. They add up to zero for each currency.
func (o *Operator) ListBalances(ctx context.Context, q BalancesQuery, options ...CallOption) (*BalanceList, error) {
	return fetch[BalanceList](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/balances", query: queryOf(q)}, options)
}

// AdjustmentRequest is a correction of what a partner was charged.
type AdjustmentRequest struct {
	AmountCents int64  `json:"amount_cents"`       // CAD, before taxes; below zero if too much was charged
	Currency    string `json:"currency,omitempty"` // CAD, or empty
	OrderID     string `json:"order_id,omitempty"` // whose charge is corrected, with its part of the taxes; empty for none
	Reason      string `json:"reason"`
}

// CreateAdjustment corrects what a partner was charged. Before the books begin the error is CodeConflict.
func (o *Operator) CreateAdjustment(
	ctx context.Context, partnerID string, adjustment AdjustmentRequest, options ...CallOption,
) (*BookEntry, error) {
	return fetch[BookEntry](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/partners/{id}/adjustments", id: partnerID, body: adjustment, keyed: true,
	}, options)
}

// PaymentRequest is a payment by a partner.
type PaymentRequest struct {
	AmountCents int64  `json:"amount_cents"`       // CAD
	Currency    string `json:"currency,omitempty"` // CAD, or empty
	Notes       string `json:"notes,omitempty"`
}

// CreatePayment records that a partner has paid. Before the books begin the error is CodeConflict.
func (o *Operator) CreatePayment(
	ctx context.Context, partnerID string, payment PaymentRequest, options ...CallOption,
) (*BookEntry, error) {
	return fetch[BookEntry](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/partners/{id}/payments", id: partnerID, body: payment, keyed: true,
	}, options)
}
