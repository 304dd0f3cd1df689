package refusal

import (
	"errors"
	"time"
)

// Code names a kind of refusal. It is the error.code of an answer (interface
// section 7); which HTTP status goes with it is decided in one place, in api.
type Code string

// The codes a caller can meet.
const (
	CodeBadRequest            Code = "bad_request"
	CodeEmailTaken            Code = "email_taken"
	CodeUnauthorized          Code = "unauthorized"
	CodeForbidden             Code = "forbidden"
	CodeNotFound              Code = "not_found"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeConflict              Code = "conflict"
	CodeIdempotencyInProgress Code = "idempotency_in_progress"
	CodePayloadTooLarge       Code = "payload_too_large"
	CodeUnsupportedMediaType  Code = "unsupported_media_type"
	CodeValidation            Code = "validation_error"
	CodeIdempotencyKeyReused  Code = "idempotency_key_reused"
	CodeRateLimited           Code = "rate_limited"
	CodeInternal              Code = "internal_error"
	CodeUnavailable           Code = "unavailable"
)

// ErrUnreachable tells that the database could not be reached, or broke off
// before it said whether a transaction was committed. Whoever retries must be
// able to tell what became of the first try: idempotency keys are for that.
var ErrUnreachable = errors.New("the database cannot be reached")

// Error is a refusal that the caller may see, whole. Any other error is a
// fault of the service and is shown to nobody.
type Error struct {
	Code    Code
	Message string
	// Details is encoded as the error's details; nil leaves them out.
	Details any
	// RetryAfter, when positive, says how long the caller should wait.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// Refuse makes an Error without details.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message}
}

// NotFound is the refusal for a thing that does not exist, or that the caller
// must not know of.
func NotFound(what string) *Error {
	return New(CodeNotFound, what+" does not exist")
}

// HasCode tells whether err is, or wraps, a refusal of the given kind.
func HasCode(err error, code Code) bool {
	var refusal *Error
	return errors.As(err, &refusal) && refusal.Code == code
}
