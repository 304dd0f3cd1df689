package portal_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// withMail sends mails to a server.
func withMail(server *testkit.MailServer) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) {
		c.SMTP, c.MailFrom = "smtp://dropyard:hunter2@"+server.Address, "Dropyard <no-reply@example.com>"
	}
}

// contains checks that a page has a text.
func contains(t *testing.T, page *apptest.Answer, wanted ...string) {
	t.Helper()
	shows(t, t.Name(), page, wanted, nil)
}

var invitationLink = regexp.MustCompile(`/invitations/([A-Za-z0-9_-]+)`)

// TestInvitationInPortal invites a person, who joins by the link that is shown once.
func TestInvitationInPortal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	page := owner.Open(t, "/portal/team").Must(t, http.StatusOK)
	invited := owner.Send(t, page, "/portal/team", "email", "sam@example.com", "role", "clerk").Must(t, http.StatusOK)
	link := invitationLink.FindSubmatch(invited.Body)
	if link == nil {
		t.Fatalf("got a page without the link of the invitation:\n%s", invited.Body)
	}
	s.Do(t, "POST", "/v1/auth/invitations/"+string(link[1]),
		[]byte(`{"name":"Sam","password":"brume-et-goélands-1907"}`)).Must(t, http.StatusCreated)
	contains(t, owner.Open(t, "/portal/team"), "2 people", "Sam", "Clerk")

	// the form was sent already
	owner.Send(t, page, "/portal/team", "email", "sam@example.com", "role", "clerk").Must(t, http.StatusConflict)
	again := owner.Open(t, "/portal/team")
	contains(t, owner.Send(t, again, "/portal/team", "email", "SAM@example.com", "role", "clerk").Must(t,
		http.StatusUnprocessableEntity),
		"This address has an account already.", `value="SAM@example.com"`)
	contains(t, owner.Send(t, again, "/portal/team", "email", "nobody", "role", "").Must(t,
		http.StatusUnprocessableEntity), "Enter an e-mail address.", `id="fault-role"`)

	owner.Send(t, again, "/portal/team", "email", "noor@example.com", "role", "reader").Must(t, http.StatusOK)
	id := owner.Call(t, "GET", "/v1/team", nil).Must(t, http.StatusOK).Text("invitations", 0, "invitation_id")
	owner.Send(t, owner.Open(t, "/portal/team"), "/portal/team/invitations/"+id+"/withdraw").Must(t, http.StatusSeeOther)
	if left := owner.Call(t, "GET", "/v1/team", nil).Must(t, http.StatusOK).Len("invitations"); left != 0 {
		t.Errorf("got %d invitations after the withdrawal, want none", left)
	}
}

// TestInvitationByMail invites a person by mail: the page shows no link.
func TestInvitationByMail(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	s := apptest.Start(t, withMail(server))
	owner := s.Register(t, "metro").Owner(t)
	owner.Send(t, owner.Open(t, "/portal/team"), "/portal/team", "email", "sam@example.com", "role", "clerk").Must(t,
		http.StatusSeeOther)
	if mail := <-server.Mails; mail.To != "sam@example.com" || !invitationLink.MatchString(mail.Text) {
		t.Errorf("got a mail to %s with %q, want one to sam@example.com with the link", mail.To, mail.Text)
	}
}

// TestMemberInPortal changes a person's role, with effect on the person's session, and
// removes the person.
func TestMemberInPortal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	owner, developer, stranger := metro.Owner(t), metro.As(t, "developer"), s.Register(t, "other").Owner(t)
	path := "/portal/team/" + developer.UserID
	page := owner.Open(t, path).Must(t, http.StatusOK)
	owner.Send(t, page, path, "role", "reader", "name", "Devon").Must(t, http.StatusSeeOther)
	developer.Call(t, "POST", "/v1/auth/api-keys", nil).Refused(t, http.StatusForbidden, "forbidden")
	contains(t, owner.Open(t, "/portal/team"), "Devon", "Reader")
	stranger.Open(t, path).Must(t, http.StatusNotFound)
	stranger.Do(t, "POST", path+"/remove", page.Form(t, path+"/remove"), "Cookie", stranger.Cookie, "Content-Type",
		"application/x-www-form-urlencoded").Must(t, http.StatusNotFound)
	owner.Send(t, page, path+"/remove").Must(t, http.StatusSeeOther)
	developer.Call(t, "GET", "/v1/auth/me", nil).Refused(t, http.StatusUnauthorized, "unauthorized")
	owner.Open(t, path).Must(t, http.StatusNotFound)
}

// TestLastOwnerInPortal lets the only owner neither become a reader nor be removed.
func TestLastOwnerInPortal(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	owner, second := metro.Owner(t), metro.As(t, "owner")
	path := "/portal/team/" + owner.UserID
	page := second.Open(t, path).Must(t, http.StatusOK)
	owner.Call(t, "DELETE", "/v1/team/"+second.UserID, nil).Must(t, http.StatusOK)
	contains(t, owner.Send(t, page, path, "role", "reader").Must(t, http.StatusConflict), "This is the only owner",
		`name="role"`)
	refused := owner.Send(t, page, path+"/remove").Must(t, http.StatusSeeOther)
	if got := refused.Header.Get("Location"); got != path {
		t.Errorf("got to %q, want back to the page of the person, %q", got, path)
	}
	if team := owner.Call(t, "GET", "/v1/team", nil).Must(t, http.StatusOK); team.Len("users") != 1 ||
		team.Text("users", 0, "role") != "owner" {
		t.Errorf("got %s, want the owner", team.Body)
	}
	if shown := owner.Open(t, path); slices.Contains(strings.Fields(string(shown.Body)), `action="`+path+`/remove">`) {
		t.Errorf("got a page with the removal of the only owner:\n%s", shown.Body)
	}
}

// TestTeamAndSettingsByRole opens pages and sends forms as people who may not.
func TestTeamAndSettingsByRole(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	owner := metro.Owner(t)
	person := "/portal/team/" + owner.UserID
	for _, role := range []string{"developer", "clerk", "reader"} {
		user := metro.As(t, role)
		for _, path := range []string{"/portal/team", "/portal/settings"} {
			shown := user.Open(t, path).Must(t, http.StatusOK)
			if strings.Contains(string(shown.Body), `method="post" action="`+path) {
				t.Errorf("%s: got a form on %s, want none", role, path)
			}
			form := owner.Open(t, path).Form(t, path)
			user.Do(t, "POST", path, form, "Cookie", user.Cookie, "Content-Type", "application/x-www-form-urlencoded").Must(t,
				http.StatusForbidden)
		}
		user.Open(t, person).Must(t, http.StatusForbidden)
		user.Open(t, "/portal/sign-in").Must(t, http.StatusOK)
	}
}
