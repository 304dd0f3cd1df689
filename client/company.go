package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// CompanySignIn is how the people of a partner sign in through the OpenID Connect provider of
// their company.
type CompanySignIn struct {
	RedirectURI string          `json:"redirect_uri"` // where the provider sends people back to
	Provider    *OpenIDProvider `json:"provider"`     // nil if none is set
	Domains     []CompanyDomain `json:"domains"`      // by name
}

// OpenIDProvider is the provider, without the secret of the client.
type OpenIDProvider struct {
	Issuer      string     `json:"issuer"`
	ClientID    string     `json:"client_id"`
	RoleClaim   string     `json:"role_claim"`   // empty if roles are set by the owners
	RoleValues  RoleValues `json:"role_values"`  // without any, the values are the names of the roles
	DefaultRole Role       `json:"default_role"` // of people who were not invited; empty if they must be
	Stopped     bool       `json:"stopped"`      // the operator of the service has turned it off
	ChangedAt   time.Time  `json:"changed_at"`
}

// RoleValues is the value of the claim for each role; empty for a role that it does not name.
type RoleValues struct {
	Owner     string `json:"owner,omitempty"`
	Developer string `json:"developer,omitempty"`
	Clerk     string `json:"clerk,omitempty"`
	Reader    string `json:"reader,omitempty"`
}

// CompanyDomain is a domain at which people have their e-mail addresses. Until it is proven
// by its TXT record, no one signs in with it.
type CompanyDomain struct {
	Domain      string      `json:"domain"`
	State       DomainState `json:"state"`
	RecordName  string      `json:"record_name"`
	RecordValue string      `json:"record_value"`
	AddedAt     time.Time   `json:"added_at"`
	CheckedAt   time.Time   `json:"checked_at"` // zero for never
	ProvenAt    time.Time   `json:"proven_at"`  // zero until it is proven
}

// DomainState says whether a domain is proven, or why not.
type DomainState string

// The states of domains.
const (
	DomainUnchecked   DomainState = "unchecked"
	DomainProven      DomainState = "proven"
	DomainNoRecord    DomainState = "no_record"
	DomainOtherRecord DomainState = "other_record"
	DomainNoAnswer    DomainState = "no_answer"
	DomainTaken       DomainState = "taken" // another partner has proven it
)

// OpenIDRequest sets the provider as a whole.
type OpenIDRequest struct {
	Issuer       string `json:"issuer"`
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret,omitempty"` // empty if it stays
	RoleClaim    string `json:"role_claim,omitempty"`
	// RoleValues names the value of each role, only with RoleClaim. With nil, or without any, the values are the names
	// of the roles.
	RoleValues *RoleValues `json:"role_values,omitempty"`
	// DefaultRole is the role of people who were not invited, without RoleClaim: any but owner.
	DefaultRole Role `json:"default_role,omitempty"`
	// Password is that of the person whose session it is; empty for someone who has none.
	Password string `json:"password,omitempty"`
}

// DomainRequest names a domain.
type DomainRequest struct {
	Domain string `json:"domain"`
}

// GetCompanySignIn returns how the team signs in through the company's provider.
func (s *Session) GetCompanySignIn(ctx context.Context, options ...CallOption) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, s, operation{method: http.MethodGet, path: "/v1/account/openid"}, options)
}

// PutOpenID sets the provider. Another issuer or client needs its secret.
func (s *Session) PutOpenID(ctx context.Context, request OpenIDRequest, options ...CallOption) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, s,
		operation{method: http.MethodPut, path: "/v1/account/openid", body: request}, options)
}

// RemoveOpenID removes the provider, and ends the sessions that it has vouched for.
func (s *Session) RemoveOpenID(ctx context.Context, options ...CallOption) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, s, operation{method: http.MethodDelete, path: "/v1/account/openid"},
		options)
}

// AddDomain names a domain, which CheckDomain proves. One that the account has is refused with
// [CodeConflict].
func (s *Session) AddDomain(ctx context.Context, request DomainRequest, options ...CallOption) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, s,
		operation{method: http.MethodPost, path: "/v1/account/domains", body: request}, options)
}

// CheckDomain looks the TXT record of a domain up. The domain's state says what was found.
func (s *Session) CheckDomain(ctx context.Context, domain string, options ...CallOption) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, s,
		operation{method: http.MethodPost, path: "/v1/account/domains/{id}/check", id: domain, safe: true}, options)
}

// RemoveDomain removes a domain. If it was proven, the sessions that the provider has vouched
// for end.
func (s *Session) RemoveDomain(ctx context.Context, domain string, options ...CallOption) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, s,
		operation{method: http.MethodDelete, path: "/v1/account/domains/{id}", id: domain}, options)
}

// GetPartnerSignIn returns how a partner's people sign in through their company's provider.
func (o *Operator) GetPartnerSignIn(
	ctx context.Context, partnerID string, options ...CallOption,
) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/partners/{id}/openid", id: partnerID}, options)
}

// PartnerSignInChange turns a partner's company sign-in off, or on again.
type PartnerSignInChange struct {
	Stopped bool `json:"stopped"`
}

// ChangePartnerSignIn turns a partner's company sign-in off, which ends the sessions that the
// provider has vouched for, or on again.
func (o *Operator) ChangePartnerSignIn(
	ctx context.Context, partnerID string, change PartnerSignInChange, options ...CallOption,
) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, o, operation{
		method: http.MethodPatch, path: "/ops/v1/partners/{id}/openid", id: partnerID, body: change, keyed: true,
	}, options)
}

// CheckPartnerDomain looks the TXT record of a partner's domain up, as the partner can.
func (o *Operator) CheckPartnerDomain(
	ctx context.Context, partnerID, domain string, options ...CallOption,
) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/partners/{id}/domains/" + url.PathEscape(domain) + "/check", id: partnerID,
		keyed: true,
	}, options)
}

// RemovePartnerDomain removes a domain of a partner, so that another can prove it.
func (o *Operator) RemovePartnerDomain(
	ctx context.Context, partnerID, domain string, options ...CallOption,
) (*CompanySignIn, error) {
	return fetch[CompanySignIn](ctx, o, operation{
		method: http.MethodDelete, path: "/ops/v1/partners/{id}/domains/" + url.PathEscape(domain), id: partnerID,
		keyed: true,
	}, options)
}
