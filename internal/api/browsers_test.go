package api_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// credentials returns the body by which a partner signs in.
func credentials(p *apptest.Partner) string {
	return fmt.Sprintf(`{"email":%q,"password":%q}`, p.Email, p.Password)
}

func behindHTTPS(c *config.Config, _ *app.Surroundings) { c.BaseURL = "https://delivery.example" }

// TestCookiesBehindHTTPS signs in where browsers come through https: no other host can
// have set the cookie, and under its plain name it counts for nothing.
func TestCookiesBehindHTTPS(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, behindHTTPS)
	in := s.Do(t, "POST", "/v1/auth/login", []byte(credentials(s.Register(t, "metro")))).Must(t, 200)
	set := in.Header.Values("Set-Cookie")
	if len(set) != 2 || !strings.HasPrefix(set[0], "__Host-dropyard_session=") ||
		!strings.HasPrefix(set[1], "__Host-dropyard_device=") {
		t.Fatalf("got the cookies %q, want those of the session and the device with the prefix __Host-", set)
	}
	for _, cookie := range set {
		if !strings.Contains(cookie, "; Path=/;") || !strings.Contains(cookie, "; Secure") ||
			strings.Contains(cookie, "Domain") {
			t.Errorf("got the cookie %q, want Path=/ and Secure and no Domain", cookie)
		}
	}
	cookie, _, _ := strings.Cut(set[0], ";")
	s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", cookie).Must(t, 200)
	s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", strings.TrimPrefix(cookie, "__Host-")).Refused(t, 401, "unauthorized")
	out := s.Do(t, "POST", "/v1/auth/logout", nil, "Cookie", cookie).Must(t, 200)
	if deleted := out.Header.Get("Set-Cookie"); !strings.HasPrefix(deleted, "__Host-dropyard_session=;") ||
		!strings.Contains(deleted, "; Secure") {
		t.Errorf(
			"logout: got the cookie %q, want __Host-dropyard_session deleted, and Secure, without which browsers ignore it",
			deleted,
		)
	}
}

// TestGuardsOfResponses looks at the headers that guard responses of every kind.
func TestGuardsOfResponses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		option apptest.Option
		https  string
	}{
		"http":  {func(*config.Config, *app.Surroundings) {}, ""},
		"https": {behindHTTPS, "max-age=31536000"},
	} {
		s := apptest.Start(t, c.option)
		partner := s.Register(t, "metro")
		signed := func(path string) *apptest.Answer { return partner.Call(t, "GET", path, nil) }
		for path, answer := range map[string]*apptest.Answer{
			"/v1/orders":       signed("/v1/orders"),
			"/v1/orders/none":  signed("/v1/orders/none"),
			"/v1/auth/me":      s.Do(t, "GET", "/v1/auth/me", nil),
			"/track/none":      s.Do(t, "GET", "/track/none", nil),
			"/track/none/html": s.Do(t, "GET", "/track/none/html", nil),
			"/portal/sign-in":  s.Do(t, "GET", "/portal/sign-in", nil),
			"/nothing":         s.Do(t, "GET", "/nothing", nil),
		} {
			for header, want := range map[string]string{
				"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Strict-Transport-Security": c.https,
			} {
				if got := answer.Header.Get(header); got != want {
					t.Errorf("%s: GET %s: got %s %q, want %q", name, path, header, got, want)
				}
			}
			if policy := answer.Header.Get("Content-Security-Policy"); !strings.HasPrefix(policy, "default-src 'none';") ||
				!strings.Contains(policy, "frame-ancestors 'none'") {
				t.Errorf("%s: GET %s: got the policy %q, want one that allows nothing, and no frames, by default", name, path,
					policy)
			}
		}
	}
}

func TestSignInEndsTheSessionItReplaces(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	s.Operate(t)
	boss := `{"email":"` + apptest.OperatorEmail + `","password":"` + apptest.OperatorPassword + `"}`
	for _, c := range []struct{ login, me, credentials string }{
		{"/v1/auth/login", "/v1/auth/me", credentials(s.Register(t, "metro"))},
		{"/ops/v1/login", "/ops/v1/me", boss},
	} {
		session := func(headers ...string) string {
			in := s.Do(t, "POST", c.login, []byte(c.credentials), headers...).Must(t, 200)
			cookie, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
			return cookie
		}
		other, first := session(), session()
		s.Do(t, "POST", c.login, []byte(strings.Replace(c.credentials, `d":"`, `d":"x`, 1)), "Cookie", first).Refused(t, 401,
			"unauthorized")
		s.Do(t, "GET", c.me, nil, "Cookie", first).Must(t, 200)
		second := session("Cookie", first)
		s.Do(t, "GET", c.me, nil, "Cookie", first).Refused(t, 401, "unauthorized")
		s.Do(t, "GET", c.me, nil, "Cookie", second).Must(t, 200)
		s.Do(t, "GET", c.me, nil, "Cookie", other).Must(t, 200)
	}
}

// TestSignOutFromAnotherSite follows a link, or shows a picture, on a page of another
// site that leads to the address where people sign out.
func TestSignOutFromAnotherSite(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	in := s.Do(t, "POST", "/v1/auth/login", []byte(credentials(s.Register(t, "metro")))).Must(t, 200)
	session, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	for _, site := range []string{"cross-site", "same-site"} {
		out := s.Do(t, "GET", "/v1/auth/logout", nil, "Cookie", session, "Sec-Fetch-Site", site).Must(t, 200)
		if out.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: got the cookie %q, want it left alone", site, out.Header.Get("Set-Cookie"))
		}
		s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", session).Must(t, 200)
	}
	s.Do(t, "POST", "/v1/auth/logout", nil, "Cookie", session, "Sec-Fetch-Site", "cross-site").Refused(t, 403, "forbidden")
	s.Do(t, "GET", "/v1/auth/logout", nil, "Cookie", session, "Sec-Fetch-Site", "none").Must(t, 200)
	s.Do(t, "GET", "/v1/auth/me", nil, "Cookie", session).Refused(t, 401, "unauthorized")
}

// TestChunkedRequestEndsItsConnection sends a request whose body has two lengths, and
// another one behind it, which a proxy may have taken for a part of the body.
func TestChunkedRequestEndsItsConnection(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	wire := s.Wire(t)
	hidden := apptest.Text("GET", "/v1/health", nil, "")
	wire.Send(apptest.Text("POST", "/v1/auth/login",
		[]string{"Content-Type", "application/json", "Content-Length", "6", "Transfer-Encoding", "chunked"},
		"0\r\n\r\n"+hidden))
	first := wire.Answer("POST")
	if first.Header.Get("Connection") != "close" && first.Status != 400 {
		t.Errorf("got %d with %v, want a response with Connection: close", first.Status, first.Header)
	}
	if rest := wire.Rest(); rest != "" {
		t.Errorf("got %q after the response, want the end of the connection", rest)
	}
	s.Wire(t).Send(hidden).Answer("GET").Must(t, 200)
}
