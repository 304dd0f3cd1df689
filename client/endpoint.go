package client

import (
	"context"
	"net/http"
	"time"
)

// WebhookEndpointRequest is an endpoint to send events to.
type WebhookEndpointRequest struct {
	// URL is an https URL in ASCII with a public host, at most 2048 characters, without
	// user name, password and fragment. The port is 443, or 1024 or higher.
	URL string `json:"url"`
	// Enabled is true if it is nil. While it is false, events are not sent, but wait.
	Enabled *bool `json:"enabled,omitempty"`
}

// WebhookEndpoint is the endpoint that a partner's events are sent to.
type WebhookEndpoint struct {
	URL       string    `json:"url"`
	Enabled   bool      `json:"enabled"`
	CreatedAt time.Time `json:"created_at"`
	// DisabledReason says why the service has disabled the endpoint; empty if it has not.
	// Events are kept; set the endpoint again to receive them.
	DisabledReason string `json:"disabled_reason,omitempty"`
	// SecretRotatesAt is when the new secret replaces the old one; zero without a rotation.
	SecretRotatesAt time.Time `json:"secret_rotates_at,omitzero"`
	LiveMode        bool      `json:"livemode"` // false for the endpoint of test mode
	// Secret is what [Webhooks] verifies with. It is set by the SetWebhookEndpoint that
	// creates the endpoint and by RotateWebhookSecret, and in no other answer.
	Secret string `json:"secret,omitempty"`
}

// endpointPath is the path of the partner's endpoint.
const endpointPath = "/v1/webhooks/endpoint"

// GetWebhookEndpoint returns the endpoint; [CodeNotFound] if there is none.
func (c *Client) GetWebhookEndpoint(ctx context.Context, options ...CallOption) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c, operation{method: http.MethodGet, path: endpointPath}, options)
}

// SetWebhookEndpoint creates the endpoint, and then returns its secret, or changes it and
// keeps the secret. Setting an endpoint that has failed or was disabled enables it again:
// events that wait are sent immediately.
//
// If no answer to the creation arrives, the retry finds the endpoint and has no secret:
// call [Client.RotateWebhookSecret].
func (c *Client) SetWebhookEndpoint(
	ctx context.Context, endpoint WebhookEndpointRequest, options ...CallOption,
) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c, operation{method: http.MethodPut, path: endpointPath, body: endpoint}, options)
}

// DeletedWebhookEndpoint is the answer to the removal of an endpoint.
type DeletedWebhookEndpoint struct {
	Deleted bool `json:"deleted"` // true
}

// DeleteWebhookEndpoint removes the endpoint and its secret. Events that wait are
// skipped; they are kept, and can be redelivered to a new endpoint.
func (c *Client) DeleteWebhookEndpoint(ctx context.Context, options ...CallOption) (*DeletedWebhookEndpoint, error) {
	return fetch[DeletedWebhookEndpoint](ctx, c, operation{method: http.MethodDelete, path: endpointPath}, options)
}

// RotateWebhookSecret returns the endpoint with a new secret. For 24 hours, or until
// ActivateWebhookSecret, events are signed with both secrets, and [Webhooks] accepts
// either.
func (c *Client) RotateWebhookSecret(ctx context.Context, options ...CallOption) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c,
		operation{method: http.MethodPost, path: endpointPath + "/rotate-secret", safe: true}, options)
}

// ActivateWebhookSecret ends a rotation: only the new secret signs from now on.
func (c *Client) ActivateWebhookSecret(ctx context.Context, options ...CallOption) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c,
		operation{method: http.MethodPost, path: endpointPath + "/activate-secret", safe: true}, options)
}

// WebhookTest is the result of a test event.
type WebhookTest struct {
	EventID    string `json:"event_id"`
	Delivered  bool   `json:"delivered"`             // the endpoint answered 2xx
	StatusCode int    `json:"status_code,omitempty"` // of the endpoint's answer; 0 if there was none
	DurationMS int64  `json:"duration_ms"`           // milliseconds
	Error      string `json:"error,omitempty"`       // why there was no answer; empty if there was one
}

// TestWebhook sends an [EventTest] to the endpoint, even to one that is disabled, and
// returns what the endpoint answered within 15 seconds.
func (c *Client) TestWebhook(ctx context.Context, options ...CallOption) (*WebhookTest, error) {
	return fetch[WebhookTest](ctx, c, operation{method: http.MethodPost, path: "/v1/webhooks/test", safe: true}, options)
}
