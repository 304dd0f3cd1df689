package api

import (
	"maps"
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
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
	delivery.CodeOrderNotEditable:     http.StatusConflict,
	delivery.CodeInvalidTransition:    http.StatusConflict,
	refusal.CodeIdempotencyInProgress: http.StatusConflict,
	refusal.CodeGone:                  http.StatusGone,
	refusal.CodePayloadTooLarge:       http.StatusRequestEntityTooLarge,
	refusal.CodeUnsupportedMediaType:  http.StatusUnsupportedMediaType,
	// 422 rather than 409 for missing stock: clients take a 409 to mean that the
	// order has been created already.
	delivery.CodeInsufficientStock:    http.StatusUnprocessableEntity,
	delivery.CodeSKUTaken:             http.StatusConflict,
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
