package client

import (
	"context"
	"net/http"
	"time"
)

// sessionCookie is the name of the cookie that holds a session.
const sessionCookie = "dropyard_session"

// Session manages a partner's account and API keys. It ends 12 hours after its last use,
// and at the latest 7 days after [Service.Login]; then calls are refused with
// [CodeUnauthorized]. Many goroutines may use it.
type Session struct {
	Service
	Partner Partner // the account, as it was at the login
	Cookie  string  // the value of the session's cookie; a secret
}

func (s *Session) authorize(request *http.Request, _ []byte) error {
	addCookie(request, sessionCookie, s.Cookie)
	return nil
}

// GetMe returns the account.
func (s *Session) GetMe(ctx context.Context, options ...CallOption) (*Partner, error) {
	return fetch[Partner](ctx, s, operation{method: http.MethodGet, path: "/v1/auth/me"}, options)
}

// LoggedOut is the answer to the end of a session.
type LoggedOut struct {
	LoggedOut bool `json:"logged_out"` // true
}

// Logout ends the session. It succeeds even if the session has ended already.
func (s *Session) Logout(ctx context.Context, options ...CallOption) (*LoggedOut, error) {
	return fetch[LoggedOut](ctx, s, operation{method: http.MethodPost, path: "/v1/auth/logout", safe: true}, options)
}

// CreateAPIKeyRequest is a new API key.
type CreateAPIKeyRequest struct {
	Name   string  `json:"name,omitempty"`   // a label of up to 255 characters; optional
	Scopes []Scope `json:"scopes,omitempty"` // what the key may do; none for everything that a key can do
	Mode   KeyMode `json:"mode,omitempty"`   // [ModeLive] if it is empty
	// RequireV2 makes the service refuse signatures of version 1; see [Client.Signatures].
	RequireV2 bool `json:"require_v2,omitempty"`
}

// KeyMode says whether the orders of an API key are delivered.
type KeyMode string

// The modes of API keys. Each has orders, products, events and a webhook endpoint of its
// own, which do not exist in the other.
const (
	ModeLive KeyMode = "live"
	ModeTest KeyMode = "test" // orders are simulated
)

// Scope says what an API key may do.
type Scope string

// The scopes of API keys. Each one but ScopeRead includes reading what it changes.
const (
	ScopeOrders   Scope = "orders"
	ScopeStock    Scope = "stock"
	ScopeWebhooks Scope = "webhooks"
	ScopeRead     Scope = "read" // everything that a key can read
)

// Creator is the user who made an API key, and who may have left since.
type Creator struct {
	UserID string `json:"user_id"`
	Name   string `json:"name"` // at that time
}

// APIKey is a pair of keys that signs requests.
type APIKey struct {
	KeyID     string `json:"key_id"`
	Name      string `json:"name"`
	PublicKey string `json:"public_key"`
	// SecretKey is set only by CreateAPIKey. No later answer holds it.
	SecretKey  string    `json:"secret_key,omitempty"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at,omitzero"` // zero until the first use
	CreatedBy  Creator   `json:"created_by"`
	Scopes     []Scope   `json:"scopes"` // empty for a key that may do everything that a key can do
	Mode       KeyMode   `json:"mode"`
	LiveMode   bool      `json:"livemode"` // whether Mode is [ModeLive]
	RequireV2  bool      `json:"require_v2"`
}

// CreateAPIKey creates an API key, which works immediately. A partner may have 1,000. If
// no answer arrives, a key may exist whose secret is lost: revoke it.
func (s *Session) CreateAPIKey(ctx context.Context, key CreateAPIKeyRequest, options ...CallOption) (*APIKey, error) {
	return fetch[APIKey](ctx, s, operation{method: http.MethodPost, path: "/v1/auth/api-keys", body: key}, options)
}

// APIKeyList is the active API keys of a partner.
type APIKeyList struct {
	APIKeys []APIKey `json:"api_keys"` // without their secrets
	Count   int      `json:"count"`
}

// ListAPIKeys returns the active API keys.
func (s *Session) ListAPIKeys(ctx context.Context, options ...CallOption) (*APIKeyList, error) {
	return fetch[APIKeyList](ctx, s, operation{method: http.MethodGet, path: "/v1/auth/api-keys"}, options)
}

// RevokedAPIKey is the answer to a revocation.
type RevokedAPIKey struct {
	KeyID   string `json:"key_id"`
	Revoked bool   `json:"revoked"` // true
}

// RevokeAPIKey revokes an API key, which stops working within 5 seconds.
func (s *Session) RevokeAPIKey(ctx context.Context, keyID string, options ...CallOption) (*RevokedAPIKey, error) {
	return fetch[RevokedAPIKey](ctx, s, operation{method: http.MethodDelete, path: "/v1/auth/api-keys/{id}", id: keyID},
		options)
}
