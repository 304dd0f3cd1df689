package app_test

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/web/page"
)

// openIDRefusal provokes a refusal of a sign-in through a provider.
type openIDRefusal struct {
	// claims are what the provider says; nil if target does not need an approved sign-in.
	claims apptest.Claims
	// target returns the address that the browser opens, given the one to which the provider
	// has sent it; nil for that one.
	target func(t *testing.T, approved string) string
	// lost is set if the browser has lost the cookie of the sign-in.
	lost bool
	on   *apptest.Service // nil for the one whose roles are those of a claim

	reason string // in the address of the page, and in the log
	phrase string // of the page
	cause  string // part of the log's line
}

// TestOpenIDRefusalsSayWhy provokes each refusal of a sign-in through a provider, and reads
// the page to which it leads in both languages, and the line of the log. Every phrase of
// such a page is provoked.
func TestOpenIDRefusalsSayWhy(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	claimed := apptest.Start(t, provider.Trusted("groups"))
	byAdmins := apptest.Start(t, provider.Trusted(""))
	limited := apptest.Start(t, provider.Trusted(""), apptest.StrangerLimit(1))
	limited.Do(t, "GET", "/ops/v1/oidc/login", nil).Must(t, http.StatusFound)
	without := apptest.Start(t)

	dora := anna("sub", "dora-1", "email", "dora@example.com")
	provider.SignIn(t, claimed, anna(), nil).Must(t, 200)
	inactive := provider.SignIn(t, claimed, dora, nil).Must(t, 200).Text("operator_id")
	claimed.Operate(t).Call(t, "PATCH", "/ops/v1/operators/"+inactive, []byte(`{"active":false}`)).Must(t, 200)

	with := func(parameter string) func(*testing.T, string) string {
		return func(_ *testing.T, approved string) string { return approved + "&" + parameter }
	}
	at := func(path string) func(*testing.T, string) string {
		return func(*testing.T, string) string { return path }
	}
	bert := func(changes ...any) apptest.Claims {
		return anna(append([]any{"sub", "bert-1", "email", "bert@example.com"}, changes...)...)
	}
	cases := map[string]openIDRefusal{
		"no address": {
			claims: bert("email", nil),
			reason: "address_missing", phrase: "address", cause: "sends no e-mail address",
		},
		"not an address": {
			claims: bert("email", "bert"),
			reason: "address_missing", phrase: "address", cause: "sends no e-mail address",
		},
		"unverified": {
			claims: bert("email_verified", false),
			reason: "address_unverified", phrase: "unverified", cause: "has not verified",
		},
		"no claim": {
			claims: bert("groups", nil),
			reason: "claim_missing", phrase: "claim", cause: "does not send the role claim",
		},
		"no role": {
			claims: bert("groups", []string{"staff"}),
			reason: "role_missing", phrase: "role", cause: "names none of the roles",
		},
		"no operator": {
			claims: bert(), on: byAdmins, reason: "operator_unknown", phrase: "unknown", cause: "has no operator",
		},
		"another person": {
			claims: anna("sub", "anna-2"),
			reason: "operator_of_another", phrase: "another", cause: "is another person",
		},
		"courier": {
			claims: bert("groups", "courier"),
			reason: "courier_by_admin", phrase: "courier", cause: "an admin must add",
		},
		"inactive": {claims: dora, reason: "operator_inactive", phrase: "inactive", cause: "not active"},
		"last admin": {
			claims: anna("sub", "1", "email", apptest.OperatorEmail),
			reason: "last_admin", phrase: "admin", cause: "admin",
		},
		"no cookie": {
			claims: bert(), lost: true, reason: "sign_in_expired", phrase: "expired", cause: "has sent no cookie",
		},
		"other state": {
			claims: bert(), target: func(_ *testing.T, approved string) string {
				return strings.Replace(approved, "state=", "state=x", 1)
			}, reason: "sign_in_expired", phrase: "expired", cause: "the state is that of another sign-in",
		},
		"declined": {
			claims: bert(), target: with("error=access_denied"),
			reason: "provider_refused", phrase: "refused", cause: "access_denied",
		},
		"repeated": {
			claims: bert(), target: with("state=x"),
			reason: "provider_answer", phrase: "answer", cause: "a parameter is repeated",
		},
		"issuer": {
			claims: bert(), target: with("iss=https://other.example.com"),
			reason: "provider_answer", phrase: "answer", cause: "other.example.com",
		},
		"code": {
			claims: bert(), target: func(_ *testing.T, approved string) string {
				return strings.Replace(approved, "code=", "code=x", 1)
			}, reason: "provider_answer", phrase: "answer", cause: "the code is not valid",
		},
		"nonce": {
			claims: bert("nonce", "another"),
			reason: "provider_answer", phrase: "answer", cause: "the nonce",
		},
		"other client": {
			claims: bert("aud", "another client"),
			reason: "provider_answer", phrase: "answer", cause: "audience",
		},
		"other party": {
			claims: bert("azp", "another client"),
			reason: "provider_answer", phrase: "answer", cause: "issued to another client",
		},
		"secret": {
			claims: bert(), target: func(t *testing.T, approved string) string {
				provider.Refuses.Store(true)
				t.Cleanup(func() { provider.Refuses.Store(false) })
				return approved
			}, reason: "unavailable", phrase: "other", cause: "invalid_client",
		},
		"elsewhere": {
			target: at("/ops/v1/oidc/login?return_to=https://other.example.com"),
			reason: "validation_error", phrase: "where", cause: "return_to",
		},
		"too many": {
			target: at("/ops/v1/oidc/login"), on: limited,
			reason: "rate_limited", phrase: "limited", cause: "too many requests",
		},
		"no provider": {
			target: at("/ops/v1/oidc/login"), on: without,
			reason: "not_found", phrase: "none", cause: "no OpenID provider",
		},
	}
	logged := map[string]openIDRefusal{} // by the id of the request
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		c := cases[name]
		if c.on == nil {
			c.on = claimed
		}
		t.Run(name, func(t *testing.T) { logged[c.provoke(t, provider)] = c })
	}
	shown := map[string]bool{}
	for id, c := range logged {
		shown["entrance.openid."+c.phrase] = true
		c.on.Stop()
		checkRefusalLog(t, c, id)
	}
	for key := range page.English.Phrases("entrance.openid.") {
		if !shown[key] {
			t.Errorf("no refusal leads to the page that says %s", key)
		}
	}
}

// provoke makes a browser send what is refused, reads the page to which it is led, and
// returns the id of the request.
func (c *openIDRefusal) provoke(t *testing.T, provider *apptest.Provider) (requestID string) {
	t.Helper()
	browser, target := c.on.Visit(), ""
	if c.claims != nil {
		approved, ticket := provider.Approve(t, c.on, "/ops/v1/oidc/login", c.claims, c.claims)
		if name, value, _ := strings.Cut(ticket, "="); !c.lost {
			browser.Cookies[name] = value
		}
		target = approved
	}
	if c.target != nil {
		target = c.target(t, target)
	}
	refused := browser.Open(t, target).Must(t, http.StatusFound)
	to := refused.Header.Get("Location")
	if want := "/console/login?openid=" + c.reason; to != want {
		t.Errorf("got sent to %q, want %q", to, want)
	}
	for _, language := range []page.Language{page.English, page.French} {
		got := c.on.Do(t, "GET", to, nil, "Accept", "text/html", "Accept-Language", string(language)).Must(t, http.StatusOK)
		if want := html.EscapeString(language.Text("entrance.openid." + c.phrase)); !strings.Contains(string(got.Body),
			want) {
			t.Errorf("in %s: got the page %s, want %q on it", language, got.Body, want)
		}
	}
	return refused.Header.Get("X-Request-Id")
}

// checkRefusalLog reads the lines of the log on a request of a service that has stopped.
func checkRefusalLog(t *testing.T, c openIDRefusal, requestID string) {
	t.Helper()
	said := ""
	for line := range strings.Lines(c.on.Log.String()) {
		if strings.Contains(line, "request_id="+requestID) {
			said += line
		}
	}
	wants := []string{"reason=" + c.reason + " ", c.cause}
	if c.vouched() {
		wants = append(wants, fmt.Sprint("subject=", c.claims["sub"]), "claim=", "values=")
	}
	for _, want := range wants {
		if !strings.Contains(said, want) {
			t.Errorf("%s, %s: got the log %q of the request, want %q in it", c.reason, c.phrase, said, want)
		}
	}
}

// vouched reports whether the provider has vouched for the person, who may not sign in.
func (c *openIDRefusal) vouched() bool {
	before := []string{"sign_in_expired", "provider_refused", "provider_answer", "unavailable"}
	return c.claims != nil && !slices.Contains(before, c.reason)
}
