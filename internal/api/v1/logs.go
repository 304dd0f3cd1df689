package v1

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/requestlogger"
)

// LogSigned adds a signed request to the request log.
func (s *Server) LogSigned(c *httpd.Call, took time.Duration) {
	path := c.Route.Pattern
	if len(c.URL.Path) <= httpd.LongestPath {
		path = c.URL.Path
	}
	s.config.RequestLog.Add(&requestlog.Entry{
		PartnerID: c.Account, RequestID: c.RequestID, At: s.config.Now().Add(-took), Took: took,
		Method: c.Method, Pattern: c.Route.Pattern, Path: path, Status: c.Status, Code: string(c.Code),
		KeyID: c.Key.ID, OrderID: c.Created, Body: c.Refused,
	})
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
		RequestID: e.RequestID, At: e.At, Method: e.Method, Path: e.Path, Status: e.Status,
		Code: strictjson.OrNull(refusal.Code(e.Code)), DurationMS: e.Took.Milliseconds(), KeyID: e.KeyID,
		OrderID: strictjson.OrNull(e.OrderID), RequestBody: strictjson.OrNull(string(e.Body)),
	}
}

// loggedMethods are the methods of requests that may be signed.
var loggedMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// logCursor accepts the next_cursor of an earlier page.
var logCursor = form.TextRule{Rule: httpd.CursorRule, Allows: func(text string) bool {
	_, ok := requestlogger.ParseCursor(text)
	return ok
}}

func (s *Server) handleLogs(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := requestlog.Filter{
		PartnerID: c.Account,
		Status:    int(q.Integer("status", 0, 100, 599)),
		Method:    q.OneOf("method", form.OneOf(loggedMethods...)),
		OrderID:   q.Text("order_id"),
		From:      q.Time("from"), To: q.Time("to"),
	}
	after, _ := requestlogger.ParseCursor(q.OneOf("cursor", logCursor)) // oneOf refuses what does not parse
	limit := q.Limit(maxPage)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	page, err := s.config.RequestLog.List(c.Context(), filter, after, limit)
	if err != nil {
		return httpd.Reply{}, err
	}
	logs := make([]loggedRequest, len(page.Entries))
	for i := range page.Entries {
		logs[i] = loggedOf(&page.Entries[i])
	}
	next := ""
	if page.Next != nil {
		next = page.Next.String()
	}
	return httpd.OK(struct {
		Logs []loggedRequest `json:"logs"`
		Next string          `json:"next_cursor,omitzero"`
	}{logs, next})
}
