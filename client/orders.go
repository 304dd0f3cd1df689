package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"time"
)

// CreateQuote returns a price and an estimate, and creates nothing. An order with the
// same input costs the same.
func (c *Client) CreateQuote(ctx context.Context, quote QuoteRequest, options ...CallOption) (*Quote, error) {
	return fetch[Quote](ctx, c, operation{method: http.MethodPost, path: "/v1/rates/quote", body: quote, safe: true},
		options)
}

// CreateQuotes returns a price and an estimate for each service level, by the same card at the same time, and
// creates nothing. It ignores the level of the request.
func (c *Client) CreateQuotes(ctx context.Context, quote QuoteRequest, options ...CallOption) (*QuoteList, error) {
	return fetch[QuoteList](ctx, c, operation{method: http.MethodPost, path: "/v1/rates/quotes", body: quote, safe: true},
		options)
}

// CreateOrder creates an order and takes its items out of stock, or does neither. Its
// state is [StatusPending]. See [WithIdempotencyKey] for calls that are repeated after a
// crash.
func (c *Client) CreateOrder(ctx context.Context, order OrderRequest, options ...CallOption) (*Order, error) {
	return fetch[Order](ctx, c, operation{method: http.MethodPost, path: "/v1/orders", body: order, keyed: true}, options)
}

// CreateOrders creates up to 500 orders, each independently of the others: the error of
// one order is in its result. A retry with the same key creates only those that were
// refused. Every ten orders, begun, count as one request against the rate limit.
func (c *Client) CreateOrders(ctx context.Context, batch OrderBatch, options ...CallOption) (*BatchResults, error) {
	return fetch[BatchResults](ctx, c,
		operation{method: http.MethodPost, path: "/v1/orders/batch", body: batch, keyed: true}, options)
}

// ValidateOrder returns what CreateOrder would do, and creates nothing. An order that
// would be refused is not an error; see [Validation].
func (c *Client) ValidateOrder(ctx context.Context, order OrderRequest, options ...CallOption) (*Validation, error) {
	return fetch[Validation](ctx, c,
		operation{method: http.MethodPost, path: "/v1/orders/validate", body: order, safe: true}, options)
}

// GetOrder returns an order.
func (c *Client) GetOrder(ctx context.Context, orderID string, options ...CallOption) (*Order, error) {
	return fetch[Order](ctx, c, operation{method: http.MethodGet, path: "/v1/orders/{id}", id: orderID}, options)
}

// CancelOrder cancels an order that is pending or accepted, and returns its items to
// stock. Any other is refused with [CodeOrderNotCancellable].
func (c *Client) CancelOrder(
	ctx context.Context, orderID string, cancellation CancelRequest, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, c,
		operation{method: http.MethodPost, path: "/v1/orders/{id}/cancel", id: orderID, body: cancellation, keyed: true},
		options)
}

// OrderEdit is a merge patch (RFC 7396) of what created an order: members that it has are
// replaced, null removes an optional one, and what it leaves out stays.
type OrderEdit map[string]any

// EditOrder changes the content of an order, as far as its status still allows that: otherwise
// the error is [CodeOrderNotEditable]. Its answer has RateChangeCents. Version is that of the
// order that was seen: another one is refused with [CodeConflict]; 0 does not compare.
func (c *Client) EditOrder(
	ctx context.Context, orderID string, edit OrderEdit, version int64, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, c, operation{
		method: http.MethodPatch, path: "/v1/orders/{id}", id: orderID, body: edit, version: version, keyed: true,
	}, options)
}

// previewed is the query of an edit that only shows what it would do.
var previewed = url.Values{"preview": {"true"}}

// PreviewEdit returns the order as EditOrder would leave it, with RateChangeCents, and changes
// nothing. Its error is the one that the edit would end with.
func (c *Client) PreviewEdit(
	ctx context.Context, orderID string, edit OrderEdit, version int64, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, c, operation{
		method: http.MethodPatch, path: "/v1/orders/{id}", id: orderID, query: previewed, body: edit, version: version,
		keyed: true,
	}, options)
}

// RequestCancellation requests that the service cancels an order that can no longer be
// cancelled otherwise: from [StatusCourierAssigned] to [StatusFailed], once. The answer comes
// as [EventOrderCancelled] or [EventCancellationDeclined]. Any other order is refused with
// [CodeConflict].
func (c *Client) RequestCancellation(
	ctx context.Context, orderID string, wanted CancellationWanted, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, c, operation{
		method: http.MethodPost, path: "/v1/orders/{id}/cancellation-request", id: orderID, body: wanted, keyed: true,
	}, options)
}

// LabelFormat is a format of labels.
type LabelFormat string

// The formats of labels of 4 by 6 inches.
const (
	LabelPDF LabelFormat = "application/pdf"
	LabelZPL LabelFormat = "application/zpl" // ZPL II
)

// LabelQuery says for which printers labels are drawn.
type LabelQuery struct {
	DPI int `query:"dpi"` // 203, 300 or 600; 203 if it is 0
}

// GetLabel returns the labels of an order's parcels, one page or label for each; as PDF
// if the format is empty.
func (c *Client) GetLabel(
	ctx context.Context, orderID string, format LabelFormat, options ...CallOption,
) ([]byte, error) {
	return c.PrintLabel(ctx, orderID, format, LabelQuery{}, options...)
}

// PrintLabel returns what [Client.GetLabel] does, for printers of the given resolution.
func (c *Client) PrintLabel(
	ctx context.Context, orderID string, format LabelFormat, q LabelQuery, options ...CallOption,
) ([]byte, error) {
	if format == "" {
		format = LabelPDF
	}
	return content(fetch[[]byte](ctx, c, operation{
		method: http.MethodGet, path: "/v1/orders/{id}/label", id: orderID, query: queryOf(q), accept: string(format),
	}, options))
}

// GetLabels returns the labels of 1 to 100 orders in one file, in the order in which they are
// named; as PDF if the format is empty. If one of the orders cannot be printed, none is.
func (c *Client) GetLabels(
	ctx context.Context, orderIDs []string, format LabelFormat, options ...CallOption,
) ([]byte, error) {
	return c.PrintLabels(ctx, format, LabelsQuery{OrderIDs: orderIDs}, options...)
}

// LabelLinkRequest says how the labels that a link leads to are printed. Zero fields have the defaults of
// [Client.PrintLabel].
type LabelLinkRequest struct {
	Format LabelFormat `json:"format,omitempty"`
	DPI    int         `json:"dpi,omitempty"` // 203, 300 or 600
}

// LabelLink is an address that returns labels without a signature.
type LabelLink struct {
	URL       string    `json:"url"` // confidential
	ExpiresAt time.Time `json:"expires_at"`
}

// CreateLabelLink returns an address of an order's labels for a browser or a program that prints. It can be used
// for 15 minutes.
func (c *Client) CreateLabelLink(
	ctx context.Context, orderID string, link LabelLinkRequest, options ...CallOption,
) (*LabelLink, error) {
	return fetch[LabelLink](ctx, c, operation{
		method: http.MethodPost, path: "/v1/orders/{id}/label-link", id: orderID, body: link, safe: true,
	}, options)
}

// LabelsQuery says which labels are printed together, and for which printers.
type LabelsQuery struct {
	OrderIDs []string `query:"order_id"` // 1 to 100 orders, each once, with at most 500 parcels in all
	DPI      int      `query:"dpi"`      // 203, 300 or 600; 203 if it is 0
}

// PrintLabels returns what [Client.GetLabels] does, for printers of the given resolution.
func (c *Client) PrintLabels(
	ctx context.Context, format LabelFormat, q LabelsQuery, options ...CallOption,
) ([]byte, error) {
	if format == "" {
		format = LabelPDF
	}
	return content(fetch[[]byte](ctx, c, operation{
		method: http.MethodGet, path: "/v1/labels", query: queryOf(q), accept: string(format),
	}, options))
}

// OrderQuery chooses orders. Zero fields do not restrict.
type OrderQuery struct {
	Status         OrderStatus `query:"status"`
	PartnerOrderID string      `query:"partner_order_id"` // only the order with this reference of yours
	// Search is words that an order has all of: of its number, reference or barcodes, or the recipient's name, address,
	// phone number or e-mail address. An order is found some seconds after its creation.
	Search      string    `query:"search"`
	CreatedFrom time.Time `query:"created_from"` // only orders created at this time or later
	CreatedTo   time.Time `query:"created_to"`   // only orders created before this time
	Limit       int       `query:"limit"`        // the most orders of a page, 1 to 500; 50 if it is 0
	Offset      int       `query:"offset"`       // how many orders to skip
	Cursor      string    `query:"cursor"`       // the NextCursor of the previous page, instead of an offset
}

// ListOrders returns a page of orders, newest first.
func (c *Client) ListOrders(ctx context.Context, q OrderQuery, options ...CallOption) (*OrderList, error) {
	return fetch[OrderList](ctx, c, operation{method: http.MethodGet, path: "/v1/orders", query: queryOf(q)}, options)
}

// Orders iterates over orders, newest first, from the page that the query begins with.
// An error is the last value.
func (c *Client) Orders(ctx context.Context, q OrderQuery, options ...CallOption) iter.Seq2[ListedOrder, error] {
	return pages(q, func(q *OrderQuery) ([]ListedOrder, bool, error) {
		page, err := c.ListOrders(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor, q.Offset = page.NextCursor, 0
		return page.Orders, q.Cursor != "", nil
	})
}
