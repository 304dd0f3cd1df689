package httpd

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// StatusError wraps an error that gets another status than its kind has.
type StatusError struct {
	Err    error
	Status int
}

func (e StatusError) Error() string { return e.Err.Error() }

func (e StatusError) Unwrap() error { return e.Err }

type errorBody struct {
	Error     ErrorDetail `json:"error"`
	RequestID string      `json:"request_id"`
}

// ErrorDetail is an error as clients see it.
type ErrorDetail struct {
	Code    refusal.Code `json:"code"`
	Message string       `json:"message"`
	DocURL  string       `json:"doc_url"`
	Details any          `json:"details,omitzero"`
}

// refusal turns an error into a response. All errors go through it. An error that
// is not a refusal is a fault of the service: it is logged, and the response does
// not mention its cause.
func (s *Server) refusal(c *Call, err error) Reply {
	status, refused := c.Explain(err)
	c.Code = refused.Code
	after := refused.RetryAfter
	if after == 0 && status == http.StatusServiceUnavailable {
		after = downRetry
	}
	if after > 0 {
		c.ReplyHeader.Set("Retry-After", wholeSeconds(after))
	}
	c.ReplyHeader.Del("Content-Type")
	c.ReplyHeader.Del("Content-Encoding")
	if s.wantsPage(c) {
		page, err := s.refusedPage(c, status, refused)
		if err == nil {
			return page
		}
		s.config.Log.ErrorContext(c.Context(), "page of a refusal not written", "request_id", c.RequestID, "error", err)
	}
	body, err := strictjson.Marshal(errorBody{Error: c.Detail(refused), RequestID: c.RequestID})
	if err != nil {
		s.config.Log.ErrorContext(c.Context(), "error not encoded", "request_id", c.RequestID, "error", err)
	}
	return Reply{Status: status, Body: body}
}

// Explain returns the refusal that the client sees for an error, and its status.
func (c *Call) Explain(err error) (status int, refused *refusal.Error) {
	refused = c.Public(err)
	status = cmp.Or(c.server.config.Statuses[refused.Code], http.StatusInternalServerError)
	var marked StatusError
	if errors.As(err, &marked) {
		status = marked.Status
	}
	return status, refused
}

// Detail returns a refusal as clients see it.
func (c *Call) Detail(refused *refusal.Error) ErrorDetail {
	return ErrorDetail{refused.Code, refused.Message, c.server.docURLs[refused.Code], refused.Details}
}

// docURLs returns the addresses of the pages that explain errors, by code.
func docURLs(baseURL string, statuses map[refusal.Code]int) map[refusal.Code]string {
	urls := make(map[refusal.Code]string, len(statuses))
	for code := range statuses {
		urls[code] = baseURL + "/docs/errors/" + string(code)
	}
	return urls
}

// Public returns the refusal that the client sees for an error. A fault of
// the service is logged and becomes errInternal.
func (c *Call) Public(err error) *refusal.Error {
	refused := Known(err)
	if refused == nil {
		c.server.config.Log.ErrorContext(c.Context(), "request failed",
			"request_id", c.RequestID, "method", c.Method, "path", c.loggedPath(), "error", err)
	}
	return cmp.Or(refused, errInternal)
}

// loggedPath returns the path as logs hold it: without the token of a link. The token is
// recognised by its look as well as by the route, because a link that was copied wrongly
// matches no route, and its token is still good.
func (c *Call) loggedPath() string {
	if strings.Contains(c.Pattern, "{token}") {
		return c.Pattern
	}
	return c.server.maskSecrets(c.URL.Path, c.Pattern)
}

var errInternal = refusal.New(refusal.CodeInternal, "something went wrong on our side")

// errDown is returned without waiting, while the database is known to be down, or its disk
// to be full.
var errDown = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "the service cannot reach its database at the moment", RetryAfter: downRetry,
}

// errBlocked is returned when another transaction holds the rows of a request for too long.
var errBlocked = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "the request waited too long for another change of the same account",
	RetryAfter: downRetry,
}

// downRetry is when it is worth asking again after 503, unless the refusal says. The store
// looks more often than that.
const downRetry = 2 * time.Second

// Known returns the refusal in an error; nil if the error is a fault of the service.
func Known(err error) *refusal.Error {
	var refused *refusal.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, refusal.ErrDown), errors.Is(err, refusal.ErrFull):
		return errDown
	case errors.Is(err, refusal.ErrBlocked):
		return errBlocked
	case errors.Is(err, refusal.ErrUnreachable), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, context.Canceled):
		return refusal.New(refusal.CodeUnavailable, "the request could not be finished in time")
	default:
		return nil
	}
}

// wholeSeconds returns the seconds of d, rounded up so that clients do not retry
// too early.
func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}
