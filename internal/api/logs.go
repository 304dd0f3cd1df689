package api

import (
	"bytes"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/requestlogger"
)

// The bounds of the parameter limit of the request log.
const (
	defaultLogs = 50
	maxLogs     = 500
)

// longestPath is how long a path may be to be logged as it was sent, in bytes. All
// paths with ids that exist are shorter.
const longestPath = 128

// logRequest adds a signed request to the request log.
func (s *Server) logRequest(route Route, c *call, took time.Duration) {
	if c.keyID == "" {
		return
	}
	path := route.Pattern
	if len(c.URL.Path) <= longestPath {
		path = c.URL.Path
	}
	s.config.RequestLog.Add(&requestlog.Entry{
		PartnerID: c.partnerID, RequestID: c.id, At: s.config.Now().Add(-took), Took: took,
		Method: c.Method, Pattern: route.Pattern, Path: path, Status: c.status, Code: string(c.code),
		KeyID: c.keyID, OrderID: c.orderID, Body: c.refused,
	})
}

// keepRefused keeps the beginning of the body of a signed request that was refused for
// what it says, for the request log.
func (c *call) keepRefused(body []byte, status int) {
	if c.keyID == "" || status >= http.StatusInternalServerError || status == http.StatusTooManyRequests {
		return
	}
	// One byte more than is kept shows that there was more.
	c.refused = bytes.Clone(body[:min(len(body), requestlog.MaxBody+1)])
}

type loggedRequest struct {
	RequestID   string        `json:"request_id"`
	At          time.Time     `json:"at"`
	Method      string        `json:"method"`
	Path        string        `json:"path"`
	Status      int           `json:"status"`
	Code        *refusal.Code `json:"code"` // null unless the request was refused
	DurationMS  int64         `json:"duration_ms"`
	KeyID       string        `json:"key_id"`
	OrderID     *string       `json:"order_id"`     // null if it concerned no order, or several
	RequestBody *string       `json:"request_body"` // null unless the request was refused and had a body
}

func loggedOf(e *requestlog.Entry) loggedRequest {
	return loggedRequest{
		e.RequestID, e.At, e.Method, e.Path, e.Status, orNull(refusal.Code(e.Code)), e.Took.Milliseconds(),
		e.KeyID, orNull(e.OrderID), orNull(string(e.Body)),
	}
}

// loggedMethods are the methods of requests that may be signed.
var loggedMethods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}

// logCursor accepts the next_cursor of an earlier page.
var logCursor = form.TextRule{Rule: cursorRule, Allows: func(text string) bool {
	_, ok := requestlogger.ParseCursor(text)
	return ok
}}

func (s *Server) handleLogs(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	filter := requestlog.Filter{
		PartnerID: c.partnerID,
		Status:    int(q.integer("status", 0, 100, 599)),
		Method:    q.oneOf("method", form.OneOf(loggedMethods...)),
		OrderID:   q.text("order_id"),
		From:      q.time("from"), To: q.time("to"),
	}
	after, _ := requestlogger.ParseCursor(q.oneOf("cursor", logCursor)) // oneOf refuses what does not parse
	limit := int(q.integer("limit", defaultLogs, 1, maxLogs))
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	page, err := s.config.RequestLog.List(c.Context(), filter, after, limit)
	if err != nil {
		return reply{}, err
	}
	logs := make([]loggedRequest, len(page.Entries))
	for i := range page.Entries {
		logs[i] = loggedOf(&page.Entries[i])
	}
	next := ""
	if page.Next != nil {
		next = page.Next.String()
	}
	return ok(struct {
		Logs []loggedRequest `json:"logs"`
		Next string          `json:"next_cursor,omitzero"`
	}{logs, next})
}
