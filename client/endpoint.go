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
	// Events lists the types that the endpoint takes; empty for all but those that are only
	// sent to endpoints that name them.
	Events []EventType `json:"events,omitempty"`
	// Format says how requests look; empty for [FormatDropyard].
	Format EndpointFormat `json:"format,omitempty"`
}

// WebhookEndpointPatch changes what is set in it, and leaves the rest of an endpoint as it is.
type WebhookEndpointPatch struct {
	URL     string         `json:"url,omitempty"`
	Enabled *bool          `json:"enabled,omitempty"`
	Events  []EventType    `json:"events,omitempty"`
	Format  EndpointFormat `json:"format,omitempty"`
}

// FirstEndpoint is the id of the endpoint of [Client.SetWebhookEndpoint].
const FirstEndpoint = "first"

// WebhookEndpoint is an endpoint that a partner's events are sent to.
type WebhookEndpoint struct {
	EndpointID string    `json:"endpoint_id"` // FirstEndpoint, or that of another endpoint
	URL        string    `json:"url"`
	Enabled    bool      `json:"enabled"`
	CreatedAt  time.Time `json:"created_at"`
	// Events lists the types that the endpoint takes; empty for all but those that are only
	// sent to endpoints that name them.
	Events []EventType    `json:"events,omitempty"`
	Format EndpointFormat `json:"format"`
	// DisabledReason says why the service has disabled the endpoint; empty if it has not.
	// Events are kept; set the endpoint again to receive them.
	DisabledReason string `json:"disabled_reason,omitempty"`
	// SecretRotatesAt is when the new secret replaces the old one; zero without a rotation.
	SecretRotatesAt time.Time `json:"secret_rotates_at,omitzero"`
	LiveMode        bool      `json:"livemode"` // false for the endpoint of test mode
	// Secret is what [Webhooks] verifies with. It is set by the SetWebhookEndpoint or
	// AddWebhookEndpoint that creates the endpoint and by RotateWebhookSecret or
	// RotateEndpointSecret, and in no other answer.
	Secret string `json:"secret,omitempty"`
}

// endpointPath is the path of the partner's endpoint.
const endpointPath = "/v1/webhooks/endpoint"

// GetWebhookEndpoint returns the first endpoint; [CodeNotFound] if there is none.
func (c *Client) GetWebhookEndpoint(ctx context.Context, options ...CallOption) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c, operation{method: http.MethodGet, path: endpointPath}, options)
}

// SetWebhookEndpoint creates the first endpoint, and then returns its secret, or changes it and
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

// DeleteWebhookEndpoint removes the first endpoint and its secret. Events that wait are
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

// endpointsPath is the path of all endpoints, and oneEndpoint that of one.
const (
	endpointsPath = "/v1/webhooks/endpoints"
	oneEndpoint   = endpointsPath + "/{id}"
)

// WebhookEndpointList is all endpoints of an account.
type WebhookEndpointList struct {
	Endpoints []WebhookEndpoint `json:"endpoints"` // the first one, and then the others as they were added
}

// ListWebhookEndpoints returns all endpoints, up to ten.
func (c *Client) ListWebhookEndpoints(ctx context.Context, options ...CallOption) (*WebhookEndpointList, error) {
	return fetch[WebhookEndpointList](ctx, c, operation{method: http.MethodGet, path: endpointsPath}, options)
}

// AddWebhookEndpoint adds an endpoint and returns its secret. It is the first one if there is
// none of that name. [CodeConflict] means that there are ten.
//
// If no answer arrives, look with ListWebhookEndpoints whether the endpoint was added; a new secret
// comes from RotateEndpointSecret.
func (c *Client) AddWebhookEndpoint(
	ctx context.Context, endpoint WebhookEndpointRequest, options ...CallOption,
) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c, operation{method: http.MethodPost, path: endpointsPath, body: endpoint}, options)
}

// GetEndpoint returns an endpoint by its id.
func (c *Client) GetEndpoint(ctx context.Context, endpointID string, options ...CallOption) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c, operation{method: http.MethodGet, path: oneEndpoint, id: endpointID}, options)
}

// EditEndpoint changes some settings of an endpoint. A new URL, or Enabled, also resets an endpoint
// that has failed or was disabled.
func (c *Client) EditEndpoint(
	ctx context.Context, endpointID string, edit WebhookEndpointPatch, options ...CallOption,
) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c,
		operation{method: http.MethodPatch, path: oneEndpoint, id: endpointID, body: edit}, options)
}

// DeleteEndpoint removes an endpoint and its secret. Events that wait there are skipped.
func (c *Client) DeleteEndpoint(
	ctx context.Context, endpointID string, options ...CallOption,
) (*DeletedWebhookEndpoint, error) {
	return fetch[DeletedWebhookEndpoint](ctx, c,
		operation{method: http.MethodDelete, path: oneEndpoint, id: endpointID}, options)
}

// RotateEndpointSecret is [Client.RotateWebhookSecret] for any endpoint.
func (c *Client) RotateEndpointSecret(
	ctx context.Context, endpointID string, options ...CallOption,
) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c,
		operation{method: http.MethodPost, path: oneEndpoint + "/rotate-secret", id: endpointID, safe: true}, options)
}

// ActivateEndpointSecret is [Client.ActivateWebhookSecret] for any endpoint.
func (c *Client) ActivateEndpointSecret(
	ctx context.Context, endpointID string, options ...CallOption,
) (*WebhookEndpoint, error) {
	return fetch[WebhookEndpoint](ctx, c,
		operation{method: http.MethodPost, path: oneEndpoint + "/activate-secret", id: endpointID, safe: true}, options)
}

// EndpointQuery chooses an endpoint; the first one if it is empty.
type EndpointQuery struct {
	EndpointID string `query:"endpoint_id"`
}

// WebhookTest is the result of a test event.
type WebhookTest struct {
	EventID    string `json:"event_id"`
	Delivered  bool   `json:"delivered"`             // the endpoint answered 2xx
	StatusCode int    `json:"status_code,omitempty"` // of the endpoint's answer; 0 if there was none
	DurationMS int64  `json:"duration_ms"`           // milliseconds
	Error      string `json:"error,omitempty"`       // why there was no answer; empty if there was one
}

// TestWebhook sends an [EventTest] to the first endpoint, even to one that is disabled, and
// returns what the endpoint answered within 15 seconds.
func (c *Client) TestWebhook(ctx context.Context, options ...CallOption) (*WebhookTest, error) {
	return c.TestEndpoint(ctx, EndpointQuery{}, options...)
}

// TestEndpoint is [Client.TestWebhook] for any endpoint.
func (c *Client) TestEndpoint(ctx context.Context, q EndpointQuery, options ...CallOption) (*WebhookTest, error) {
	return fetch[WebhookTest](ctx, c,
		operation{method: http.MethodPost, path: "/v1/webhooks/test", query: queryOf(q), safe: true}, options)
}
