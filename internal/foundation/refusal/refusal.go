// Package refusal has the errors that callers of the service may see, by code.
package refusal

import (
	"errors"
	"fmt"
	"time"
)

// Code is a kind of refusal, the error.code of a response. Package api decides
// which HTTP status belongs to it.
type Code string

// The codes that are not specific to one use case.
const (
	CodeBadRequest            Code = "bad_request"
	CodeEmailTaken            Code = "email_taken"
	CodeUnauthorized          Code = "unauthorized"
	CodeForbidden             Code = "forbidden"
	CodeNotFound              Code = "not_found"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeConflict              Code = "conflict"
	CodeIdempotencyInProgress Code = "idempotency_in_progress"
	CodeGone                  Code = "gone"
	CodePayloadTooLarge       Code = "payload_too_large"
	CodeUnsupportedMediaType  Code = "unsupported_media_type"
	CodeValidation            Code = "validation_error"
	CodeIdempotencyKeyReused  Code = "idempotency_key_reused"
	CodeRateLimited           Code = "rate_limited"
	CodeInternal              Code = "internal_error"
	CodeUnavailable           Code = "unavailable"
)

// ErrUnreachable means that the database could not be reached, or that the
// connection broke before it was known whether a transaction was committed. A
// caller that retries must be able to find out, for example by an idempotency key.
var ErrUnreachable = errors.New("the database cannot be reached")

// ErrDown is an ErrUnreachable that was returned without another attempt, because the
// database has been out of reach for some time. Repeating it soon is of no use.
var ErrDown = fmt.Errorf("%w: it has failed for some time", ErrUnreachable)

// ErrFull is an ErrUnreachable that the database answers with because a disk has no room
// for the change. Nothing was changed, and repeating it before there is room is of no use.
var ErrFull = fmt.Errorf("%w: its disk is full", ErrUnreachable)

// ErrBlocked means that another transaction kept rows locked for longer than this one
// waits. Nothing was changed.
var ErrBlocked = errors.New("another transaction has locked the same rows")

// Error is a refusal. The caller may see all of it; any other error is a fault of
// the service, which is logged and not shown.
type Error struct {
	Code    Code
	Message string
	// Details is encoded as error.details; nil leaves them out.
	Details any
	// RetryAfter is how long the caller should wait; 0 leaves it out.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// New returns an Error without details.
func New(code Code, message string) *Error {
	return &Error{Code: code, Message: message}
}

// NotFound returns the refusal for a thing that does not exist, or that the caller
// may not know about.
func NotFound(what string) *Error {
	return New(CodeNotFound, what+" does not exist")
}

// HasCode reports whether err is or wraps an Error with the code.
func HasCode(err error, code Code) bool {
	var refused *Error
	return errors.As(err, &refused) && refused.Code == code
}
