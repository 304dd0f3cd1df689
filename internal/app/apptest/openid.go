package apptest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
)

// Provider is an OpenID Connect provider on a free loopback port. It signs in whom the
// test names, and asks for what a strict one does: PKCE, the address to return to, and a
// code that is used once.
type Provider struct {
	Down    atomic.Bool // it answers nothing but 503
	Refuses atomic.Bool // it does not know the client that exchanges a code
	// Apart makes it send people to another name of this machine than the issuer has.
	Apart atomic.Bool
	// Unsigned makes it send ID tokens with the algorithm "none".
	Unsigned atomic.Bool
	Asked    atomic.Int64 // how many requests it got
	url      string

	mu     sync.Mutex
	now    func() time.Time  // guarded by mu
	next   *visit            // whom the next authorization is of; guarded by mu
	visits map[string]*visit // those that were approved, by code and by access token; guarded by mu
	count  int               // of visits; guarded by mu
}

// visit is a sign-in at the provider.
type visit struct {
	token, info                  Claims
	nonce, challenge, redirectTo string // what the client asked for
}

// The provider knows one client.
const (
	oidcClient = "dropyard"
	oidcSecret = "a secret of tests only"
)

// oidcKey signs the ID tokens of all providers.
var oidcKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

// NewProvider starts a provider. It stops when the test ends.
func NewProvider(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{now: time.Now, visits: map[string]*visit{}}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /.well-known/openid-configuration", p.describe)
	routes.HandleFunc("GET /keys", p.keys)
	routes.HandleFunc("GET /authorize", p.authorize)
	routes.HandleFunc("POST /token", p.token)
	routes.HandleFunc("GET /userinfo", p.userinfo)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.Asked.Add(1)
		if p.Down.Load() {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		routes.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// Trusted makes a service sign operators in through the provider, which goes by the
// service's clock. roleClaim may be empty.
func (p *Provider) Trusted(roleClaim string) Option {
	return func(c *config.Config, world *app.Surroundings) {
		c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret, c.OIDCRoleClaim = p.url, oidcClient, oidcSecret, roleClaim
		p.InTime()(c, world)
	}
}

// InTime makes the provider go by the service's clock.
func (p *Provider) InTime() Option {
	return func(_ *config.Config, world *app.Surroundings) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.now = func() time.Time { return world.Now() } // a later option may set it
	}
}

// Settings returns what a partner sets of the provider, as pairs of field and value.
func (p *Provider) Settings() []string {
	return []string{"issuer", p.url, "client_id", oidcClient, "client_secret", oidcSecret}
}

// Claims are what the provider says of a person, in the ID token and at the userinfo
// endpoint. They replace the claims that any ID token has.
type Claims map[string]any

func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) {
	entrance := p.url + "/authorize"
	if p.Apart.Load() {
		entrance = strings.Replace(entrance, "127.0.0.1", "localhost", 1)
	}
	reply(w, http.StatusOK, map[string]any{
		"issuer": p.url, "authorization_endpoint": entrance, "token_endpoint": p.url + "/token",
		"userinfo_endpoint": p.url + "/userinfo", "jwks_uri": p.url + "/keys",
		"response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
		"id_token_signing_alg_values_supported": []string{"RS256"},
		"scopes_supported":                      []string{"openid", "email", "groups", "profile"},
		"code_challenge_methods_supported":      []string{"S256"},
	})
}

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	public := oidcKey().PublicKey
	reply(w, http.StatusOK, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "1",
		"n": inBase64(public.N.Bytes()), "e": inBase64(big.NewInt(int64(public.E)).Bytes()),
	}}})
}

// authorize approves at once, and sends the browser back.
func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	back, err := url.Parse(asked.Get("redirect_uri"))
	scopes := strings.Fields(asked.Get("scope"))
	if err != nil || !back.IsAbs() || len(scopes) == 0 || scopes[0] != "openid" || asked.Get("response_type") != "code" ||
		asked.Get("client_id") != oidcClient || asked.Get("state") == "" || asked.Get("code_challenge_method") != "S256" {
		reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_request"})
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.next
	if p.next = nil; v == nil {
		reply(w, http.StatusForbidden, map[string]string{"error": "access_denied"})
		return
	}
	v.nonce, v.challenge, v.redirectTo = asked.Get("nonce"), asked.Get("code_challenge"), back.String()
	p.count++
	code := fmt.Sprint("code-", p.count)
	p.visits[code] = v
	query := back.Query()
	query.Set("code", code)
	query.Set("state", asked.Get("state"))
	back.RawQuery = query.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// token exchanges a code, once.
func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	id, _ = url.QueryUnescape(id)
	secret, _ = url.QueryUnescape(secret)
	if id != oidcClient || secret != oidcSecret || p.Refuses.Load() {
		reply(w, http.StatusUnauthorized, map[string]string{"error": "invalid_client"})
		return
	}
	verifier := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	code := r.PostFormValue("code")
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.visits[code]
	delete(p.visits, code)
	if v == nil || !strings.HasPrefix(code, "code-") || r.PostFormValue("grant_type") != "authorization_code" ||
		v.challenge != inBase64(verifier[:]) || v.redirectTo != r.PostFormValue("redirect_uri") {
		reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant"})
		return
	}
	access := "access-" + code
	p.visits[access] = v
	now := p.now()
	claims := Claims{
		"iss": p.url, "aud": []string{oidcClient}, "nonce": v.nonce, "iat": now.Unix(),
		"exp": now.Add(10 * time.Minute).Unix(),
	}
	maps.Copy(claims, v.token)
	token := signed(claims)
	if p.Unsigned.Load() {
		token = unsigned(claims)
	}
	reply(w, http.StatusOK, map[string]any{
		"access_token": access, "token_type": "Bearer", "expires_in": 600, "id_token": token,
	})
}

// unsigned returns an ID token that anyone can make.
func unsigned(claims Claims) string {
	payload, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	return inBase64([]byte(`{"alg":"none","typ":"JWT"}`)) + "." + inBase64(payload) + "."
}

// signed returns an ID token.
func signed(claims Claims) string {
	payload, err := json.Marshal(claims)
	if err != nil {
		panic(err)
	}
	text := inBase64([]byte(`{"alg":"RS256","kid":"1","typ":"JWT"}`)) + "." + inBase64(payload)
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, oidcKey(), crypto.SHA256, digest[:])
	if err != nil {
		panic(err)
	}
	return text + "." + inBase64(signature)
}

func (p *Provider) userinfo(w http.ResponseWriter, r *http.Request) {
	access, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.visits[access]
	if v == nil || !strings.HasPrefix(access, "access-") {
		reply(w, http.StatusUnauthorized, map[string]string{"error": "invalid_token"})
		return
	}
	reply(w, http.StatusOK, v.info)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func inBase64(bytes []byte) string { return base64.RawURLEncoding.EncodeToString(bytes) }

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
	cookie, _, _ = strings.Cut(begun.Header.Get("Set-Cookie"), ";")
	return p.Answer(t, s, begun.Header.Get("Location"), token, info), cookie
}

// Answer lets the provider approve a sign-in to which the service has led a browser, and returns
// the path with parameters to which the provider sends the browser back.
func (p *Provider) Answer(t testing.TB, s *Service, asked string, token, info Claims) (target string) {
	t.Helper()
	return p.AnswerAt(t, s, s.URL, asked, token, info)
}

// AnswerAt does the same for a service that has another public address.
func (p *Provider) AnswerAt(t testing.TB, s *Service, public, asked string, token, info Claims) (target string) {
	t.Helper()
	p.mu.Lock()
	p.next = &visit{token: token, info: info}
	p.mu.Unlock()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, asked, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := s.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	back, err := url.Parse(response.Header.Get("Location"))
	if err != nil || response.StatusCode != http.StatusFound || !strings.HasPrefix(back.String(), public+"/") {
		t.Fatalf("got %s from the provider, to %q (%v), want a redirect to %s", response.Status, back, err, public)
	}
	return back.RequestURI()
}
