package api

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/strictjson"
)

// statusOf is the HTTP status of every kind of refusal (interface section 7).
var statusOf = map[delivery.Code]int{
	delivery.CodeBadRequest:            http.StatusBadRequest,
	delivery.CodeEmailTaken:            http.StatusBadRequest,
	delivery.CodeUnauthorized:          http.StatusUnauthorized,
	delivery.CodeForbidden:             http.StatusForbidden,
	delivery.CodeNotFound:              http.StatusNotFound,
	delivery.CodeMethodNotAllowed:      http.StatusMethodNotAllowed,
	delivery.CodeConflict:              http.StatusConflict,
	delivery.CodeOrderNotCancellable:   http.StatusConflict,
	delivery.CodeInvalidTransition:     http.StatusConflict,
	delivery.CodeIdempotencyInProgress: http.StatusConflict,
	delivery.CodePayloadTooLarge:       http.StatusRequestEntityTooLarge,
	delivery.CodeUnsupportedMediaType:  http.StatusUnsupportedMediaType,
	// 422 and not 409 for missing stock: clients take a 409 on creation as
	// "already created".
	delivery.CodeInsufficientStock:    http.StatusUnprocessableEntity,
	delivery.CodeValidation:           http.StatusUnprocessableEntity,
	delivery.CodeIdempotencyKeyReused: http.StatusUnprocessableEntity,
	delivery.CodeWebhookNotConfigured: http.StatusUnprocessableEntity,
	delivery.CodeRateLimited:          http.StatusTooManyRequests,
	delivery.CodeInternal:             http.StatusInternalServerError,
	delivery.CodeUnavailable:          http.StatusServiceUnavailable,
}

// statusError answers an error with another status than its kind has.
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
	Code    delivery.Code `json:"code"`
	Message string        `json:"message"`
	Details any           `json:"details,omitzero"`
}

// refusal is the one place that turns errors into answers. An error that is no
// refusal is a fault of ours: logged, and answered without a word about it.
func (s *Server) refusal(c *call, err error) reply {
	status, refusal := s.explain(c, err)
	if refusal.RetryAfter > 0 {
		c.header.Set("Retry-After", wholeSeconds(refusal.RetryAfter))
	}
	c.header.Del("Content-Type")
	body, err := strictjson.Marshal(errorBody{Error: detailOf(refusal), RequestID: c.id})
	if err != nil {
		s.Log.ErrorContext(c.Context(), "error not encoded", "request_id", c.id, "error", err)
	}
	return reply{status: status, body: body}
}

// explain turns an error into the refusal that is told, and its status.
func (s *Server) explain(c *call, err error) (status int, refusal *delivery.Error) {
	refusal = s.told(c, err)
	status = cmp.Or(statusOf[refusal.Code], http.StatusInternalServerError)
	var marked statusError
	if errors.As(err, &marked) {
		status = marked.status
	}
	return status, refusal
}

func detailOf(refusal *delivery.Error) errorDetail {
	return errorDetail{refusal.Code, refusal.Message, refusal.Details}
}

// told is a refusal, or what is said of a fault of ours, which is logged.
func (s *Server) told(c *call, err error) *delivery.Error {
	refusal := known(err)
	if refusal == nil {
		s.Log.ErrorContext(c.Context(), "request failed",
			"request_id", c.id, "method", c.Method, "path", c.URL.Path, "error", err)
	}
	return cmp.Or(refusal, errInternal)
}

var errInternal = delivery.Refuse(delivery.CodeInternal, "something went wrong on our side")

// known finds the refusal in an error; nil if there is none.
func known(err error) *delivery.Error {
	var refusal *delivery.Error
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.Is(err, delivery.ErrUnreachable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return delivery.Refuse(delivery.CodeUnavailable, "the request could not be finished in time")
	default:
		return nil
	}
}

// wholeSeconds rounds up, so that nobody comes back too early.
func wholeSeconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}
