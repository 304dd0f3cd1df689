package app_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

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
	s.Do(t, "POST", "/v1/auth/email/"+linkIn(t, proof, "email"), nil).Must(t, 200)
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
	invited := owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"sam@example.com","role":"clerk"}`)).Must(t, 201)
	link, err := url.Parse(invited.Text("url"))
	if err != nil {
		t.Fatal(err)
	}
	token := link.Path[len("/portal/invitations/"):]
	for _, name := range []string{"two\nlines", "tab\t", "\u202egnp.exe", "\u2066isolate", "\u200fmark", "a\u2028b", "bell\u0007", "\u0085"} {
		quoted, err := json.Marshal(name)
		if err != nil {
			t.Fatal(err)
		}
		s.Do(t, "POST", "/v1/auth/register", fmt.Appendf(nil, `{"name":%s,"email":"n@example.com","password":"a long password"}`, quoted)).
			Refused(t, 400, "validation_error")
		owner.Call(t, "PATCH", "/v1/account", fmt.Appendf(nil, `{"public_name":%s}`, quoted)).Refused(t, 422, "validation_error")
		owner.Call(t, "PATCH", "/v1/team/"+owner.UserID, fmt.Appendf(nil, `{"name":%s}`, quoted)).Refused(t, 422, "validation_error")
		s.Do(t, "POST", "/v1/auth/invitations/"+token, fmt.Appendf(nil, `{"name":%s,"password":"a long password of sam"}`, quoted)).
			Refused(t, 422, "validation_error")
	}
	owner.Call(t, "PATCH", "/v1/account", []byte(`{"public_name":"Épicerie «Métro» 日本 👩‍🍳"}`)).Must(t, 200)
}
