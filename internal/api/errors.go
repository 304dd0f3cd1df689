package api

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// statusOf maps every kind of refusal to its HTTP status (docs/contract.md, Errors).
var statusOf = map[refusal.Code]int{
	refusal.CodeBadRequest:            http.StatusBadRequest,
	refusal.CodeEmailTaken:            http.StatusBadRequest,
	refusal.CodeUnauthorized:          http.StatusUnauthorized,
	refusal.CodeForbidden:             http.StatusForbidden,
	refusal.CodeNotFound:              http.StatusNotFound,
	refusal.CodeMethodNotAllowed:      http.StatusMethodNotAllowed,
	refusal.CodeConflict:              http.StatusConflict,
	delivery.CodeOrderNotCancellable:  http.StatusConflict,
	delivery.CodeInvalidTransition:    http.StatusConflict,
	refusal.CodeIdempotencyInProgress: http.StatusConflict,
	refusal.CodeGone:                  http.StatusGone,
	refusal.CodePayloadTooLarge:       http.StatusRequestEntityTooLarge,
	refusal.CodeUnsupportedMediaType:  http.StatusUnsupportedMediaType,
	// 422 rather than 409 for missing stock: clients take a 409 to mean that the
	// order has been created already.
	delivery.CodeInsufficientStock:    http.StatusUnprocessableEntity,
	refusal.CodeValidation:            http.StatusUnprocessableEntity,
	refusal.CodeIdempotencyKeyReused:  http.StatusUnprocessableEntity,
	delivery.CodeWebhookNotConfigured: http.StatusUnprocessableEntity,
	refusal.CodeRateLimited:           http.StatusTooManyRequests,
	delivery.CodeQuotaExceeded:        http.StatusTooManyRequests,
	refusal.CodeInternal:              http.StatusInternalServerError,
	refusal.CodeUnavailable:           http.StatusServiceUnavailable,
}

// Codes returns the codes of all errors, sorted.
func Codes() []refusal.Code { return slices.Sorted(maps.Keys(statusOf)) }

// Statuses returns the HTTP status of each code.
func Statuses() map[refusal.Code]int { return maps.Clone(statusOf) }

// statusError wraps an error that gets another status than its kind has.
type statusError struct {
	error
	status int
}

func (e statusError) Unwrap() error { return e.error }

type errorBody struct {
	Error     errorDetail `json:"error"`
	RequestID string      `json:"request_id"`
}

type errorDetail struct {
	Code    refusal.Code `json:"code"`
	Message string       `json:"message"`
	DocURL  string       `json:"doc_url"`
	Details any          `json:"details,omitzero"`
}

// refusal turns an error into a response. All errors go through it. An error that
// is not a refusal is a fault of the service: it is logged, and the response does
// not mention its cause.
func (s *Server) refusal(c *call, err error) reply {
	status, refused := s.explain(c, err)
	c.code = refused.Code
	after := refused.RetryAfter
	if after == 0 && status == http.StatusServiceUnavailable {
		after = downRetry
	}
	if after > 0 {
		c.header.Set("Retry-After", wholeSeconds(after))
	}
	c.header.Del("Content-Type")
	c.header.Del("Content-Encoding")
	if s.wantsPage(c) {
		page, err := s.refusedPage(c, status, refused)
		if err == nil {
			return page
		}
		s.config.Log.ErrorContext(c.Context(), "page of a refusal not written", "request_id", c.id, "error", err)
	}
	body, err := strictjson.Marshal(errorBody{Error: s.detailOf(refused), RequestID: c.id})
	if err != nil {
		s.config.Log.ErrorContext(c.Context(), "error not encoded", "request_id", c.id, "error", err)
	}
	return reply{status: status, body: body}
}

// explain returns the refusal that the client sees for an error, and its status.
func (s *Server) explain(c *call, err error) (status int, refused *refusal.Error) {
	refused = s.publicError(c, err)
	status = cmp.Or(statusOf[refused.Code], http.StatusInternalServerError)
	var marked statusError
	if errors.As(err, &marked) {
		status = marked.status
	}
	return status, refused
}

func (s *Server) detailOf(refused *refusal.Error) errorDetail {
	return errorDetail{refused.Code, refused.Message, s.docURLs[refused.Code], refused.Details}
}

// docURLs returns the addresses of the pages that explain errors, by code.
func docURLs(baseURL string) map[refusal.Code]string {
	urls := make(map[refusal.Code]string, len(statusOf))
	for code := range statusOf {
		urls[code] = baseURL + "/docs/errors/" + string(code)
	}
	return urls
}

// publicError returns the refusal that the client sees for an error. A fault of
// the service is logged and becomes errInternal.
func (s *Server) publicError(c *call, err error) *refusal.Error {
	refused := known(err)
	if refused == nil {
		s.config.Log.ErrorContext(c.Context(), "request failed",
			"request_id", c.id, "method", c.Method, "path", c.loggedPath(), "error", err)
	}
	return cmp.Or(refused, errInternal)
}

// loggedPath returns the path as logs hold it: without the token of a link. The token is
// recognised by its look as well as by the route, because a link that was copied wrongly
// matches no route, and its token is still good.
func (c *call) loggedPath() string {
	if strings.Contains(c.Pattern, "{token}") {
		return c.Pattern
	}
	return maskSecrets(c.URL.Path, c.Pattern)
}

var errInternal = refusal.New(refusal.CodeInternal, "something went wrong on our side")

// errDown is returned without waiting, while the database is known to be down, or its disk
// to be full.
var errDown = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "the service cannot reach its database at the moment", RetryAfter: downRetry,
}

// errBlocked is returned when another transaction holds the rows of a request for too long.
var errBlocked = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "the request waited too long for another change of the same account", RetryAfter: downRetry,
}

// downRetry is when it is worth asking again after 503, unless the refusal says. The store
// looks more often than that.
const downRetry = 2 * time.Second

// known returns the refusal in an error; nil if the error is a fault of the service.
func known(err error) *refusal.Error {
	var refused *refusal.Error
	switch {
	case errors.As(err, &refused):
		return refused
	case errors.Is(err, refusal.ErrDown), errors.Is(err, refusal.ErrFull):
		return errDown
	case errors.Is(err, refusal.ErrBlocked):
		return errBlocked
	case errors.Is(err, refusal.ErrUnreachable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
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
