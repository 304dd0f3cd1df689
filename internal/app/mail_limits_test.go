package app_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestInvitationsAreLimited invites and withdraws in a loop, to one address and to many.
func TestInvitationsAreLimited(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	owner := s.Register(t, "metro").Owner(t)
	loop := func(address func(i int) string) (made int) {
		for i := range 60 {
			got := owner.Call(t, "POST", "/v1/team/invitations", fmt.Appendf(nil, `{"email":%q,"role":"clerk"}`, address(i)))
			if got.Status != 201 {
				got.Refused(t, 429, "rate_limited")
				continue
			}
			made++
			owner.Call(t, "DELETE", "/v1/team/invitations/"+got.Text("invitation_id"), nil).Must(t, 200)
		}
		return made
	}
	if got := loop(func(int) string { return "sam@example.com" }); got != 3 {
		t.Errorf("one address: got %d mails, want 3", got)
	}
	if got := loop(func(i int) string { return fmt.Sprintf("stranger%d@example.com", i) }); got != 47 {
		t.Errorf("many addresses: got %d mails, want the 47 that are left of 50", got)
	}
}

// TestInvitingNeedsProvenAddress registers an account, which must confirm its address
// before it causes mails to others. Without mail there is nothing to confirm.
func TestInvitingNeedsProvenAddress(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	register := []byte(`{"name":"metro","email":"metro@example.com","password":"a long password of a shop"}`)
	s.Do(t, "POST", "/v1/auth/register", register).Must(t, 201)
	owner := (&apptest.Partner{Service: s, Email: "metro@example.com", Password: "a long password of a shop"}).Owner(t)
	invite := func() *apptest.Answer {
		return owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"sam@example.com","role":"clerk"}`))
	}
	invite().Refused(t, 409, "conflict")
	proof := <-server.Proofs
	s.Do(t, "POST", "/v1/auth/email/"+linkIn(t, proof, "email"), holder("a long password of a shop")).Must(t, 200)
	invite().Must(t, 201)
	if got := <-server.Mails; got.To != "sam@example.com" {
		t.Errorf("got a mail to %s, want one to sam@example.com", got.To)
	}

	silent := apptest.Start(t).Register(t, "metro").Owner(t)
	silent.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"sam@example.com","role":"clerk"}`)).Must(t, 201)
}

// TestNamesAreOnOneLine: names of partners and people, wherever they are set, have no
// line breaks, control characters and changes of direction.
func TestNamesAreOnOneLine(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	owner := metro.Owner(t)
	invited := owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"sam@example.com","role":"clerk"}`)).Must(t,
		201)
	link, err := url.Parse(invited.Text("url"))
	if err != nil {
		t.Fatal(err)
	}
	token := link.Path[len("/portal/invitations/"):]
	for _, name := range []string{
		"two\nlines", "tab\t", "\u202egnp.exe", "\u2066isolate", "\u200fmark", "a\u2028b", "bell\u0007", "\u0085",
	} {
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Do(t, "POST", "/v1/auth/register",
			fmt.Appendf(nil, `{"name":%s,"email":"n@example.com","password":"a long password"}`, quoted)).
			Refused(t, 400, "validation_error")
		owner.Call(t, "PATCH", "/v1/account", fmt.Appendf(nil, `{"public_name":%s}`, quoted)).Refused(t, 422,
			"validation_error")
		owner.Call(t, "PATCH", "/v1/team/"+owner.UserID, fmt.Appendf(nil, `{"name":%s}`, quoted)).Refused(t, 422,
			"validation_error")
		s.Do(t, "POST", "/v1/auth/invitations/"+token,
			fmt.Appendf(nil, `{"name":%s,"password":"a long password of sam"}`, quoted)).
			Refused(t, 422, "validation_error")
	}
	owner.Call(t, "PATCH", "/v1/account", []byte(`{"public_name":"Épicerie «Métro» 日本 👩‍🍳"}`)).Must(t, 200)
}

// TestRequestsKeepResetLink: strangers who ask for a new password of someone else neither
// void the link that was sent before, nor cause more than a few mails. The link they
// caused ends with the one that is used.
func TestRequestsKeepResetLink(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	metro := s.Register(t, "metro")
	ask := []byte(`{"email":"metro@example.com"}`)
	var links []string
	for range 3 {
		s.Do(t, "POST", "/v1/auth/reset", ask).Must(t, 202)
		links = append(links, linkIn(t, <-server.Mails, "reset"))
		s.Clock.Advance(time.Minute)
	}
	for minute := range 10 {
		s.Do(t, "POST", "/v1/auth/reset", ask).Must(t, 202)
		s.Until(t, "SELECT reset_requested_at FROM sign_ins", fmt.Sprint(s.Clock.Now().UnixMicro()))
		if minute == 9 {
			break
		}
		s.Clock.Advance(time.Minute)
	}
	s.Do(t, "POST", "/v1/auth/reset/"+links[0], []byte(`{"new_password":"brume-et-vent-1908"}`)).Must(t, 200)
	for _, link := range links {
		s.Do(t, "POST", "/v1/auth/reset/"+link, []byte(`{"new_password":"brume-et-vent-1909"}`)).Refused(t, 404, "not_found")
	}
	s.Do(t, "GET", "/v1/orders", nil, metro.Signed("GET", "/v1/orders", nil)...).Must(t, 200) // a shop's own key
	s.Stop()
	if got := len(server.Mails); got != 0 {
		t.Errorf("got %d mails more, want the 3 only", got)
	}
}

// TestFirstProofEndsKeys: a stranger opens an account with the address of another person,
// who then sets a password by mail. The stranger's key and session end.
func TestFirstProofEndsKeys(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	s.Do(t, "POST", "/v1/auth/register",
		[]byte(`{"name":"metro","email":"metro@example.com","password":"a long password of a thief"}`)).Must(t, 201)
	thief := &apptest.Partner{Service: s, Email: "metro@example.com", Password: "a long password of a thief"}
	thief = thief.NewKey(t)
	session := thief.Owner(t)
	read := func(p *apptest.Partner) *apptest.Answer {
		return s.Do(t, "GET", "/v1/orders", nil, p.Signed("GET", "/v1/orders", nil)...)
	}
	read(thief).Must(t, 200)
	reset := func(password string) {
		s.Do(t, "POST", "/v1/auth/reset", []byte(`{"email":"metro@example.com"}`)).Must(t, 202)
		link := linkIn(t, <-server.Mails, "reset")
		s.Do(t, "POST", "/v1/auth/reset/"+link, fmt.Appendf(nil, `{"new_password":%q}`, password)).Must(t, 200)
		s.Clock.Advance(time.Minute) // in which nodes read keys again
	}
	reset("brume-et-vent-1908")
	read(thief).Refused(t, 401, "unauthorized")
	session.Call(t, "GET", "/v1/account", nil).Refused(t, 401, "unauthorized")
	own := (&apptest.Partner{Service: s, Email: "metro@example.com", Password: "brume-et-vent-1908"}).NewKey(t)
	reset("neige-sur-le-fleuve")
	read(own).Must(t, 200)
}

// TestChangesAreNotified: the address that an account had before gets a mail about a new
// key, a new password and a new address.
func TestChangesAreNotified(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	owner := s.Register(t, "metro").Owner(t)
	notified := func(want string) {
		t.Helper()
		if got := <-server.Notices; got.To != "metro@example.com" || !strings.Contains(got.Text, want) {
			t.Errorf("got %q to %s, want %q to metro@example.com", got.Text, got.To, want)
		}
	}
	notified("an API key was created")
	owner.Call(t, "POST", "/v1/auth/password",
		fmt.Appendf(nil, `{"current_password":%q,"new_password":"brume-et-vent-1908"}`, owner.Password)).
		Must(t, 200)
	notified("the password was changed")
	owner.Call(t, "POST", "/v1/auth/email",
		[]byte(`{"new_email":"lea@example.com","password":"brume-et-vent-1908"}`)).Must(t, 202)
	s.Do(t, "POST", "/v1/auth/email/"+linkIn(t, <-server.Mails, "email"), holder("brume-et-vent-1908")).Must(t, 200)
	notified("the e-mail address was changed")
}
