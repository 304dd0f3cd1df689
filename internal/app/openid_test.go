package app_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// anna returns the claims of a person at the provider, some of them changed.
func anna(changes ...any) apptest.Claims {
	claims := apptest.Claims{
		"sub": "anna-1", "email": "Anna@example.com", "email_verified": true, "groups": []string{"staff", "dispatcher"},
	}
	for i := 0; i+1 < len(changes); i += 2 {
		claims[changes[i].(string)] = changes[i+1]
		if changes[i+1] == nil {
			delete(claims, changes[i].(string))
		}
	}
	return claims
}

// sessionOf returns the cookie of the session that an answer begins; empty if it
// begins none.
func sessionOf(answer *apptest.Answer) string {
	for _, set := range answer.Header.Values("Set-Cookie") {
		if cookie, _, _ := strings.Cut(set, ";"); strings.HasPrefix(cookie, "dropyard_ops_session=") {
			return cookie
		}
	}
	return ""
}

// me returns the operator of a session.
func me(t *testing.T, s *apptest.Service, cookie string) *apptest.Answer {
	t.Helper()
	return s.Do(t, "GET", "/ops/v1/me", nil, "Cookie", cookie)
}

// TestOpenIDCreatesOperators signs in a person whom the service does not know, with a
// role in a claim. The role follows the claim at the next sign-in, and the person is
// known under another address.
func TestOpenIDCreatesOperators(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"))
	admin := s.Operate(t)
	first := provider.SignIn(t, s, anna(), nil).Must(t, 200)
	if got := me(t, s, sessionOf(first)).Must(t, 200); got.Text("role") != "dispatcher" ||
		got.Text("email") != "Anna@example.com" {
		t.Errorf("got %s, want a dispatcher with her address", got.Body)
	}
	id := first.Text("operator_id")
	second := provider.SignIn(t, s, anna("email", "new@example.com", "groups", "warehouse"), nil).Must(t, 200)
	if second.Text("operator_id") != id || second.Text("role") != "warehouse" {
		t.Errorf("got %s, want operator %s with the role warehouse", second.Body, id)
	}
	if got := me(t, s, sessionOf(first)).Must(t, 200); got.Text("role") != "warehouse" {
		t.Errorf("in the earlier session: got %s, want the role warehouse", got.Body)
	}
	s.Do(t, "POST", "/ops/v1/login", []byte(`{"email":"anna@example.com","password":"any password at all"}`)).Refused(t,
		401, "unauthorized")
	by := map[string]string{}
	log := admin.Call(t, "GET", "/ops/v1/audit?object_id="+id, nil).Must(t, 200)
	for i := range log.Len("entries") {
		by[log.Text("entries", i, "action")] = log.Text("entries", i, "operator_id")
	}
	want := map[string]string{
		"operator.created": "openid", "operator.linked": "openid", "operator.changed": "openid", "session.begun": id,
	}
	if !maps.Equal(by, want) {
		t.Errorf("got the actions %v in the audit log, want %v", by, want)
	}
}

// TestOpenIDRolePrecedence signs people in who have several roles: the first of the service's roles counts.
func TestOpenIDRolePrecedence(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"))
	for i, want := range []string{"admin", "dispatcher", "accountant", "warehouse"} {
		groups := []string{"courier", "warehouse", "accountant", "dispatcher", "admin"}[:5-i]
		who := anna("sub", want, "email", want+"@example.com", "groups", groups)
		if got := provider.SignIn(t, s, who, nil).Must(t, 200); got.Text("role") != want {
			t.Errorf("%v: got %s, want the role %s", groups, got.Body, want)
		}
	}
}

// TestOpenIDFindsOperators signs in operators whom an admin has added, by their verified
// address, without a claim for roles. The next person with the address is refused.
func TestOpenIDFindsOperators(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted(""))
	admin := s.Operate(t)
	courier := admin.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Marc","phone":"+15145550100","vehicle":"bike"}`)).Must(t, 201).Text("courier_id")
	added := admin.Call(t, "POST", "/ops/v1/operators", []byte(
		`{"email":"anna@example.com","password":"a password for anna","role":"courier","courier_id":"`+courier+`"}`,
	)).Must(t, 201)
	if got := provider.SignIn(t, s, anna(), nil).Must(t, 200); got.Text("operator_id") != added.Text("operator_id") ||
		got.Text("role") != "courier" {
		t.Errorf("got %s, want the courier who was added", got.Body)
	}
	provider.SignIn(t, s, anna("sub", "anna-2"), nil).Refused(t, 403, "forbidden")
	provider.SignIn(t, s, anna("sub", "bert-1", "email", "bert@example.com"), nil).Refused(t, 403, "forbidden")
	admin.Call(t, "PATCH", "/ops/v1/operators/"+added.Text("operator_id"), []byte(`{"active":false}`)).Must(t, 200)
	provider.SignIn(t, s, anna(), nil).Refused(t, 403, "forbidden")
}

// TestOpenIDReadsUserinfo leaves claims out of the ID token.
func TestOpenIDReadsUserinfo(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("realm_access.roles"))
	token := apptest.Claims{"sub": "anna-1"}
	nested := map[string]any{"roles": []string{"offline_access", "warehouse", "admin"}}
	got := provider.SignIn(t, s, token, anna("email_verified", "true", "realm_access", nested)).Must(t, 200)
	if got.Text("role") != "admin" {
		t.Errorf("got %s, want the role admin, the first of two", got.Body)
	}
	provider.SignIn(t, s, token, anna("sub", "another")).Refused(t, 401, "unauthorized")
	// The ID token verifies its own address only.
	unverified := anna("sub", "eve-1", "email", apptest.OperatorEmail, "email_verified", nil, "realm_access", nested)
	provider.SignIn(t, s, anna("sub", "eve-1"), unverified).Refused(t, 403, "forbidden")
}

// TestOpenIDRefuses sends answers of the provider that must not be believed, and people
// who may not sign in.
func TestOpenIDRefuses(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"))
	for name, c := range map[string]struct {
		claims apptest.Claims
		status int
		code   string
	}{
		"unverified address": {anna("email_verified", false), 403, "forbidden"},
		"no address":         {anna("email", nil), 403, "forbidden"},
		"not an address":     {anna("email", "anna"), 403, "forbidden"},
		"no role":            {anna("groups", []string{"staff"}), 403, "forbidden"},
		"no claim":           {anna("groups", nil), 403, "forbidden"},
		"courier":            {anna("groups", "courier"), 403, "forbidden"},
		"expired":            {anna("exp", s.Clock.Now().Add(-time.Minute).Unix()), 401, "unauthorized"},
		"other client":       {anna("aud", "another client"), 401, "unauthorized"},
		"other party":        {anna("azp", "another client"), 401, "unauthorized"},
		"party, not a text":  {anna("azp", []string{"dropyard"}), 401, "unauthorized"},
		"several, no party":  {anna("aud", []string{"dropyard", "another client"}), 401, "unauthorized"},
		"other issuer":       {anna("iss", "https://login.example.com"), 401, "unauthorized"},
		"other nonce":        {anna("nonce", "another"), 401, "unauthorized"},
	} {
		refused := provider.SignIn(t, s, c.claims, c.claims).Refused(t, c.status, c.code)
		if cookie := sessionOf(refused); cookie != "" {
			t.Errorf("%s: got the session %q, want none", name, cookie)
		}
	}
	if rows := s.Query(t, "SELECT count(*) FROM operators"); rows[0] != "1" {
		t.Errorf("got %s operators, want only the first", rows[0])
	}
}

// TestOpenIDIsBoundToTheBrowser sends a callback without the cookie of the browser that
// began, with that of another sign-in, with another state, late, and twice.
func TestOpenIDIsBoundToTheBrowser(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"))
	begin := func() (target, cookie string) { return provider.Approve(t, s, "/ops/v1/oidc/login", anna(), anna()) }
	_, other := begin()
	for name, send := range map[string]func(target, cookie string) *apptest.Answer{
		"no cookie":    func(target, _ string) *apptest.Answer { return s.Do(t, "GET", target, nil) },
		"other cookie": func(target, _ string) *apptest.Answer { return s.Do(t, "GET", target, nil, "Cookie", other) },
		"changed cookie": func(target, cookie string) *apptest.Answer {
			return s.Do(t, "GET", target, nil, "Cookie", cookie[:len(cookie)-8]+"AAAAAAAA")
		},
		"other state": func(target, cookie string) *apptest.Answer {
			return s.Do(t, "GET", strings.Replace(target, "state=", "state=x", 1), nil, "Cookie", cookie)
		},
		"no code": func(target, cookie string) *apptest.Answer {
			parsed, _ := url.Parse(target)
			return s.Do(t, "GET", "/ops/v1/oidc/callback?state="+parsed.Query().Get("state"), nil, "Cookie", cookie)
		},
		"two states": func(target, cookie string) *apptest.Answer {
			return s.Do(t, "GET", target+"&state=another", nil, "Cookie", cookie)
		},
		"two codes": func(target, cookie string) *apptest.Answer {
			return s.Do(t, "GET", target+"&code=another", nil, "Cookie", cookie)
		},
		"used code": func(target, cookie string) *apptest.Answer {
			s.Do(t, "GET", target, nil, "Cookie", cookie).Must(t, 200)
			return s.Do(t, "GET", target, nil, "Cookie", cookie)
		},
		"declined": func(target, cookie string) *apptest.Answer {
			return s.Do(t, "GET", target+"&error=access_denied", nil, "Cookie", cookie)
		},
		"other provider": func(target, cookie string) *apptest.Answer {
			return s.Do(t, "GET", target+"&iss=https%3A%2F%2Flogin.example.com", nil, "Cookie", cookie)
		},
	} {
		if got := send(begin()); got.Status == http.StatusOK || sessionOf(got) != "" {
			t.Errorf("%s: got status %d: %s", name, got.Status, got.Body)
		}
	}
	target, cookie := begin()
	s.Clock.Advance(10 * time.Minute)
	s.Do(t, "GET", target, nil, "Cookie", cookie).Refused(t, 401, "unauthorized")
}

// TestOpenIDReturnsTo begins a sign-in on a page of the service and ends there.
func TestOpenIDReturnsTo(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"))
	target, cookie := provider.Approve(t, s, "/ops/v1/oidc/login?return_to=/dispatch%3Fview%3Dlate", anna(), nil)
	answer := s.Do(t, "GET", target, nil, "Cookie", cookie).Must(t, http.StatusFound)
	if to := answer.Header.Get("Location"); to != "/dispatch?view=late" {
		t.Errorf("got sent to %q, want /dispatch?view=late", to)
	}
	me(t, s, sessionOf(answer)).Must(t, 200)
	for _, elsewhere := range []string{
		"//login.example.com", "https://login.example.com", `/\login.example.com`, "dispatch", "/a b",
		"/v1/auth/logout", "/v%31/auth/logout", "/./v1/auth/logout", "/console/../v1/auth/logout",
		"/console/%2e%2e/v1/auth/logout", "/ops/v1/oidc/login?return_to=/console",
	} {
		s.Do(t, "GET", "/ops/v1/oidc/login?return_to="+url.QueryEscape(elsewhere), nil).Refused(t, 422, "validation_error")
	}
}

// TestOpenIDAsProvidersAre signs in people as Entra, authentik and Keycloak send them: without
// email_verified or with false, with identifiers or paths of groups.
func TestOpenIDAsProvidersAre(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	const guid = "0f3c8a52-6f0e-4a40-9d5d-3f2a6f0f7a11"
	s := apptest.Start(t, provider.Trusted("groups"), func(c *config.Config, _ *app.Surroundings) {
		c.OIDCTrustEmails, c.OIDCRoles = true, []string{"dispatcher=" + guid, "warehouse=/dropyard/ware=house"}
	})
	for name, c := range map[string]struct {
		claims apptest.Claims
		role   string
	}{
		"Entra": {anna("sub", "1", "email", "a@example.com", "email_verified", nil, "groups",
			[]string{"other", guid}), "dispatcher"},
		"authentik": {anna("sub", "2", "email", "b@example.com", "email_verified", false, "groups", guid), "dispatcher"},
		"Keycloak":  {anna("sub", "3", "email", "c@example.com", "groups", []string{"/dropyard/ware=house"}), "warehouse"},
	} {
		if got := provider.SignIn(t, s, c.claims, nil).Must(t, 200).Text("role"); got != c.role {
			t.Errorf("%s: got role %q, want %q", name, got, c.role)
		}
	}
	// A name of a role is not a value that stands for one.
	provider.SignIn(t, s, anna("sub", "4", "email", "d@example.com", "groups", "admin"), nil).Refused(t, 403, "forbidden")
	provider.SignIn(t, s, anna("sub", "5", "email", nil), anna("sub", "5", "email", nil)).Refused(t, 403, "forbidden")
}

// TestOpenIDAcceptsItsParty signs in with tokens that name this service among others.
func TestOpenIDAcceptsItsParty(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"))
	both := []string{"another client", "dropyard"}
	provider.SignIn(t, s, anna("azp", "dropyard"), nil).Must(t, 200)
	provider.SignIn(t, s, anna("azp", "dropyard", "aud", both), nil).Must(t, 200)
}

// TestOpenIDProviderOutOfReach starts a service while its provider is down. It is asked
// again after five seconds.
func TestOpenIDProviderOutOfReach(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	provider.Down.Store(true)
	s := apptest.Start(t, provider.Trusted("groups"))
	login := func() *apptest.Answer { return s.Do(t, "GET", "/ops/v1/oidc/login", nil) }
	if wait := login().Refused(t, 503, "unavailable").Header.Get("Retry-After"); wait != "5" {
		t.Errorf("got Retry-After %q, want 5", wait)
	}
	s.Operate(t) // with a password
	provider.Down.Store(false)
	login().Refused(t, 503, "unavailable")
	s.Clock.Advance(5 * time.Second)
	provider.SignIn(t, s, anna(), nil).Must(t, 200)
	s.Clock.Advance(2 * time.Hour)
	provider.Down.Store(true)
	login().Must(t, http.StatusFound) // by what the provider said before
	provider.Down.Store(false)
	target, cookie := provider.Approve(t, s, "/ops/v1/oidc/login", anna(), nil)
	provider.Refuses.Store(true)
	s.Do(t, "GET", target, nil, "Cookie", cookie).Refused(t, 503, "unavailable")
}

func TestOpenIDWithoutProvider(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Do(t, "GET", "/ops/v1/oidc/login", nil).Refused(t, 404, "not_found")
	s.Do(t, "GET", "/ops/v1/oidc/callback?code=1&state=2", nil).Refused(t, 404, "not_found")
}

// TestOpenIDKeepsAnAdmin: a claim does not take the role from the last admin.
func TestOpenIDKeepsAnAdmin(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted("groups"))
	provider.SignIn(t, s, anna("email", apptest.OperatorEmail), nil).Refused(t, 409, "conflict")
	s.Operate(t)
	provider.SignIn(t, s, anna("email", apptest.OperatorEmail, "groups", "admin"), nil).Must(t, 200)
}

// TestOpenIDCountsAsStrong signs in an operator of a role that must have a second factor:
// through the provider, and with a password, which is not enough.
func TestOpenIDCountsAsStrong(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted(""))
	admin := s.Operate(t)
	login := []byte(`{"email":"anna@example.com","password":"a password for anna"}`)
	admin.Call(t, "POST", "/ops/v1/operators",
		[]byte(`{"email":"anna@example.com","password":"a password for anna","role":"dispatcher"}`)).Must(t, 201)
	admin.Call(t, "PUT", "/ops/v1/sign-in-rules",
		[]byte(`{"totp_required":{"operators":["dispatcher"],"users":[]}}`)).Must(t, 200)
	byPassword := sessionOf(s.Do(t, "POST", "/ops/v1/login", login).Must(t, 200))
	s.Do(t, "GET", "/ops/v1/orders", nil, "Cookie", byPassword).Refused(t, 403, "forbidden")
	vouched := sessionOf(provider.SignIn(t, s, anna(), nil).Must(t, 200))
	s.Do(t, "GET", "/ops/v1/orders", nil, "Cookie", vouched).Must(t, 200)
	s.Do(t, "GET", "/ops/v1/orders", nil, "Cookie", byPassword).Refused(t, 403, "forbidden")
}
