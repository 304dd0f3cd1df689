package delivery

import "github.com/dropyard/dropyard/internal/foundation/refusal"

// The codes of refusals that only deliveries have.
const (
	CodeOrderNotCancellable  refusal.Code = "order_not_cancellable"
	CodeOrderNotEditable     refusal.Code = "order_not_editable"
	CodeInvalidTransition    refusal.Code = "invalid_transition"
	CodeInsufficientStock    refusal.Code = "insufficient_stock"
	CodeSKUTaken             refusal.Code = "sku_taken"
	CodeQuotaExceeded        refusal.Code = "quota_exceeded"
	CodeWebhookNotConfigured refusal.Code = "webhook_not_configured"
)
