package openid

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"golang.org/x/oauth2"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	said := claims{
		"role": "admin", "groups": []any{"staff", 7.0, "dispatcher"}, "number": 7.0, "empty": []any{},
		"https://example.com/roles": "warehouse",
		"realm_access":              map[string]any{"roles": []any{"admin"}, "inner": map[string]any{"role": "courier"}},
	}
	for name, want := range map[string][]string{
		"role": {"admin"}, "groups": {"staff", "dispatcher"}, "number": {}, "empty": {}, "none": nil, "": nil,
		"https://example.com/roles": {"warehouse"},
		"realm_access.roles":        {"admin"}, "realm_access.inner.role": {"courier"}, "realm_access.none": nil,
		"role.none": nil,
	} {
		if got := said.texts(name); !slices.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%q: got %#v, want %#v", name, got, want)
		}
	}
}

// TestBeginRefusesStrangeProviders begins sign-ins with providers that describe
// themselves wrongly.
func TestBeginRefusesStrangeProviders(t *testing.T) {
	t.Parallel()
	var description string
	described := func(issuer, more string) string {
		return fmt.Sprintf(`{"issuer":%q,"authorization_endpoint":"%s/a","token_endpoint":"%s/t","jwks_uri":"%s/k","id_token_signing_alg_values_supported":["RS256"]%s}`, issuer, issuer, issuer, issuer, more)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if description == "" {
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(description))
	}))
	defer server.Close()
	for name, c := range map[string]struct {
		description string
		begins      bool
	}{
		"as it should": {described(server.URL, `,"scopes_supported":["openid","groups"]`), true},
		"other issuer": {described("https://login.example.com", ""), false},
		"too large":    {described(server.URL, `,"more":"`+strings.Repeat("x", maxAnswer)+`"`), false},
		"redirect":     {"", false},
		"not JSON":     {"<html>", false},
	} {
		description = c.description
		begun, err := newClient(t, server.URL).Begin(t.Context(), "")
		if c.begins != (err == nil) || err != nil && !refusal.HasCode(err, refusal.CodeUnavailable) {
			t.Errorf("%s: got error %v, want none: %t", name, err, c.begins)
		}
		if err == nil && !strings.Contains(begun.URL, "scope=openid+email+profile+groups&") {
			t.Errorf("%s: got %s, want the scope groups in it", name, begun.URL)
		}
	}
}

func newClient(t *testing.T, issuer string) *Client {
	t.Helper()
	sealer, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	return New(Config{
		Issuer: issuer, ClientID: "dropyard", ClientSecret: "secret", RedirectURL: "https://delivery.example.com/callback",
		RoleClaim: "groups", Sealer: sealer, Now: time.Now, Random: repeatable.Reader(t), Log: slog.New(slog.DiscardHandler),
	})
}

// TestSecretIsShownAsDescribed reads how providers say that they take the secret.
func TestSecretIsShownAsDescribed(t *testing.T) {
	t.Parallel()
	for described, want := range map[string]oauth2.AuthStyle{
		``: oauth2.AuthStyleInHeader,
		`,"token_endpoint_auth_methods_supported":["client_secret_post","client_secret_basic"]`: oauth2.AuthStyleInHeader,
		`,"token_endpoint_auth_methods_supported":["private_key_jwt","client_secret_post"]`:     oauth2.AuthStyleInParams,
	} {
		var server *httptest.Server
		server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"issuer":%q,"authorization_endpoint":"a","token_endpoint":"t","jwks_uri":"k"%s}`, server.URL,
				described)
		}))
		provider, err := oidc.NewProvider(t.Context(), server.URL)
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got := authStyle(provider); got != want {
			t.Errorf("%s: got style %d, want %d", described, got, want)
		}
	}
}
