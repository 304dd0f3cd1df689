package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// holder is the body that confirms an address: the password of the account.
func holder(password string) []byte { return fmt.Appendf(nil, `{"password":%q}`, password) }

// confirmed returns whether the users of a session's team have confirmed their addresses.
func confirmed(t *testing.T, u *apptest.User) (flags []bool) {
	t.Helper()
	team := u.Call(t, "GET", "/v1/team", nil).Must(t, 200)
	for i := range team.Len("users") {
		flags = append(flags, team.JSON("users", i, "email_confirmed") == true)
	}
	return flags
}

// TestStrangerGainsNothingByAClick: a stranger opens an account with the address of another
// person, who opens the link in the mail. Neither the page nor the interface confirms the
// address without the password. After a reset by that person nothing of the stranger's is
// left: sessions, keys, the second factor and the webhook endpoint.
func TestStrangerGainsNothingByAClick(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server), apptest.Webhooks())
	const password = "a long password of a thief"
	s.Do(t, "POST", "/v1/auth/register",
		fmt.Appendf(nil, `{"name":"metro","email":"metro@example.com","password":%q}`, password)).Must(t, 201)
	thief := (&apptest.Partner{Service: s, Email: "metro@example.com", Password: password}).NewKey(t)
	thief.SetEndpoint(t, apptest.NewReceiver(t).URL)
	session := thief.Owner(t)
	session.Call(t, "PUT", "/v1/webhooks/endpoint?mode=test", []byte(`{"url":"https://thief.example/"}`)).Must(t, 201)
	stranger := &person{
		Service: s, auth: "/v1/auth", login: "/v1/auth/login", me: "/v1/auth/me", email: thief.Email, password: password,
	}
	stranger.enrol(t, session.Cookie)

	mail := <-server.Proofs
	if !strings.Contains(mail.Text, "enter no password") ||
		!strings.Contains(mail.Text, "API keys that were made before then end") {
		t.Errorf("got the mail %q, want what a click means and what a stranger's account is", mail.Text)
	}
	token := linkIn(t, mail, "email")
	victim := s.Visit()
	page := victim.Open(t, "/portal/email/"+token)
	page.Shows(t, 200, `name="password"`, "a stranger has entered your address", `href="/portal/reset"`)
	victim.Send(t, page, "/portal/email/"+token, "password", "").Must(t, 422)
	victim.Send(t, page, "/portal/email/"+token, "password", "my own password elsewhere").Must(t, 422)
	s.Do(t, "POST", "/v1/auth/email/"+token, []byte(`{}`)).Refused(t, 422, "validation_error")
	s.Do(t, "POST", "/v1/auth/email/"+token, holder("a guess of the password")).Refused(t, 422, "validation_error")
	if got := confirmed(t, session); !slices.Equal(got, []bool{false}) {
		t.Errorf("after the clicks: got %v, want the address not confirmed", got)
	}
	if shown := session.Call(t, "GET", "/v1/auth/me", nil).Must(t, 200); shown.JSON("user", "email_confirmed") != false {
		t.Errorf("me: got %s, want the address not confirmed", shown.Body)
	}

	s.Do(t, "POST", "/v1/auth/reset", []byte(`{"email":"metro@example.com"}`)).Must(t, 202)
	s.Do(t, "POST", "/v1/auth/reset/"+linkIn(t, <-server.Mails, "reset"),
		[]byte(`{"new_password":"brume-et-vent-1908"}`)).Must(t, 200)
	s.Clock.Advance(time.Minute) // in which nodes read keys again
	s.Do(t, "GET", "/v1/orders", nil, thief.Signed("GET", "/v1/orders", nil)...).Refused(t, 401, "unauthorized")
	session.Call(t, "GET", "/v1/account", nil).Refused(t, 401, "unauthorized")
	s.Do(t, "POST", "/v1/auth/email/"+token, holder("brume-et-vent-1908")).Refused(t, 404, "not_found")
	if rows := s.Query(t, "SELECT enabled FROM webhook_endpoints"); !slices.Equal(rows, []string{"0", "0"}) {
		t.Errorf("got the endpoints %v, want one for each mode, disabled", rows)
	}
	// without a code
	own := (&apptest.Partner{Service: s, Email: "metro@example.com", Password: "brume-et-vent-1908"}).Owner(t)
	if got := confirmed(t, own); !slices.Equal(got, []bool{true}) {
		t.Errorf("after the reset: got %v, want the address confirmed", got)
	}
}

// TestStrangerCannotGiveAnAddress: a stranger with an account of an own address enters that
// of another person, who opens the link: the account does not get the address.
func TestStrangerCannotGiveAnAddress(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	thief := s.Register(t, "thief")
	owner := thief.Owner(t)
	owner.Call(t, "POST", "/v1/auth/email",
		fmt.Appendf(nil, `{"new_email":"metro@example.com","password":%q}`, owner.Password)).Must(t, 202)
	token := linkIn(t, <-server.Mails, "email")
	other := s.Register(t, "other").Owner(t) // is signed in, as another person
	page := other.Open(t, "/portal/email/"+token)
	page.Shows(t, 200, `name="password"`)
	other.Send(t, page, "/portal/email/"+token, "password", other.Password).Must(t, 422)
	if me := owner.Call(t, "GET", "/v1/auth/me", nil).Must(t, 200); me.Text("user", "email") != thief.Email {
		t.Errorf("got %s, want the address that the account had", me.Body)
	}
}

// TestConfirmingInTheOwnSession opens the link where the person is signed in, which asks
// for no password, and another where no one is, with the password.
func TestConfirmingInTheOwnSession(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	for i, name := range []string{"metro", "quay"} {
		account := &apptest.Partner{Service: s, Email: name + "@example.com", Password: "a long password of a shop"}
		register := fmt.Appendf(nil, `{"name":%q,"email":%q,"password":%q}`, name, account.Email, account.Password)
		s.Do(t, "POST", "/v1/auth/register", register).Must(t, 201)
		link := "/portal/email/" + linkIn(t, <-server.Proofs, "email")
		owner := account.Owner(t)
		if i == 0 {
			page := owner.Open(t, link).Must(t, 200)
			if strings.Contains(string(page.Body), `name="password"`) {
				t.Errorf("in the own session: got the page %s, want it without a password", page.Body)
			}
			owner.Send(t, page, link).Must(t, 303)
		} else {
			browser := s.Visit()
			browser.Send(t, browser.Open(t, link), link, "password", account.Password).Must(t, 303)
		}
		if got := confirmed(t, owner); !slices.Equal(got, []bool{true}) {
			t.Errorf("%s: got %v, want the address confirmed", name, got)
		}
	}
}
