package entrance_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// comer is a browser that comes in.
type comer struct {
	*apptest.Service
	cookies map[string]string
}

func comes(s *apptest.Service) *comer { return &comer{s, map[string]string{}} }

// do sends a request as a browser does, and keeps the cookies of the response.
func (c *comer) do(t *testing.T, method, path string, body []byte, headers ...string) *apptest.Answer {
	t.Helper()
	var cookies []string
	for name, value := range c.cookies {
		cookies = append(cookies, name+"="+value)
	}
	headers = append(headers, "Accept", "text/html", "Accept-Language", "en", "Sec-Fetch-Site", "same-origin", "Cookie", strings.Join(cookies, "; "))
	got := c.Do(t, method, path, body, headers...)
	for _, cookie := range (&http.Response{Header: got.Header}).Cookies() {
		c.cookies[cookie.Name] = cookie.Value
		if cookie.MaxAge < 0 {
			delete(c.cookies, cookie.Name)
		}
	}
	return got
}

func (c *comer) open(t *testing.T, path string) *apptest.Answer {
	t.Helper()
	return c.do(t, "GET", path, nil)
}

// send sends the form on a page.
func (c *comer) send(t *testing.T, on *apptest.Answer, to string, values ...string) *apptest.Answer {
	t.Helper()
	return c.do(t, "POST", to, on.Form(t, to, values...), "Content-Type", "application/x-www-form-urlencoded")
}

// fill opens the page with a form, and sends it to the page's own path.
func (c *comer) fill(t *testing.T, path string, values ...string) *apptest.Answer {
	t.Helper()
	to, _, _ := strings.Cut(path, "?")
	return c.send(t, c.open(t, path).Must(t, 200), to, values...)
}

// leads ends the test unless the response leads to a path.
func leads(t *testing.T, got *apptest.Answer, want string) {
	t.Helper()
	if to := got.Header.Get("Location"); got.Status != http.StatusSeeOther || to != want {
		t.Fatalf("got status %d to %q, want 303 to %q:\n%s", got.Status, to, want, got.Body)
	}
}

// shows fails the test unless the page has the status and the text.
func shows(t *testing.T, got *apptest.Answer, status int, want string) {
	t.Helper()
	if got.Status != status || !strings.Contains(string(got.Body), want) {
		t.Errorf("got status %d, want %d with %q:\n%s", got.Status, status, want, got.Body)
	}
}

// TestPartnerSignsInAndOut mistypes the password, signs in, is led to the page that was
// asked for, is led on when already signed in, and signs out.
func TestPartnerSignsInAndOut(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	c := comes(s)
	asked := c.open(t, "/portal?mode=test")
	leads(t, asked, "/portal/login?next=%2Fportal%3Fmode%3Dtest")
	login := asked.Header.Get("Location")
	wrong := c.fill(t, login, "email", metro.Email, "password", "a guess of the password")
	shows(t, wrong, 422, "is wrong")
	if page := string(wrong.Body); !strings.Contains(page, metro.Email) || strings.Contains(page, "a guess of") {
		t.Errorf("got a page without the address, or with the password:\n%s", page)
	}
	unknown := c.fill(t, login, "email", "nobody@example.com", "password", "a guess of the password")
	shows(t, unknown, 422, "is wrong")
	leads(t, c.send(t, wrong, "/portal/login", "password", metro.Password), "/portal?mode=test")
	shows(t, c.open(t, "/portal?mode=test"), 200, "Test mode")
	leads(t, c.open(t, "/portal/login"), "/portal")
	shows(t, c.open(t, "/"), 200, "You are signed in as metro.")
	leads(t, c.do(t, "POST", "/portal/logout", nil), "/")
	leads(t, c.open(t, "/portal"), "/portal/login?next=%2Fportal")
	shows(t, c.open(t, "/"), 200, `href="/courier/login"`)
}

// TestNextStaysHere signs in with addresses to go to that are not pages of partners.
func TestNextStaysHere(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	for next, want := range map[string]string{
		"/portal/orders?status=failed&q=%20a": "/portal/orders?status=failed&q=%20a", "/portal/orders#x": "/portal",
		"": "/portal", "//evil.example": "/portal", `/\evil.example`: "/portal", `\\evil.example/portal`: "/portal", "/%2F%2Fevil.example": "/portal",
		"/portal//evil.example": "/portal", "/portal/%2F/evil.example": "/portal", "/portal/../console": "/portal", "/portal/%2e%2e/console": "/portal",
		"https://evil.example/portal": "/portal", "javascript:alert(1)": "/portal", "portal": "/portal", "/portals": "/portal", "/console": "/portal",
		"/portal\r\nSet-Cookie: a=b": "/portal", "/portal/%0d%0aSet-Cookie:a=b": "/portal/%0d%0aSet-Cookie:a=b", "/portal/\tx": "/portal",
		"/portal/login?next=/portal": "/portal", "/portal/logout": "/portal", "///portal": "/portal", "/portal@evil.example": "/portal",
		"/portal/" + strings.Repeat("a", 2000): "/portal",
	} {
		c := comes(s)
		login := "/portal/login?next=" + url.QueryEscape(next)
		got := c.fill(t, login, "email", metro.Email, "password", metro.Password)
		if to := got.Header.Get("Location"); got.Status != http.StatusSeeOther || to != want {
			t.Errorf("next %q: got status %d to %q, want 303 to %q", next, got.Status, to, want)
		}
		leads(t, c.open(t, login), want) // signed in already
	}
}

// TestSignInFromOtherSitesIsRefused sends the form from a page of another site.
func TestSignInFromOtherSitesIsRefused(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	form := comes(s).open(t, "/portal/login").Form(t, "/portal/login", "email", metro.Email, "password", metro.Password)
	for _, path := range []string{"/portal/login", "/portal/logout", "/portal/register", "/console/reset"} {
		got := s.Do(t, "POST", path, form, "Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site")
		if got.Status != http.StatusForbidden || got.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: got status %d and %q, want 403 and no cookie", path, got.Status, got.Header.Get("Set-Cookie"))
		}
	}
}

// TestTooManyAttempts says how long to wait, and signs in after that.
func TestTooManyAttempts(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	c := comes(s)
	for range 10 {
		shows(t, c.fill(t, "/portal/login", "email", metro.Email, "password", "a guess of the password"), 422, "is wrong")
	}
	locked := c.fill(t, "/portal/login", "email", metro.Email, "password", metro.Password)
	shows(t, locked, 429, "Try again in 60 seconds.")
	if locked.Header.Get("Retry-After") != "60" || !strings.Contains(string(locked.Body), metro.Email) {
		t.Errorf("got Retry-After %q, want 60, and the address:\n%s", locked.Header.Get("Retry-After"), locked.Body)
	}
	s.Clock.Advance(61e9)
	leads(t, c.send(t, locked, "/portal/login", "password", metro.Password), "/portal")
}

// TestRegister opens an account with faults first, and twice by a double click.
func TestRegister(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	c := comes(s)
	faults := c.fill(t, "/portal/register", "name", "Librairie Nord", "email", "nord", "password", "dropyard")
	for _, want := range []string{"Enter an e-mail address.", "Choose a password of at least 8", `value="Librairie Nord"`} {
		shows(t, faults, 422, want)
	}
	first := c.send(t, faults, "/portal/register", "email", "nord@example.com", "password", "neige-sur-le-fleuve")
	leads(t, first, "/portal")
	shows(t, c.open(t, "/portal"), 200, "Welcome. Your account is open.")
	again := comes(s)
	leads(t, again.send(t, faults, "/portal/register", "email", "nord@example.com", "password", "neige-sur-le-fleuve"), "/portal")
	shows(t, comes(s).fill(t, "/portal/register", "name", "Nord", "email", "nord@example.com", "password", "brume-et-vent-1908"), 422, "has an account already")
	if rows := s.Query(t, "SELECT count(*) FROM users"); rows[0] != "1" {
		t.Errorf("got %s users, want 1", rows[0])
	}
}

// TestRegistrationWithApproval waits for the approval, and is not let in before.
func TestRegistrationWithApproval(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, registration("approval"))
	c := comes(s)
	leads(t, c.fill(t, "/portal/register", "name", "Nord", "email", "nord@example.com", "password", "neige-sur-le-fleuve"), "/portal/register?pending=yes")
	shows(t, c.open(t, "/portal/register?pending=yes"), 200, "awaits approval")
	shows(t, c.fill(t, "/portal/login", "email", "nord@example.com", "password", "neige-sur-le-fleuve"), 403, "awaits approval")
}

func TestRegistrationIsClosed(t *testing.T) {
	t.Parallel()
	c := comes(apptest.Start(t, registration("closed")))
	if page := string(c.open(t, "/portal/login").Must(t, 200).Body); strings.Contains(page, "/portal/register") {
		t.Errorf("got a link to register:\n%s", page)
	}
	shows(t, c.open(t, "/portal/register"), 403, "Registration is closed")
}
