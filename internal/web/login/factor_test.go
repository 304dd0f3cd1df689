package login_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/pquerna/otp/totp"
)

// enrol sets up a second factor of the person who is signed in, and returns its secret
// and the recovery codes.
func (c browser) enrol(t *testing.T, api, password string) (secret string, recovery []any) {
	t.Helper()
	begun := c.Request(t, "POST", api+"/totp", fmt.Appendf(nil, `{"password":%q}`, password)).Must(t, 200)
	secret = begun.Text("secret")
	confirmed := c.Request(t, "POST", api+"/totp/confirm", fmt.Appendf(nil, `{"code":%q}`, c.code(t, secret))).Must(t, 200)
	recovery, _ = confirmed.JSON("recovery_codes").([]any)
	return secret, recovery
}

func (c browser) code(t *testing.T, secret string) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, c.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// TestSecondStep signs in with a password and a code. The page of the second step keeps
// neither the password nor more than five minutes' worth of trust.
func TestSecondStep(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	first := comes(s)
	first.Fill(t, "/portal/login", "email", metro.Email, "password", metro.Password)
	secret, recovery := first.enrol(t, "/v1/auth", metro.Password)
	s.Clock.Advance(time.Minute)

	c := comes(s)
	step := c.Fill(t, "/portal/login?next=%2Fportal%3Fmode%3Dtest", "email", metro.Email, "password", metro.Password)
	step.Shows(t, 200, "Enter your code")
	if page := string(step.Body); strings.Contains(page, metro.Password) || c.Cookies["dropyard_session"] != "" {
		t.Errorf("got the password in the page, or a session %q before the code:\n%s", c.Cookies["dropyard_session"], page)
	}
	wrong := c.Send(t, step, "/portal/login", "code", "000000")
	wrong.Shows(t, 422, "This code is wrong")
	c.Send(t, wrong, "/portal/login", "code", strings.Repeat("0", 300)).Shows(t, 422, "This code is wrong")
	c.Send(t, wrong, "/portal/login", "code", c.code(t, secret)).Leads(t, "/portal?mode=test")
	comes(s).Send(t, step, "/portal/login", "code", recovery[0].(string)).Leads(t, "/portal?mode=test")
	comes(s).Send(t, step, "/portal/login", "code", recovery[0].(string)).Shows(t, 422, "This code is wrong")

	sealed := apptest.FieldOf(t, step, "/portal/login", "ticket")
	for _, ticket := range []string{sealed[:len(sealed)-6] + "AAAAAA", "e30", "?"} {
		comes(s).Send(t, step, "/portal/login", "ticket", ticket, "code", recovery[1].(string)).Shows(t, 422,
			"Enter your password again")
	}
	elsewhere := comes(s)
	form := elsewhere.Open(t, "/console/login").Form(t, "/console/login", "ticket", sealed, "code", recovery[1].(string))
	moved := elsewhere.Request(t, "POST", "/console/login", form, "Content-Type", "application/x-www-form-urlencoded")
	moved.Shows(t, 422, "Enter your password again")
	s.Clock.Advance(4 * time.Minute)
	renewed := comes(s).Send(t, step, "/portal/login", "code", "x!")
	s.Clock.Advance(time.Minute)
	for name, page := range map[string]*apptest.Answer{"first": step, "after a wrong code": renewed} {
		if late := comes(s).Send(t, page, "/portal/login", "code", recovery[1].(string)); late.Status != 422 ||
			!strings.Contains(string(late.Body), "Enter your password again") {
			t.Errorf("%s ticket, after five minutes: got status %d, want the password asked for again:\n%s", name, late.Status,
				late.Body)
		}
	}
}

// TestWrongCodesAreThrottled guesses codes until it must wait.
func TestWrongCodesAreThrottled(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	first := comes(s)
	first.Fill(t, "/portal/login", "email", metro.Email, "password", metro.Password)
	first.enrol(t, "/v1/auth", metro.Password)
	c := comes(s)
	step := c.Fill(t, "/portal/login", "email", metro.Email, "password", metro.Password)
	for range 10 {
		c.Send(t, step, "/portal/login", "code", "000000").Shows(t, 422, "This code is wrong")
	}
	c.Send(t, step, "/portal/login", "code", "000000").Shows(t, 429, "Try again in 60 seconds.")
}

// TestOperatorsDoors signs operators in by both doors: each is led to the pages of the
// role, and no one by the doors of others.
func TestOperatorsDoors(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	for _, role := range []string{"dispatcher", "accountant", "warehouse", "courier"} {
		admin.As(t, role)
	}
	for _, c := range []struct{ role, door, next, want string }{
		{"dispatcher", "/console", "", "/console"},
		{"dispatcher", "/courier", "", "/console"},
		{"dispatcher", "/courier", "/courier/stops", "/courier/stops"},
		{"accountant", "/console", "", "/console"},
		{"accountant", "/courier", "/courier", "/console"},
		{"accountant", "/console", "/console/orders", "/console/orders"},
		{"warehouse", "/courier", "/courier", "/console"},
		{"courier", "/courier", "", "/courier"},
		{"courier", "/console", "", "/courier"},
		{"courier", "/console", "/console/orders", "/courier"},
	} {
		page := comes(s)
		login := c.door + "/login?next=" + c.next
		got := page.Fill(t, login, "email", c.role+"@example.com", "password", "a long password of a "+c.role)
		got.Leads(t, c.want)
		if c.next == "" {
			page.Open(t, c.want+"/sign-in").Shows(t, 200, c.role+"@example.com")
			page.Open(t, "/").Shows(t, 200, `href="`+c.want+`">Continue`)
			page.Request(t, "POST", c.want+"/logout", nil).Leads(t, "/")
			page.Open(t, c.want).Leads(t, c.want+"/login?next="+strings.ReplaceAll(c.want, "/", "%2F"))
		}
		wrong := page.Fill(t, "/portal/login", "email", c.role+"@example.com", "password", "a long password of a "+c.role)
		wrong.Shows(t, 422, `href="/courier/login"`)
	}
	warehouse := comes(s)
	warehouse.Fill(t, "/console/login", "email", "warehouse@example.com", "password", "a long password of a warehouse")
	warehouse.Open(t, "/courier").Shows(t, 403, "You don’t have access to this page")
}

// TestOperatorMustEnrol leads an operator without the second factor that the role must
// have from any page to where it is set up, which ends with that.
func TestOperatorMustEnrol(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin := s.Operate(t)
	admin.As(t, "dispatcher")
	admin.Call(t, "PUT", "/ops/v1/sign-in-rules",
		[]byte(`{"totp_required":{"operators":["dispatcher"],"users":[]}}`)).Must(t, 200)
	c := comes(s)
	c.Fill(t, "/console/login", "email", "dispatcher@example.com", "password", "a long password of a dispatcher").Leads(t,
		"/console")
	c.Open(t, "/console").Leads(t, "/console/sign-in")
	c.Open(t, "/console/sign-in").Shows(t, 200, "Until it is set up")
	c.Request(t, "GET", "/ops/v1/orders", nil).Must(t, http.StatusForbidden)
	c.enrol(t, "/ops/v1/auth", "a long password of a dispatcher")
	c.Open(t, "/console/sign-in").Shows(t, 200, "10 recovery codes left")
}
