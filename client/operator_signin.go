package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// ChangePassword sets a new password and ends all other sessions. A wrong current
// password is refused with [CodeValidationError], and counts as a failed login.
func (o *Operator) ChangePassword(
	ctx context.Context, change PasswordChange, options ...CallOption,
) (*PasswordChanged, error) {
	return fetch[PasswordChanged](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/auth/password", body: change, keyed: true}, options)
}

// ListSessions returns the sessions that have not expired, oldest first.
func (o *Operator) ListSessions(ctx context.Context, options ...CallOption) (*SessionList, error) {
	return fetch[SessionList](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/auth/sessions"}, options)
}

// EndSession ends one session.
func (o *Operator) EndSession(ctx context.Context, sessionID string, options ...CallOption) (*EndedSessions, error) {
	return fetch[EndedSessions](ctx, o,
		operation{method: http.MethodDelete, path: "/ops/v1/auth/sessions/{id}", id: sessionID, keyed: true}, options)
}

// EndOtherSessions ends all sessions but this one.
func (o *Operator) EndOtherSessions(ctx context.Context, options ...CallOption) (*EndedSessions, error) {
	return fetch[EndedSessions](ctx, o, operation{method: http.MethodDelete, path: "/ops/v1/auth/sessions", keyed: true},
		options)
}

// GetTOTP returns the state of the second factor.
func (o *Operator) GetTOTP(ctx context.Context, options ...CallOption) (*SecondFactor, error) {
	return fetch[SecondFactor](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/auth/totp"}, options)
}

// BeginTOTP returns a secret for an authenticator app. Nothing changes until ConfirmTOTP.
func (o *Operator) BeginTOTP(ctx context.Context, proof PasswordProof, options ...CallOption) (*TOTPSecret, error) {
	return fetch[TOTPSecret](ctx, o, operation{method: http.MethodPost, path: "/ops/v1/auth/totp", body: proof}, options)
}

// ConfirmTOTP sets up the second factor, given a code that the app shows. If no answer
// arrives, the recovery codes are lost: remove the second factor and set it up again.
func (o *Operator) ConfirmTOTP(ctx context.Context, proof CodeProof, options ...CallOption) (*RecoveryCodes, error) {
	return fetch[RecoveryCodes](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/auth/totp/confirm", body: proof, once: true}, options)
}

// RemoveTOTP removes the second factor and the recovery codes.
func (o *Operator) RemoveTOTP(ctx context.Context, proof FactorProof, options ...CallOption) (*Removed, error) {
	return fetch[Removed](ctx, o,
		operation{method: http.MethodDelete, path: "/ops/v1/auth/totp", body: proof, once: true, keyed: true}, options)
}

// RequestOperatorReset asks for a new password of an operator. The answer is the same
// whether the address has an operator or not. Where mail is configured, a link is sent.
func (s *Service) RequestOperatorReset(
	ctx context.Context, request ResetRequest, options ...CallOption,
) (*Requested, error) {
	return fetch[Requested](ctx, s,
		operation{method: http.MethodPost, path: "/ops/v1/auth/reset", body: request, safe: true}, options)
}

// ResetOperatorPassword sets a new password of an operator and ends all sessions and
// tokens, given the end of a link, which can be used once.
func (s *Service) ResetOperatorPassword(
	ctx context.Context, token string, reset NewPassword, options ...CallOption,
) (*ResetDone, error) {
	return fetch[ResetDone](ctx, s,
		operation{method: http.MethodPost, path: "/ops/v1/auth/reset/{id}", id: token, body: reset}, options)
}

// ResetLink is a link by which a person sets a new password.
type ResetLink struct {
	URL       string    `json:"url,omitempty"` // empty if it was sent by mail
	ExpiresAt time.Time `json:"expires_at"`
}

// CreateOperatorResetLink makes a link for a new password of an operator, which can be
// used once. Older ones cannot be used any longer.
func (o *Operator) CreateOperatorResetLink(
	ctx context.Context, operatorID string, options ...CallOption,
) (*ResetLink, error) {
	return fetch[ResetLink](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/operators/{id}/reset-link", id: operatorID}, options)
}

// ClearOperatorTOTP removes the second factor of an operator who has lost it.
func (o *Operator) ClearOperatorTOTP(ctx context.Context, operatorID string, options ...CallOption) (*Removed, error) {
	return fetch[Removed](ctx, o,
		operation{method: http.MethodDelete, path: "/ops/v1/operators/{id}/totp", id: operatorID, once: true, keyed: true},
		options)
}

// ClearTOTP removes the second factor of one of a partner's people who has lost it.
func (o *Operator) ClearTOTP(ctx context.Context, partnerID, userID string, options ...CallOption) (*Removed, error) {
	return fetch[Removed](ctx, o, operation{method: http.MethodDelete, path: "/ops/v1/partners/{id}/users/" +
		url.PathEscape(userID) + "/totp", id: partnerID, once: true, keyed: true}, options)
}

// ResetLinkRequest says which of a partner's people a link is for.
type ResetLinkRequest struct {
	UserID string `json:"user_id,omitempty"` // the oldest owner if it is empty
}

// CreateResetLink makes a link for a new password of one of a partner's people.
func (o *Operator) CreateResetLink(
	ctx context.Context, partnerID string, request ResetLinkRequest, options ...CallOption,
) (*ResetLink, error) {
	return fetch[ResetLink](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/partners/{id}/reset-link", id: partnerID, body: request}, options)
}

// PartnerUser is one of a partner's people.
type PartnerUser struct {
	User
	CreatedAt        time.Time `json:"created_at"`
	TOTPEnrolled     bool      `json:"totp_enrolled"`      // signs in with a code as well
	ResetRequestedAt time.Time `json:"reset_requested_at"` // zero unless a new password is waited for
}

// PartnerUserList is a partner's people.
type PartnerUserList struct {
	Users []PartnerUser `json:"users"`
}

// ListUsers returns a partner's people, oldest first.
func (o *Operator) ListUsers(ctx context.Context, partnerID string, options ...CallOption) (*PartnerUserList, error) {
	return fetch[PartnerUserList](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/partners/{id}/users", id: partnerID}, options)
}

// SignInRules says who must sign in with a code as well.
type SignInRules struct {
	TOTPRequired TOTPRequired `json:"totp_required"`
}

// TOTPRequired are the roles that must have a second factor.
type TOTPRequired struct {
	Operators []OperatorRole `json:"operators"`
	Users     []Role         `json:"users"` // of partners
}

// GetSignInRules returns who must sign in with a code as well.
func (o *Operator) GetSignInRules(ctx context.Context, options ...CallOption) (*SignInRules, error) {
	return fetch[SignInRules](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/sign-in-rules"}, options)
}

// PutSignInRules sets who must sign in with a code as well. Both lists are needed; an
// empty one is not nil.
func (o *Operator) PutSignInRules(ctx context.Context, rules SignInRules, options ...CallOption) (*SignInRules, error) {
	return fetch[SignInRules](ctx, o,
		operation{method: http.MethodPut, path: "/ops/v1/sign-in-rules", body: rules, keyed: true}, options)
}
