// Package openid lets people sign in through an OpenID Connect provider, by the
// authorization code flow with PKCE. It does not know accounts; packages that have
// accounts use it.
package openid

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"golang.org/x/oauth2"
)

// Config holds what a client needs.
type Config struct {
	Issuer       string // the provider's URL, under which it describes itself
	ClientID     string
	ClientSecret string
	RedirectURL  string // where the provider sends people back to
	// RoleClaim is the claim whose values are a person's roles; empty for none. A claim
	// within others is named with dots between, as in realm_access.roles.
	RoleClaim string
	// Roles holds the roles that values of the claim stand for; if it is empty, the values
	// are the roles.
	Roles map[string]string
	// TrustEmails counts addresses as verified although the provider does not say so.
	TrustEmails bool
	Sealer      *credential.Sealer // of tickets
	// For names those whom the client signs in, if the sealer has tickets of several clients:
	// a ticket of one cannot be used at another.
	For string
	// Transport carries the requests to the provider; nil stands for that of package net/http.
	Transport http.RoundTripper
	// CheckURL refuses an address to which browsers must not be sent; nil refuses none.
	CheckURL func(url string) error
	Now      func() time.Time
	Random   io.Reader // safe for use by many goroutines
	Log      *slog.Logger
}

const (
	// ticketLife is how long a person may take to sign in at the provider.
	ticketLife = 10 * time.Minute
	// answerTimeout bounds each request to the provider, and all of those of a sign-in's
	// end together.
	answerTimeout = 10 * time.Second
	// maxAnswer is the size of the largest answer that is read of the provider, in bytes.
	maxAnswer = 1 << 20
	// describedFor is how long the provider's description of itself is used.
	describedFor = time.Hour
	// retryAfter is how long a provider is left alone that could not be reached.
	retryAfter = 5 * time.Second
)

// Client signs people in through one provider. It asks the provider to describe itself
// when that is first needed, so that a provider out of reach does not keep a service
// from starting. It may be used by many goroutines.
type Client struct {
	config Config
	http   *http.Client

	mu        sync.Mutex // guards the following fields; it is not held during a request
	provider  *oidc.Provider
	scopes    []string
	fetchedAt time.Time
	failedAt  time.Time
	failure   error
	fetching  chan struct{} // closed when the fetch that is under way has ended; nil if none is
}

// New returns a client. It does not call the provider.
func New(config Config) *Client {
	transport := config.Transport
	if transport == nil {
		transport = http.DefaultTransport.(*http.Transport).Clone() //nolint:errcheck,forcetypeassert // see net/http
	}
	return &Client{config: config, http: &http.Client{
		Transport:     limited{transport},
		Timeout:       answerTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// RoleClaim returns the claim whose values are a person's roles; empty for none.
func (c *Client) RoleClaim() string { return c.config.RoleClaim }

// limited reads a limited amount of each answer.
type limited struct{ next http.RoundTripper }

func (l limited) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxAnswer)
	}
	return response, err
}

// ticket is what a browser keeps of a sign-in that it has begun.
type ticket struct {
	State     string    `json:"state"`
	Nonce     string    `json:"nonce"`
	Verifier  string    `json:"verifier"`
	ReturnTo  string    `json:"return_to"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Beginning is a sign-in that has begun.
type Beginning struct {
	URL string // of the provider, to which the browser is sent
	// Ticket is kept by the browser, as a cookie, and given to Finish. It is sealed.
	Ticket string
	// Life is how long the ticket can be used.
	Life time.Duration
}

// Begin begins a sign-in. returnTo is given back by Finish. Begin refuses with
// unavailable if the provider cannot be reached.
func (c *Client) Begin(ctx context.Context, returnTo string) (*Beginning, error) {
	provider, scopes, err := c.describe(ctx)
	if err != nil {
		return nil, err
	}
	t := ticket{ReturnTo: returnTo, ExpiresAt: c.config.Now().Add(ticketLife)}
	for _, secret := range []*string{&t.State, &t.Nonce, &t.Verifier} {
		if *secret, err = credential.Token(c.config.Random, ""); err != nil {
			return nil, err
		}
	}
	encoded, err := strictjson.Marshal(t)
	if err != nil {
		return nil, err
	}
	address := c.oauth(provider, scopes).AuthCodeURL(t.State, oidc.Nonce(t.Nonce), oauth2.S256ChallengeOption(t.Verifier))
	sealed := c.config.Sealer.Seal(encoded, c.ticketOwner())
	return &Beginning{URL: address, Ticket: encodeTicket(sealed), Life: ticketLife}, nil
}

// Destination returns the host to which Begin sends browsers, which need not be that of the
// issuer. It refuses as Begin does.
func (c *Client) Destination(ctx context.Context) (host string, err error) {
	provider, _, err := c.describe(ctx)
	if err != nil {
		return "", err
	}
	address, err := url.Parse(provider.Endpoint().AuthURL)
	if err != nil {
		return "", because(errUnreachable, "the authorization endpoint is not a URL: %v", err)
	}
	return address.Host, nil
}

// ticketOwner returns what tickets are sealed for.
func (c *Client) ticketOwner() string {
	if c.config.For == "" {
		return "openid ticket"
	}
	return fmt.Sprintf("openid ticket for %s of %q at %q", c.config.For, c.config.ClientID, c.config.Issuer)
}

func (c *Client) oauth(provider *oidc.Provider, scopes []string) *oauth2.Config {
	endpoint := provider.Endpoint()
	endpoint.AuthStyle = authStyle(provider)
	return &oauth2.Config{
		ClientID: c.config.ClientID, ClientSecret: c.config.ClientSecret,
		Endpoint: endpoint, RedirectURL: c.config.RedirectURL, Scopes: scopes,
	}
}

// authStyle returns how a provider takes the secret. Trying both would send a refused code a
// second time, and what that is refused for hides the first cause.
func authStyle(provider *oidc.Provider) oauth2.AuthStyle {
	var described struct {
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if provider.Claims(&described) == nil && slices.Contains(described.Methods, methodPost) &&
		!slices.Contains(described.Methods, methodBasic) {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader // the default of OpenID Connect Discovery
}

// How a client shows its secret.
const (
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
)

// Person is a person for whom the provider vouches.
type Person struct {
	Issuer, Subject string
	Email           string // empty if the provider does not say
	EmailVerified   bool
	Name            string // empty if the provider does not say
	// Values are those of the role claim, and Roles what they stand for; nil without the claim.
	Values, Roles []string
}

// Details are the details of a refusal.
type Details struct {
	Reason string `json:"reason"`
}

var (
	errExpired = &refusal.Error{
		Code:    refusal.CodeUnauthorized,
		Message: "this sign-in did not begin in this browser, or more than 10 minutes ago: begin again",
		Details: Details{"sign_in_expired"},
	}
	errNotVouched = &refusal.Error{
		Code: refusal.CodeUnauthorized, Message: "the OpenID provider's answer is not valid: begin again",
		Details: Details{"provider_answer"},
	}
	errUnreachable = &refusal.Error{
		Code: refusal.CodeUnavailable, Message: "the OpenID provider cannot be used at the moment", RetryAfter: retryAfter,
	}
)

// because adds to a refusal its closer cause, which the log shows and the caller does not
// see.
func because(refused error, format string, args ...any) error {
	return fmt.Errorf("%w (%s)", refused, first(fmt.Sprintf(format, args...)))
}

// maxCause is the length of the longest cause, in bytes: some hold an answer of the provider.
const maxCause = 300

// first returns up to maxCause bytes of a text.
func first(text string) string { return strings.ToValidUTF8(text[:min(len(text), maxCause)], "") }

// errorCode matches the codes of errors that providers send.
var errorCode = regexp.MustCompile(`^[a-z_]{1,64}$`)

// errDeclined returns the refusal of a sign-in that the provider has refused.
func errDeclined(code string) error {
	if !errorCode.MatchString(code) {
		code = "unknown error"
	}
	return &refusal.Error{
		Code: refusal.CodeUnauthorized, Message: "the OpenID provider refused the sign-in: " + code,
		Details: Details{"provider_refused"},
	}
}

// Finish finishes a sign-in with the parameters with which the provider has sent the
// browser back, and the browser's ticket. It refuses with unauthorized, or with
// unavailable if the provider cannot be reached.
func (c *Client) Finish(ctx context.Context, sealed string, sent url.Values) (_ *Person, returnTo string, err error) {
	t, err := c.open(sealed)
	if err != nil {
		return nil, "", err
	}
	for _, values := range sent {
		if len(values) > 1 { // RFC 6749, section 3.1; a proxy in front may have checked another one
			return nil, "", because(errNotVouched, "a parameter is repeated")
		}
	}
	if subtle.ConstantTimeCompare([]byte(t.State), []byte(sent.Get("state"))) != 1 {
		return nil, "", because(errExpired, "the state is that of another sign-in")
	}
	if issuer := sent.Get("iss"); issuer != "" && issuer != c.config.Issuer { // RFC 9207
		return nil, "", because(errNotVouched, "the answer is of the issuer %q", issuer)
	}
	if sent.Has("error") {
		return nil, "", errDeclined(sent.Get("error"))
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	provider, scopes, err := c.describe(ctx)
	if err != nil {
		return nil, "", err
	}
	ctx = oidc.ClientContext(ctx, c.http)
	token, err := c.oauth(provider, scopes).Exchange(ctx, sent.Get("code"), oauth2.VerifierOption(t.Verifier))
	if err != nil {
		return nil, "", exchangeFailed(err)
	}
	person, err := c.person(ctx, provider, token, t.Nonce)
	return person, t.ReturnTo, err
}

func (c *Client) open(sealed string) (t ticket, err error) {
	if sealed == "" {
		return t, because(errExpired, "the browser has sent no cookie of a sign-in")
	}
	decoded, err := decodeTicket(sealed)
	if err != nil {
		return t, because(errExpired, "the cookie is not valid")
	}
	encoded, err := c.config.Sealer.Open(decoded, c.ticketOwner())
	if err != nil {
		return t, because(errExpired, "the cookie is not valid")
	}
	if err := strictjson.Unmarshal(encoded, &t); err != nil {
		return t, err
	}
	if !c.config.Now().Before(t.ExpiresAt) {
		return t, because(errExpired, "the cookie expired at %s", t.ExpiresAt.UTC().Format(time.RFC3339))
	}
	return t, nil
}

// exchangeFailed returns the refusal for a code that could not be exchanged. A code
// that is not valid is the browser's fault, everything else that of the settings or of
// the provider.
func exchangeFailed(err error) error {
	var answer *oauth2.RetrieveError
	if errors.As(err, &answer) && answer.ErrorCode == "invalid_grant" {
		return because(errNotVouched, "the code is not valid")
	}
	if errors.As(err, &answer) { // its text holds the answer, which may hold a token
		err = fmt.Errorf("status %d, error %q", answer.Response.StatusCode, cmp.Or(answer.ErrorCode, "none"))
	}
	return because(errUnreachable, "the provider did not exchange the code: %v", err)
}

// person returns the person of an ID token, after checking it. Claims that the ID token
// lacks are read from the provider's userinfo endpoint.
func (c *Client) person(
	ctx context.Context, provider *oidc.Provider, token *oauth2.Token, nonce string,
) (*Person, error) {
	raw, _ := token.Extra("id_token").(string)
	verified, err := provider.Verifier(&oidc.Config{ClientID: c.config.ClientID, Now: c.config.Now}).Verify(ctx, raw)
	if err != nil {
		if ctx.Err() != nil { // while the provider's keys were fetched
			return nil, because(errUnreachable, "the provider did not send its keys: %v", err)
		}
		return nil, because(errNotVouched, "the ID token is not valid: %v", err)
	}
	if subtle.ConstantTimeCompare([]byte(verified.Nonce), []byte(nonce)) != 1 {
		return nil, because(errNotVouched, "the nonce of the ID token is that of another sign-in")
	}
	var said claims
	if err := verified.Claims(&said); err != nil {
		return nil, because(errNotVouched, "the claims of the ID token: %v", err)
	}
	if !said.issuedTo(c.config.ClientID, verified.Audience) {
		return nil, because(errNotVouched, "the ID token was issued to another client")
	}
	if !isSubject(verified.Subject) {
		return nil, because(errNotVouched, "the ID token has no subject, or one that is not up to 255 characters of ASCII")
	}
	person := &Person{Issuer: c.config.Issuer, Subject: verified.Subject}
	c.read(person, said)
	if provider.UserInfoEndpoint() == "" || person.Email != "" && (c.config.RoleClaim == "" || person.Roles != nil) {
		return person, nil
	}
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return nil, because(errUnreachable, "the provider did not send the person's data: %v", err)
	}
	var more claims // apart, so that one answer does not verify the address of the other
	if info.Subject != verified.Subject {
		return nil, because(errNotVouched, "the userinfo endpoint speaks of another person")
	}
	if err := info.Claims(&more); err != nil {
		return nil, because(errNotVouched, "the claims of the userinfo endpoint: %v", err)
	}
	c.read(person, more)
	return person, nil
}

// describe returns the provider, and the scopes to ask it for. Callers that need its first
// description wait for the same fetch. As soon as there is one, it is served however old
// it is, while a newer one is fetched: an earlier description is probably still right.
func (c *Client) describe(ctx context.Context) (*oidc.Provider, []string, error) {
	c.mu.Lock()
	c.refresh(ctx)
	fetching := c.fetching
	if c.provider != nil || fetching == nil {
		defer c.mu.Unlock()
		return c.described()
	}
	c.mu.Unlock()
	select {
	case <-fetching:
	case <-ctx.Done():
		return nil, nil, because(errUnreachable, "the provider has not described itself: %v", ctx.Err())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.described()
}

// described returns what is known. The caller holds the mutex.
func (c *Client) described() (*oidc.Provider, []string, error) {
	if c.provider == nil {
		return nil, nil, c.failure
	}
	return c.provider, c.scopes, nil
}

// refresh begins to fetch the description if that is due. The fetch does not end with
// ctx, because others use what it returns. The caller holds the mutex.
func (c *Client) refresh(ctx context.Context) {
	now := c.config.Now()
	switch {
	case c.fetching != nil:
	case c.provider != nil && now.Sub(c.fetchedAt) < describedFor:
	case c.failure != nil && now.Sub(c.failedAt) < retryAfter:
	default:
		c.fetching = make(chan struct{})
		go c.fetch(context.WithoutCancel(ctx))
	}
}

// fetch asks the provider to describe itself, and keeps the answer or the failure with
// the time at which it came.
func (c *Client) fetch(ctx context.Context) {
	provider, err := oidc.NewProvider(oidc.ClientContext(ctx, c.http), c.config.Issuer)
	if err == nil && c.config.CheckURL != nil {
		err = c.config.CheckURL(provider.Endpoint().AuthURL)
	}
	if err != nil {
		c.config.Log.Error("the OpenID provider does not describe itself", "issuer", c.config.Issuer, "error",
			first(err.Error()))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	close(c.fetching)
	c.fetching = nil
	if err != nil {
		c.failure, c.failedAt = because(errUnreachable, "the provider does not describe itself: %v", err), c.config.Now()
		return
	}
	c.provider, c.scopes, c.fetchedAt, c.failure = provider, c.scopesOf(provider), c.config.Now(), nil
}

// scopesOf returns the scopes to ask a provider for. Some providers have a scope of the
// claim's name, without which the claim is left out.
func (c *Client) scopesOf(provider *oidc.Provider) []string {
	scopes := []string{oidc.ScopeOpenID, "email", "profile"}
	var described struct {
		Scopes []string `json:"scopes_supported"`
	}
	claim := c.config.RoleClaim
	if provider.Claims(&described) == nil && slices.Contains(described.Scopes, claim) && !slices.Contains(scopes, claim) {
		scopes = append(scopes, claim)
	}
	return scopes
}

// isSubject reports whether a text can name a person: 1 to 255 visible characters of ASCII, or spaces (OpenID Connect
// Core 1.0, section 2).
func isSubject(text string) bool {
	return text != "" && len(text) <= 255 && !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
