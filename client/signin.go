package client

import (
	"context"
	"net/http"
	"time"
)

// PasswordChange is a new password, with the current one.
type PasswordChange struct {
	CurrentPassword string `json:"current_password"`
	NewPassword     string `json:"new_password"`
}

// PasswordChanged is the answer to a change of password.
type PasswordChanged struct {
	PasswordChanged bool `json:"password_changed"` // true
}

// SignInSession is a login in a browser.
type SignInSession struct {
	SessionID  string    `json:"session_id"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"` // to the minute
	Address    string    `json:"address"`      // that the login came from
	Agent      string    `json:"agent"`        // the User-Agent of the login
	Current    bool      `json:"current"`      // the request came in this session
}

// SessionList is the sessions of a person.
type SessionList struct {
	Sessions []SignInSession `json:"sessions"`
}

// EndedSessions is the answer to the end of sessions.
type EndedSessions struct {
	Ended int `json:"ended"` // how many
}

// SecondFactor is the state of a person's second factor.
type SecondFactor struct {
	Enrolled      bool      `json:"enrolled"`     // signing in needs a code
	Required      bool      `json:"required"`     // the role must sign in with a code
	ConfirmedAt   time.Time `json:"confirmed_at"` // zero unless enrolled
	RecoveryCodes int       `json:"recovery_codes_left"`
}

// PasswordProof is the current password.
type PasswordProof struct {
	Password string `json:"password"`
}

// CodeProof is a code that the authenticator app shows.
type CodeProof struct {
	Code string `json:"code"`
}

// FactorProof is the current password, and a code of the authenticator app or a recovery
// code.
type FactorProof struct {
	Password string `json:"password"`
	Code     string `json:"code"`
}

// TOTPSecret is a secret for an authenticator app.
type TOTPSecret struct {
	Secret string `json:"secret"` // in base32
	URI    string `json:"uri"`    // the same, for a QR code
}

// RecoveryCodes are codes that can be sent once each in place of a code of the app. No
// later answer holds them.
type RecoveryCodes struct {
	RecoveryCodes []string `json:"recovery_codes"`
}

// Removed is the answer to the removal of a second factor.
type Removed struct {
	Removed bool `json:"removed"` // true
}

// ChangePassword sets a new password and ends all other sessions. A wrong current
// password is refused with [CodeValidationError], and counts as a failed login.
func (s *Session) ChangePassword(
	ctx context.Context, change PasswordChange, options ...CallOption,
) (*PasswordChanged, error) {
	return fetch[PasswordChanged](ctx, s, operation{method: http.MethodPost, path: "/v1/auth/password", body: change},
		options)
}

// ListSessions returns the sessions that have not expired, oldest first.
func (s *Session) ListSessions(ctx context.Context, options ...CallOption) (*SessionList, error) {
	return fetch[SessionList](ctx, s, operation{method: http.MethodGet, path: "/v1/auth/sessions"}, options)
}

// EndSession ends one session.
func (s *Session) EndSession(ctx context.Context, sessionID string, options ...CallOption) (*EndedSessions, error) {
	return fetch[EndedSessions](ctx, s,
		operation{method: http.MethodDelete, path: "/v1/auth/sessions/{id}", id: sessionID}, options)
}

// EndOtherSessions ends all sessions but this one.
func (s *Session) EndOtherSessions(ctx context.Context, options ...CallOption) (*EndedSessions, error) {
	return fetch[EndedSessions](ctx, s, operation{method: http.MethodDelete, path: "/v1/auth/sessions"}, options)
}

// GetTOTP returns the state of the second factor.
func (s *Session) GetTOTP(ctx context.Context, options ...CallOption) (*SecondFactor, error) {
	return fetch[SecondFactor](ctx, s, operation{method: http.MethodGet, path: "/v1/auth/totp"}, options)
}

// BeginTOTP returns a secret for an authenticator app. Nothing changes until ConfirmTOTP.
func (s *Session) BeginTOTP(ctx context.Context, proof PasswordProof, options ...CallOption) (*TOTPSecret, error) {
	return fetch[TOTPSecret](ctx, s, operation{method: http.MethodPost, path: "/v1/auth/totp", body: proof}, options)
}

// ConfirmTOTP sets up the second factor, given a code that the app shows. If no answer
// arrives, the recovery codes are lost: remove the second factor and set it up again.
func (s *Session) ConfirmTOTP(ctx context.Context, proof CodeProof, options ...CallOption) (*RecoveryCodes, error) {
	return fetch[RecoveryCodes](ctx, s,
		operation{method: http.MethodPost, path: "/v1/auth/totp/confirm", body: proof, once: true}, options)
}

// RemoveTOTP removes the second factor and the recovery codes.
func (s *Session) RemoveTOTP(ctx context.Context, proof FactorProof, options ...CallOption) (*Removed, error) {
	return fetch[Removed](ctx, s, operation{method: http.MethodDelete, path: "/v1/auth/totp", body: proof, once: true},
		options)
}

// EmailChange is a new e-mail address, with the current password.
type EmailChange struct {
	NewEmail string `json:"new_email"`
	Password string `json:"password"`
}

// Requested is the answer to a request that is carried out later.
type Requested struct {
	Requested bool `json:"requested"` // true
}

// ChangeEmail sends a link to the new address. The address changes when ConfirmEmail is
// called with the end of the link. Without mail it is refused with [CodeConflict].
func (s *Session) ChangeEmail(ctx context.Context, change EmailChange, options ...CallOption) (*Requested, error) {
	return fetch[Requested](ctx, s, operation{method: http.MethodPost, path: "/v1/auth/email", body: change}, options)
}

// ResetRequest is the e-mail address of a person who has lost the password.
type ResetRequest struct {
	Email string `json:"email"`
}

// NewPassword is a new password, set by a link.
type NewPassword struct {
	NewPassword string `json:"new_password"`
}

// ResetDone is the answer to the use of a link.
type ResetDone struct {
	Email string `json:"email"` // of the account
}

// RequestReset asks for a new password. The answer is the same whether the address has an
// account or not. Where mail is configured, a link is sent.
func (s *Service) RequestReset(ctx context.Context, request ResetRequest, options ...CallOption) (*Requested, error) {
	return fetch[Requested](ctx, s, operation{method: http.MethodPost, path: "/v1/auth/reset", body: request, safe: true},
		options)
}

// ResetPassword sets a new password and ends all sessions, given the end of a link, which
// can be used once.
func (s *Service) ResetPassword(
	ctx context.Context, token string, reset NewPassword, options ...CallOption,
) (*ResetDone, error) {
	return fetch[ResetDone](ctx, s,
		operation{method: http.MethodPost, path: "/v1/auth/reset/{id}", id: token, body: reset}, options)
}

// Holder is the password of the account that a link to an address is for.
type Holder struct {
	Password string `json:"password"`
}

// ConfirmEmail changes the e-mail address of the person that a link was sent to, or
// confirms that of a new account, given the end of the link and the account's password.
func (s *Service) ConfirmEmail(
	ctx context.Context, token string, holder Holder, options ...CallOption,
) (*ResetDone, error) {
	return fetch[ResetDone](ctx, s,
		operation{method: http.MethodPost, path: "/v1/auth/email/{id}", id: token, body: holder}, options)
}
