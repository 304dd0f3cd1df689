package login_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// browser is one that someone signs in with.
type browser struct{ *apptest.Visitor }

func comes(s *apptest.Service) browser { return browser{s.Visit()} }

// TestPartnerSignsInAndOut mistypes the password, signs in, is led to the page that was
// asked for, is led on when already signed in, and signs out.
func TestPartnerSignsInAndOut(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	c := comes(s)
	asked := c.Open(t, "/portal?mode=test")
	asked.Leads(t, "/portal/login?next=%2Fportal%3Fmode%3Dtest")
	login := asked.Header.Get("Location")
	wrong := c.Fill(t, login, "email", metro.Email, "password", "a guess of the password")
	wrong.Shows(t, 422, "is wrong")
	if page := string(wrong.Body); !strings.Contains(page, metro.Email) || strings.Contains(page, "a guess of") {
		t.Errorf("got a page without the address, or with the password:\n%s", page)
	}
	unknown := c.Fill(t, login, "email", "nobody@example.com", "password", "a guess of the password")
	unknown.Shows(t, 422, "is wrong")
	c.Send(t, wrong, "/portal/login", "password", metro.Password).Leads(t, "/portal?mode=test")
	c.Open(t, "/portal?mode=test").Shows(t, 200, "Test mode")
	c.Open(t, "/portal/login").Leads(t, "/portal")
	c.Open(t, "/").Shows(t, 200, "You are signed in as metro.")
	c.Request(t, "POST", "/portal/logout", nil).Leads(t, "/")
	c.Open(t, "/portal").Leads(t, "/portal/login?next=%2Fportal")
	c.Open(t, "/").Shows(t, 200, `href="/courier/login"`)
}

// TestNextStaysHere signs in with addresses to go to that are not pages of partners.
func TestNextStaysHere(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	for next, want := range map[string]string{
		"/portal/orders?status=failed&q=%20a": "/portal/orders?status=failed&q=%20a", "/portal/orders#x": "/portal",
		"": "/portal", "//evil.example": "/portal", `/\evil.example`: "/portal", `\\evil.example/portal`: "/portal",
		"/%2F%2Fevil.example": "/portal", "/portal//evil.example": "/portal", "/portal/%2F/evil.example": "/portal",
		"/portal/../console": "/portal", "/portal/%2e%2e/console": "/portal", "https://evil.example/portal": "/portal",
		"javascript:alert(1)": "/portal", "portal": "/portal", "/portals": "/portal", "/console": "/portal",
		"/portal\r\nSet-Cookie: a=b": "/portal", "/portal/%0d%0aSet-Cookie:a=b": "/portal/%0d%0aSet-Cookie:a=b",
		"/portal/\tx": "/portal", "/portal/login?next=/portal": "/portal", "/portal/logout": "/portal",
		"///portal": "/portal", "/portal@evil.example": "/portal", "/portal/" + strings.Repeat("a", 2000): "/portal",
	} {
		c := comes(s)
		login := "/portal/login?next=" + url.QueryEscape(next)
		got := c.Fill(t, login, "email", metro.Email, "password", metro.Password)
		if to := got.Header.Get("Location"); got.Status != http.StatusSeeOther || to != want {
			t.Errorf("next %q: got status %d to %q, want 303 to %q", next, got.Status, to, want)
		}
		c.Open(t, login).Leads(t, want) // signed in already
	}
}

// TestSignInFromOtherSitesIsRefused sends the form from a page of another site.
func TestSignInFromOtherSitesIsRefused(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	form := comes(s).Open(t, "/portal/login").Form(t, "/portal/login", "email", metro.Email, "password", metro.Password)
	for _, path := range []string{"/portal/login", "/portal/logout", "/portal/register", "/console/reset"} {
		got := s.Do(t, "POST", path, form, "Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded",
			"Sec-Fetch-Site", "cross-site")
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
		c.Fill(t, "/portal/login", "email", metro.Email, "password", "a guess of the password").Shows(t, 422, "is wrong")
	}
	locked := c.Fill(t, "/portal/login", "email", metro.Email, "password", metro.Password)
	locked.Shows(t, 429, "Try again in 60 seconds.")
	if locked.Header.Get("Retry-After") != "60" || !strings.Contains(string(locked.Body), metro.Email) {
		t.Errorf("got Retry-After %q, want 60, and the address:\n%s", locked.Header.Get("Retry-After"), locked.Body)
	}
	s.Clock.Advance(61e9)
	c.Send(t, locked, "/portal/login", "password", metro.Password).Leads(t, "/portal")
}

// TestRegister opens an account with faults first, and twice by a double click.
func TestRegister(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	c := comes(s)
	faults := c.Fill(t, "/portal/register", "name", "Librairie Nord", "email", "nord", "password", "dropyard")
	for _, want := range []string{
		`id="fault-person_name"`, "Enter an e-mail address.", "Choose a password of at least 8", `value="Librairie Nord"`,
	} {
		faults.Shows(t, 422, want)
	}
	first := c.Send(t, faults, "/portal/register", "person_name", "Léa Nord", "email", "nord@example.com", "password",
		"neige-sur-le-fleuve")
	first.Leads(t, "/portal")
	c.Open(t, "/portal").Shows(t, 200, "Welcome. Your account is open.")
	again := comes(s)
	again.Send(t, faults, "/portal/register", "person_name", "Léa Nord", "email", "nord@example.com", "password",
		"neige-sur-le-fleuve").Leads(t,
		"/portal")
	comes(s).Fill(t, "/portal/register", "name", "Nord", "person_name", "Léa Nord", "email", "nord@example.com",
		"password", "brume-et-vent-1908").Shows(t, 422, "has an account already")
	rows := s.Query(t, "SELECT u.name, p.name FROM users AS u JOIN partners AS p ON p.partner_id = u.partner_id")
	if want := "Léa Nord Librairie Nord"; len(rows) != 1 || rows[0] != want {
		t.Errorf("got the users and partners %q, want %q", rows, want)
	}
}

// TestRegistrationWithApproval waits for the approval, and is not let in before.
func TestRegistrationWithApproval(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, registration("approval"))
	c := comes(s)
	c.Fill(t, "/portal/register", "name", "Nord", "person_name", "Léa Nord", "email", "nord@example.com", "password",
		"neige-sur-le-fleuve").Leads(t,
		"/portal/register?pending=yes")
	c.Open(t, "/portal/register?pending=yes").Shows(t, 200, "awaits approval")
	c.Fill(t, "/portal/login", "email", "nord@example.com", "password", "neige-sur-le-fleuve").Shows(t, 403,
		"awaits approval")
}

func TestRegistrationIsClosed(t *testing.T) {
	t.Parallel()
	c := comes(apptest.Start(t, registration("closed")))
	if page := string(c.Open(t, "/portal/login").Must(t, 200).Body); strings.Contains(page, "/portal/register") {
		t.Errorf("got a link to register:\n%s", page)
	}
	c.Open(t, "/portal/register").Shows(t, 403, "Registration is closed")
}
