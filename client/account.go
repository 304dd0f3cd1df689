package client

import (
	"context"
	"net/http"
)

// Account is how recipients see a partner.
type Account struct {
	PublicName    string   `json:"public_name"` // empty for the name of the account
	SupportURL    string   `json:"support_url"`
	Logo          string   `json:"logo"`           // the public address of the logo; empty without one
	Language      Language `json:"language"`       // empty for that of the recipient's browser
	RecipientMail bool     `json:"recipient_mail"` // whether recipients get mail about their orders
}

// GetAccount returns how recipients see the partner.
func (s *Session) GetAccount(ctx context.Context, options ...CallOption) (*Account, error) {
	return fetch[Account](ctx, s, operation{method: http.MethodGet, path: "/v1/account"}, options)
}

// AccountChange is what changes of an account. A member that is nil stays as it is.
type AccountChange struct {
	PublicName    *string   `json:"public_name,omitempty"` // 1 to 255 characters
	SupportURL    *string   `json:"support_url,omitempty"` // https
	Language      *Language `json:"language,omitempty"`
	RecipientMail *bool     `json:"recipient_mail,omitempty"`
}

// ChangeAccount changes how recipients see the partner.
func (s *Session) ChangeAccount(ctx context.Context, change AccountChange, options ...CallOption) (*Account, error) {
	return fetch[Account](ctx, s, operation{method: http.MethodPatch, path: "/v1/account", body: change}, options)
}

// SetLogo sets the logo: a PNG, JPEG or WebP of at most 1 MiB. It is scaled to at most
// 512 pixels a side and 256 KiB.
func (s *Session) SetLogo(ctx context.Context, picture []byte, options ...CallOption) (*Account, error) {
	return fetch[Account](ctx, s, operation{
		method: http.MethodPut, path: "/v1/account/logo", file: picture, kind: http.DetectContentType(picture),
	}, options)
}

// DeleteLogo removes the logo, if there is one.
func (s *Session) DeleteLogo(ctx context.Context, options ...CallOption) (*Account, error) {
	return fetch[Account](ctx, s, operation{method: http.MethodDelete, path: "/v1/account/logo"}, options)
}
