package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// LoggedRequest is a signed request of yours, as the service has logged it.
type LoggedRequest struct {
	RequestID  string        `json:"request_id"`
	At         time.Time     `json:"at"` // when it arrived
	Method     RequestMethod `json:"method"`
	Path       string        `json:"path"`   // without the query
	Status     int           `json:"status"` // of the response
	Code       ErrorCode     `json:"code,omitempty"`
	DurationMS int64         `json:"duration_ms"` // milliseconds
	KeyID      string        `json:"key_id"`
	OrderID    string        `json:"order_id,omitempty"` // empty if it concerned no order, or several
	// RequestBody is the beginning of the body of a refused request, without anything
	// that may be personal or secret. It may not be valid JSON.
	RequestBody string `json:"request_body,omitempty"`
}

// RequestMethod is the method of a logged request.
type RequestMethod string

// The methods.
const (
	MethodGet    RequestMethod = "GET"
	MethodHead   RequestMethod = "HEAD"
	MethodPost   RequestMethod = "POST"
	MethodPut    RequestMethod = "PUT"
	MethodPatch  RequestMethod = "PATCH"
	MethodDelete RequestMethod = "DELETE"
)

// LogList is a page of the request log.
type LogList struct {
	Logs       []LoggedRequest `json:"logs"`
	NextCursor string          `json:"next_cursor,omitempty"` // empty on the last page
}

// LogQuery chooses logged requests. Zero fields do not restrict.
type LogQuery struct {
	Status  int           `query:"status"`
	Method  RequestMethod `query:"method"`
	OrderID string        `query:"order_id"`
	From    time.Time     `query:"from"`   // requests that arrived at From or later
	To      time.Time     `query:"to"`     // requests that arrived before To
	Limit   int           `query:"limit"`  // the most requests of a page, 1 to 500; 50 if it is 0
	Cursor  string        `query:"cursor"` // the NextCursor of the previous page
}

// ListLogs returns a page of your signed requests of the last seven days, newest first.
// It may have fewer requests than its limit, and even none, although more pages follow.
func (c *Client) ListLogs(ctx context.Context, q LogQuery, options ...CallOption) (*LogList, error) {
	return fetch[LogList](ctx, c, operation{method: http.MethodGet, path: "/v1/logs", query: queryOf(q)}, options)
}

// Logs iterates over your signed requests, newest first, from the page that the query
// begins with. An error is the last value.
func (c *Client) Logs(ctx context.Context, q LogQuery, options ...CallOption) iter.Seq2[LoggedRequest, error] {
	return pages(q, func(q *LogQuery) ([]LoggedRequest, bool, error) {
		page, err := c.ListLogs(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Logs, q.Cursor != "", nil
	})
}
