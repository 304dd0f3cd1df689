package apptest

import (
	"encoding/json"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/golang-jwt/jwt/v5"
	"github.com/oauth2-proxy/mockoidc"
)

// Provider is an OpenID Connect provider on a free loopback port. It signs in whom the
// test names.
type Provider struct {
	*mockoidc.MockOIDC
	Down atomic.Bool // it answers nothing but 503
}

// NewProvider starts a provider. It stops when the test ends.
func NewProvider(t testing.TB) *Provider {
	t.Helper()
	m, err := mockoidc.NewServer(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &Provider{MockOIDC: m}
	err = m.AddMiddleware(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if p.Down.Load() {
				http.Error(w, "down", http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	var network net.ListenConfig
	listener, err := network.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err == nil {
		err = m.Start(listener, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Server.Close() })
	return p
}

// Trusted makes a service sign operators in through the provider. roleClaim may be
// empty.
func (p *Provider) Trusted(roleClaim string) Option {
	return func(c *config.Config, world *app.Surroundings) {
		c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret, c.OIDCRoleClaim = p.Issuer(), p.ClientID, p.ClientSecret, roleClaim
		p.FastForward(world.Now().Sub(p.Now()) + time.Second)
	}
}

// Claims are what the provider says of a person, in the ID token and at the userinfo
// endpoint. They replace the claims that any ID token has.
type Claims map[string]any

// person is a person whom the provider signs in.
type person struct{ token, info Claims }

func (p person) ID() string {
	subject, _ := p.token["sub"].(string)
	return subject
}

func (p person) Userinfo([]string) ([]byte, error) { return json.Marshal(p.info) }

func (p person) Claims(_ []string, base *mockoidc.IDTokenClaims) (jwt.Claims, error) {
	claims := jwt.MapClaims{
		"iss": base.Issuer, "aud": base.Audience, "exp": base.ExpiresAt, "iat": base.IssuedAt, "nonce": base.Nonce,
	}
	maps.Copy(claims, p.token)
	return claims, nil
}

// SignIn signs a person in at the provider, whose ID token has the claims, and returns
// the service's answer to the callback. info are the claims at the userinfo endpoint.
func (p *Provider) SignIn(t testing.TB, s *Service, token, info Claims) *Answer {
	t.Helper()
	target, ticket := p.Approve(t, s, "/ops/v1/oidc/login", token, info)
	return s.Do(t, "GET", target, nil, "Cookie", ticket)
}

// Approve begins a sign-in and lets the provider approve it. It returns the path with
// parameters to which the provider sends the browser back, and the browser's cookie.
func (p *Provider) Approve(t testing.TB, s *Service, login string, token, info Claims) (target, cookie string) {
	t.Helper()
	begun := s.Do(t, "GET", login, nil).Must(t, http.StatusFound)
	p.QueueUser(person{token, info})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, begun.Header.Get("Location"), nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	back, err := url.Parse(response.Header.Get("Location"))
	if err != nil || response.StatusCode != http.StatusFound || !strings.HasPrefix(back.String(), s.URL+"/") {
		t.Fatalf("got %s from the provider, to %q (%v), want a redirect to %s", response.Status, back, err, s.URL)
	}
	cookie, _, _ = strings.Cut(begun.Header.Get("Set-Cookie"), ";")
	return back.RequestURI(), cookie
}
