package login_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestOpenID signs in by the button on the page, is led to the page that was asked for,
// and comes back to the sign-in page when it is refused.
func TestOpenID(t *testing.T) {
	t.Parallel()
	provider := apptest.NewProvider(t)
	s := apptest.Start(t, provider.Trusted(""))
	s.Operate(t).As(t, "courier")
	claims := func(email string) apptest.Claims {
		return apptest.Claims{"sub": email, "email": email, "email_verified": true}
	}
	c := comes(s)
	login := c.Open(t, "/console/login?next=%2Fconsole%2Forders%3Fstatus%3Dfailed")
	const button = "/ops/v1/oidc/login?return_to=%2Fconsole%2Flogin%3Fnext%3D%252Fconsole%252Forders%253Fstatus%253Dfailed"
	login.Shows(t, 200, `href="`+button+`"`)
	if page := string(c.Open(t, "/portal/login").Body); strings.Contains(page, "oidc") {
		t.Errorf("got an OpenID button for partners:\n%s", page)
	}
	for _, person := range []struct{ email, back, at string }{
		{apptest.OperatorEmail, "/console/login?next=%2Fconsole%2Forders%3Fstatus%3Dfailed", "/console/orders?status=failed"},
		{"courier@example.com", "/console/login?next=%2Fconsole%2Forders%3Fstatus%3Dfailed", "/courier"},
		{"nobody@example.com", "/console/login?openid=operator_unknown", ""},
	} {
		page := comes(s)
		target, ticket := provider.Approve(t, s, button, claims(person.email), nil)
		name, value, _ := strings.Cut(ticket, "=")
		page.Cookies[name] = value
		back := page.Open(t, target).Must(t, 302).Header.Get("Location")
		if back != person.back {
			t.Errorf("%s: got sent to %q, want %q", person.email, back, person.back)
		}
		if person.at != "" {
			page.Open(t, back).Leads(t, person.at)
		} else {
			page.Open(t, back).Shows(t, 200, "No operator has your e-mail address here")
		}
	}
	late := comes(s)
	target, _ := provider.Approve(t, s, button, claims(apptest.OperatorEmail), nil)
	if back := late.Open(t, target).Must(t, 302).Header.Get("Location"); back != "/console/login?openid=sign_in_expired" {
		t.Errorf("without the ticket: got sent to %q, want the sign-in page", back)
	}
	provider.Down.Store(true)
	comes(s).Open(t, "/console/login?openid=unavailable").Shows(t, 200, "cannot sign you in at the moment")
}
