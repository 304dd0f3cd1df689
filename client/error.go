package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Error is a refusal of the service, or an answer of another status than 2xx from
// something else, such as a proxy. Methods return it as *Error, possibly wrapped; use
// errors.As.
type Error struct {
	// Status is the HTTP status; within a [BatchResult] and a [Validation], the one that
	// CreateOrder would have been answered with.
	Status int `json:"-"`
	// Code is the kind of error, by which programs decide. It is empty if the answer is
	// not one of the service.
	Code ErrorCode `json:"code"`
	// Message is for people, and may change at any time.
	Message string `json:"message"`
	// DocURL is the page about the code; empty if the service has none.
	DocURL  string       `json:"doc_url,omitempty"`
	Details ErrorDetails `json:"details,omitzero"`
	// RequestID identifies the request for support.
	RequestID string `json:"-"`
	// RetryAfter is how long the service asks to wait before the next attempt; 0 if it
	// does not ask.
	RetryAfter time.Duration `json:"-"`
}

// ErrorCode is a kind of error.
type ErrorCode string

// The kinds of errors, with their HTTP status.
const (
	CodeBadRequest          ErrorCode = "bad_request"           // 400: the request is malformed
	CodeEmailTaken          ErrorCode = "email_taken"           // 400: there is an account with this e-mail address
	CodeUnauthorized        ErrorCode = "unauthorized"          // 401: Details.Reason says why
	CodeForbidden           ErrorCode = "forbidden"             // 403: the account is suspended or awaits approval
	CodeNotFound            ErrorCode = "not_found"             // 404: does not exist, or belongs to another partner
	CodeMethodNotAllowed    ErrorCode = "method_not_allowed"    // 405
	CodeConflict            ErrorCode = "conflict"              // 409: the partner_order_id is taken
	CodeOrderNotCancellable ErrorCode = "order_not_cancellable" // 409: Details.Status is neither pending nor accepted
	CodeOrderNotEditable    ErrorCode = "order_not_editable"    // 409: Details.Fields cannot be edited any more
	// 409, for operators: another product, Details.ProductID, has the sku
	CodeSKUTaken ErrorCode = "sku_taken"
	// 409, for operators: Details.Allowed has the statuses that can follow
	CodeInvalidTransition ErrorCode = "invalid_transition"
	// 409: the first request with this key is still running
	CodeIdempotencyInProgress ErrorCode = "idempotency_in_progress"
	// 410, for operators: the position of the board is too old
	CodeGone                 ErrorCode = "gone"
	CodePayloadTooLarge      ErrorCode = "payload_too_large"      // 413
	CodeUnsupportedMediaType ErrorCode = "unsupported_media_type" // 415
	// 422, at registration 400: Details.Errors has the faults
	CodeValidationError      ErrorCode = "validation_error"
	CodeInsufficientStock    ErrorCode = "insufficient_stock"     // 422: Details.Items has the products
	CodeIdempotencyKeyReused ErrorCode = "idempotency_key_reused" // 422: the key was used with another body
	CodeWebhookNotConfigured ErrorCode = "webhook_not_configured" // 422: there is no endpoint
	CodeRateLimited          ErrorCode = "rate_limited"           // 429
	CodeQuotaExceeded        ErrorCode = "quota_exceeded"         // 429
	CodeInternalError        ErrorCode = "internal_error"         // 500
	CodeUnavailable          ErrorCode = "unavailable"            // 503: overloaded, stopping, or longer than 30 s
)

// Error returns the status, code and message of the answer, and the request id.
func (e *Error) Error() string {
	text := fmt.Sprintf("refused with %d %s", e.Status, http.StatusText(e.Status))
	if e.Code != "" {
		text = fmt.Sprintf("refused with %d %s: %s", e.Status, e.Code, e.Message)
	}
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// CodeOf returns the code of an error that is or wraps an *Error, and otherwise "".
func CodeOf(err error) ErrorCode {
	var refused *Error
	if !errors.As(err, &refused) {
		return ""
	}
	return refused.Code
}

// ErrorDetails holds more about an error. Which fields are set depends on the code.
type ErrorDetails struct {
	// Problem is the first fault; with validation_error.
	Problem
	Errors []Problem `json:"errors,omitempty"` // all faults, in field order; with validation_error

	Items []Shortage `json:"items,omitempty"` // every product of which there is not enough; with insufficient_stock

	// with unauthorized, or [ReasonTOTPEnrolment] with forbidden; may be empty
	Reason     UnauthorizedReason `json:"reason,omitempty"`
	ServerTime time.Time          `json:"server_time,omitzero"` // the service's clock; with ReasonTimestampSkew

	OrderID string `json:"order_id,omitempty"` // of the order that has the partner_order_id; with conflict
	// the product that has the sku, and the sku; with sku_taken
	ProductID int64  `json:"product_id,omitempty"`
	SKU       string `json:"sku,omitempty"`
	// what cannot be edited, and what still can; with order_not_editable
	Fields   []string `json:"fields,omitempty"`
	Editable []string `json:"editable,omitempty"`
	// the order's; with order_not_cancellable, order_not_editable, invalid_transition and conflict
	Status OrderStatus `json:"status,omitempty"`

	// The next are set with invalid_transition, and with conflict if an order has changed
	// since StatusMove.OccurredAt.
	Allowed   []OrderStatus    `json:"allowed,omitempty"`   // the statuses that can follow
	Version   int64            `json:"version,omitempty"`   // the order's, which grows with every change
	UpdatedAt time.Time        `json:"updated_at,omitzero"` // since when the order has had its status
	Courier   *AssignedCourier `json:"courier,omitempty"`   // nil if there is none
	ChangedBy *ChangedBy       `json:"changed_by,omitempty"`

	// The next say what was done if the answer to an operator's change is not known; with
	// conflict.
	Action   string    `json:"action,omitempty"`
	ObjectID string    `json:"object_id,omitempty"` // to what it was done
	At       time.Time `json:"at,omitzero"`

	ExpectedCents int64 `json:"expected_cents,omitempty"` // what the courier carries, of [Operator.CreateHandIn]

	Quota Quota `json:"quota,omitempty"` // the one that is used up; with quota_exceeded
	Limit int64 `json:"limit,omitempty"` // of the quota
	Used  int64 `json:"used,omitempty"`  // of the quota

	Reasons []Unready `json:"reasons,omitempty"` // of [Service.GetReady], for operators only

	// Raw is the whole object as received, with members that this version does not know.
	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON keeps the raw object, and does not fail for members of unexpected
// types: the code is worth more than the details.
func (d *ErrorDetails) UnmarshalJSON(data []byte) error {
	type plain ErrorDetails
	_ = json.Unmarshal(data, (*plain)(d))
	d.Raw = append(json.RawMessage(nil), data...)
	return nil
}

// Problem is a fault of one field.
type Problem struct {
	// Field is a path such as parcels[0].weight_kg; empty for the body as a whole.
	Field string `json:"field,omitempty"`
	// Value is the value as sent: a string, float64, bool or nil. It is cut to 100
	// characters, "{…}" for an object, "[…]" for a list, and nil if it is missing or
	// secret.
	Value    any    `json:"value,omitempty"`
	Expected string `json:"expected,omitempty"` // what the field should hold
}

// Shortage is a product of which there is not enough for an order.
type Shortage struct {
	ProductID int64  `json:"product_id"`
	SKU       string `json:"sku,omitempty"`
	Available int64  `json:"available"`
	Requested int64  `json:"requested"`
}

// UnauthorizedReason says why a signature or a sign-in was refused.
type UnauthorizedReason string

// The reasons why a signature or a sign-in is refused.
const (
	ReasonMissingHeader     UnauthorizedReason = "missing_header"
	ReasonUnknownKey        UnauthorizedReason = "unknown_key"        // or a revoked one
	ReasonTimestampSkew     UnauthorizedReason = "timestamp_skew"     // the clocks differ by more than 300 s
	ReasonSignatureMismatch UnauthorizedReason = "signature_mismatch" // usually a wrong secret key
	ReasonV2Required        UnauthorizedReason = "v2_required"        // the key requires [SignatureV2]
	ReasonNonceUsed         UnauthorizedReason = "nonce_used"         // the request was sent twice

	ReasonTOTPRequired UnauthorizedReason = "totp_required" // the account signs in with a code as well
	ReasonTOTPWrong    UnauthorizedReason = "totp_wrong"    // or it was used already
	// with forbidden: the role must set up a second factor first
	ReasonTOTPEnrolment UnauthorizedReason = "totp_enrolment_required"

	ReasonSignInExpired   UnauthorizedReason = "sign_in_expired" // through an OpenID provider: not begun, or too long ago
	ReasonProviderRefused UnauthorizedReason = "provider_refused"
	ReasonProviderAnswer  UnauthorizedReason = "provider_answer" // the answer of the OpenID provider is not valid
)

// Quota is something of which a partner may use only so much.
type Quota string

// The quotas.
const (
	QuotaOrdersPerDay Quota = "orders_per_day"
	QuotaStoredBytes  Quota = "stored_bytes"
)

// Unready is a reason why a service is not ready.
type Unready struct {
	Reason  UnreadyReason `json:"reason"`
	Message string        `json:"message"`
}

// UnreadyReason is a kind of reason why a service is not ready.
type UnreadyReason string

// The kinds of reasons why a service is not ready.
const (
	UnreadyDraining      UnreadyReason = "draining"       // the service is stopping
	UnreadyDatabaseUnfit UnreadyReason = "database_unfit" // files of the database are gone or damaged
	UnreadyNotWritable   UnreadyReason = "not_writable"
	UnreadyNotReadable   UnreadyReason = "not_readable"
	UnreadySchemaOld     UnreadyReason = "schema_old"   // migrations are missing
	UnreadyClockOff      UnreadyReason = "clock_off"    // the clock has jumped, or differs from the database's
	UnreadyOrdersStuck   UnreadyReason = "orders_stuck" // none were committed for over 5 s while some wait
	UnreadySenderStuck   UnreadyReason = "sender_stuck"
	UnreadyDiskFull      UnreadyReason = "disk_full"
	UnreadyDiskLow       UnreadyReason = "disk_low"
	UnreadyLogLarge      UnreadyReason = "log_large" // the write-ahead log grows because a reader holds it
)

// AssignedCourier is the courier of an order, as operators see it.
type AssignedCourier struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
	Phone     string `json:"phone"` // E.164
	Vehicle   string `json:"vehicle"`
}

// ChangedBy is the operator who brought an order to its present version. It is absent
// if the partner or the service itself did.
type ChangedBy struct {
	OperatorID string    `json:"operator_id"`
	Email      string    `json:"email,omitempty"` // empty if it was not a person
	At         time.Time `json:"at"`              // when the change was recorded
}

// Err returns an *Error if the status of the answer is not 2xx, and otherwise nil.
func (a *Answer) Err() error {
	if a.Status/100 == 2 {
		return nil
	}
	var body struct {
		Error     Error  `json:"error"`
		RequestID string `json:"request_id"`
	}
	_ = json.Unmarshal(a.Body, &body) // another body leaves the code empty
	refused := &body.Error
	refused.Status, refused.RequestID, refused.RetryAfter = a.Status, body.RequestID, a.retryAfter()
	if refused.RequestID == "" {
		refused.RequestID = a.RequestID()
	}
	return refused
}
