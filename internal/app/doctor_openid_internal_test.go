package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/config"
)

// strangeProvider serves a description, keys and refusals of codes. The description may
// name its own address as URL.
func strangeProvider(t *testing.T, description, keys, refused string) string {
	t.Helper()
	var server *httptest.Server
	answers := map[string]string{"/.well-known/openid-configuration": description, "/keys": keys, "/token": refused}
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := strings.ReplaceAll(answers[r.URL.Path], "URL", server.URL)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case answer == "":
			w.WriteHeader(http.StatusNotFound)
		case r.URL.Path == "/token":
			w.WriteHeader(http.StatusBadRequest)
		}
		_, _ = fmt.Fprint(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestDoctorChecksOpenID examines providers that describe themselves in a way that cannot
// work, that do not know the client, and settings that are easily forgotten.
func TestDoctorChecksOpenID(t *testing.T) {
	t.Parallel()
	const (
		endpoints = `"authorization_endpoint":"URL/a","token_endpoint":"URL/token","jwks_uri":"URL/keys"`
		works     = `{"issuer":"URL",` + endpoints + `}`
		noMethod  = `,"token_endpoint_auth_methods_supported":["private_key_jwt"]`
		keys      = `{"keys":[{"kty":"RSA"}]}`
		badCode   = `{"error":"invalid_grant"}`
	)
	with := func(more string) string { return strings.Replace(works, "}", more+"}", 1) }
	for name, c := range map[string]struct {
		description, keys, refused string
		change                     func(*config.Config)
		fault, note                string // part of the only fault, and of one of the notes
	}{
		"works": {
			description: works, keys: keys, refused: badCode,
			note: "the redirect URI must be http://127.0.0.1:8080/ops/v1/oidc/callback",
		},
		"no description": {
			fault: "--oidc-issuer: URL does not describe itself: URL/.well-known/openid-configuration has status 404",
		},
		"not JSON": {description: "<html>", fault: "is not the JSON that is expected"},
		"other issuer": {
			description: `{"issuer":"https://login.example.com/{tenantid}"}`,
			fault:       `describes itself as "https://login.example.com/{tenantid}"`,
		},
		"other slash": {description: `{"issuer":"URL/"}`, fault: "set exactly that"},
		"no endpoint": {
			description: `{"issuer":"URL","authorization_endpoint":"URL/a","jwks_uri":"URL/keys"}`,
			fault:       "without token_endpoint",
		},
		"no code flow": {
			description: with(`,"response_types_supported":["id_token"]`), keys: keys, refused: badCode,
			fault: "response types",
		},
		"no PKCE": {
			description: with(`,"code_challenge_methods_supported":["plain"]`), keys: keys, refused: badCode,
			fault: "PKCE",
		},
		"no algorithm": {
			description: with(`,"id_token_signing_alg_values_supported":["HS256"]`), keys: keys, refused: badCode,
			fault: "algorithms of ID tokens",
		},
		"no secrets": {
			description: with(noMethod), keys: keys, refused: badCode,
			fault: "ways to show the client's secret",
		},
		"keys missing": {
			description: works, refused: badCode,
			fault: "keys of the OpenID provider cannot be read: URL/keys has status 404",
		},
		"no keys": {description: works, keys: `{"keys":[]}`, refused: badCode, fault: "has no keys"},
		"secret": {
			description: works, keys: keys, refused: `{"error":"invalid_client"}`,
			fault: "--oidc-client-id, --oidc-client-secret",
		},
		"secret, unknown": {
			description: works, keys: keys, refused: "<html>",
			note: "does not say whether it knows --oidc-client-id",
		},
		"role claim": {
			description: with(`,"claims_supported":["sub","email"]`), keys: keys, refused: badCode,
			change: func(c *config.Config) { c.OIDCRoleClaim = "groups" }, note: "does not list the claim groups",
		},
		"trust": {
			description: works, keys: keys, refused: badCode,
			change: func(c *config.Config) { c.OIDCTrustEmails = true }, note: "a person who can choose an address at URL",
		},
		"roles": {
			description: works, keys: keys, refused: badCode, note: "no value stands for admin, accountant, courier",
			change: func(c *config.Config) {
				c.OIDCRoleClaim, c.OIDCRoles = "groups", []string{"dispatcher=d", "warehouse=w"}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			issuer := strangeProvider(t, c.description, c.keys, c.refused)
			settings := &config.Config{
				Listen: "127.0.0.1:8080", OIDCIssuer: issuer, OIDCClientID: "dropyard", OIDCClientSecret: "hushhush",
			}
			if c.change != nil {
				c.change(settings)
			}
			d := &Diagnosis{}
			d.checkOpenID(t.Context(), settings)
			found := strings.Join(d.Findings, "\n")
			want := strings.ReplaceAll(c.fault, "URL", issuer)
			if !strings.Contains(found, want) || want == "" && found != "" || want != "" && len(d.Findings) != 1 {
				t.Errorf("got the faults %q, want %q", d.Findings, want)
			}
			if notes, want := strings.Join(d.Notes, "\n"),
				strings.ReplaceAll(c.note, "URL", issuer); !strings.Contains(notes, want) {
				t.Errorf("got the notes %q, want %q in them", notes, want)
			}
			if strings.Contains(found+strings.Join(d.Notes, ""), "hushhush") {
				t.Errorf("got %q and %q, want them without the secret", d.Findings, d.Notes)
			}
		})
	}
}
