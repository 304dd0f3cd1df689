package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// CourierMessageRequest is a message to a courier.
type CourierMessageRequest struct {
	Text string `json:"text"` // 1 to 500 characters
}

// CourierMessage is a message from the desk to a courier.
type CourierMessage struct {
	MessageID string        `json:"message_id"`
	CourierID string        `json:"courier_id"`
	Text      string        `json:"text"`
	At        time.Time     `json:"at"`
	By        NamedOperator `json:"by"`
	ReadAt    time.Time     `json:"read_at,omitzero"` // zero until the courier has confirmed it
}

// NamedOperator is the operator who has done something.
type NamedOperator struct {
	OperatorID string `json:"operator_id"`
	Email      string `json:"email,omitempty"` // empty for what is not a person
}

// CourierMessageList is a page of messages to a courier, newest first.
type CourierMessageList struct {
	Messages   []CourierMessage `json:"messages"`
	NextCursor string           `json:"next_cursor,omitempty"` // empty on the last page
}

// UnreadMessage is a message that the courier has not confirmed.
type UnreadMessage struct {
	MessageID string    `json:"message_id"`
	Text      string    `json:"text"`
	At        time.Time `json:"at"`
}

// CreateCourierMessage sends a courier a message, which the courier's app shows until it is confirmed.
func (o *Operator) CreateCourierMessage(
	ctx context.Context, courierID string, message CourierMessageRequest, options ...CallOption,
) (*CourierMessage, error) {
	return fetch[CourierMessage](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/couriers/{id}/messages", id: courierID, body: message, keyed: true,
	}, options)
}

// ListCourierMessages returns a page of the messages to a courier, newest first. They are removed 30 days after
// they were sent.
func (o *Operator) ListCourierMessages(
	ctx context.Context, courierID string, q PageQuery, options ...CallOption,
) (*CourierMessageList, error) {
	return fetch[CourierMessageList](ctx, o, operation{
		method: http.MethodGet, path: "/ops/v1/couriers/{id}/messages", id: courierID, query: queryOf(q),
	}, options)
}

// CourierMessageRead says that a courier has read a message.
type CourierMessageRead struct {
	// OccurredAt is when it was read, at most 48 hours ago; zero if that is now.
	OccurredAt time.Time `json:"occurred_at,omitzero"`
}

// ConfirmCourierMessage confirms a message as the courier it was sent to. The first time stays.
func (o *Operator) ConfirmCourierMessage(
	ctx context.Context, courierID, messageID string, read CourierMessageRead, options ...CallOption,
) (*CourierMessage, error) {
	return fetch[CourierMessage](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/couriers/{id}/messages/" + url.PathEscape(messageID) + "/read",
		id: courierID, body: read, keyed: true,
	}, options)
}

// ServiceSettings are the settings of the service.
type ServiceSettings struct {
	DispatchPhone string `json:"dispatch_phone,omitempty"` // at which couriers reach the desk; empty if none is set
}

// ServiceSettingsChange is what to change of the settings. Zero fields stay as they are.
type ServiceSettingsChange struct {
	DispatchPhone Setting[string] `json:"dispatch_phone,omitzero"` // E.164; a reset removes it
}

// GetServiceSettings returns the settings of the service.
func (o *Operator) GetServiceSettings(ctx context.Context, options ...CallOption) (*ServiceSettings, error) {
	return fetch[ServiceSettings](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/settings"}, options)
}

// ChangeServiceSettings changes the settings of the service, as an admin.
func (o *Operator) ChangeServiceSettings(
	ctx context.Context, change ServiceSettingsChange, options ...CallOption,
) (*ServiceSettings, error) {
	return fetch[ServiceSettings](ctx, o,
		operation{method: http.MethodPatch, path: "/ops/v1/settings", body: change, keyed: true}, options)
}
