package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

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

// linkIn returns the token of the link in a mail.
func linkIn(t *testing.T, m *testkit.Mail, path string) string {
	t.Helper()
	_, behind, found := strings.Cut(m.Text, "/"+path+"/")
	token, _, _ := strings.Cut(behind, "\n\n")
	if !found || token == "" {
		t.Fatalf("got the text %q, want a link to %s in it", m.Text, path)
	}
	return token
}

// TestMail invites a person, who accepts, and later sets a new password, by the links
// in mails. The mail server is away when the invitation is made, and the service
// restarts before the server is back.
func TestMail(t *testing.T) {
	t.Parallel()
	server := testkit.StartMailServer(t, "dropyard:hunter2", nil)
	server.Away.Store(true)
	before := apptest.Start(t, withMail(server), apptest.DataIn(testkit.FastDir(t)))
	metro := before.Register(t, "metro")
	invited := metro.Owner(t).Call(t, "POST", "/v1/team/invitations",
		[]byte(`{"email":"Sam@example.com","role":"clerk"}`)).Must(t, 201)
	if invited.JSON("url") != nil {
		t.Errorf("got %s, want no url", invited.Body)
	}
	before.Stop()
	before.Clock.Advance(time.Hour)
	server.Away.Store(false)
	after := before.Beside(t, withMail(server))
	metro.Service = after
	got := <-server.Mails
	if got.To != "Sam@example.com" || got.Subject() != "Join the team of metro" || !strings.Contains(got.Text, "clerk") {
		t.Errorf("got %q to %s with the text %q, want the invitation", got.Subject(), got.To, got.Text)
	}
	after.Do(t, "POST", "/v1/auth/invitations/"+linkIn(t, got, "invitations"), []byte(acceptance)).Must(t, 201)
	metro.Owner(t).Call(t, "PATCH", "/v1/account", []byte(`{"language":"fr"}`)).Must(t, 200)
	after.Do(t, "POST", "/v1/auth/reset", []byte(`{"email":"sam@example.com"}`)).Must(t, 202)
	got = <-server.Mails
	if want := "Choisissez un nouveau mot de passe"; got.Subject() != want ||
		!strings.Contains(got.HTML, `<html lang="fr">`) {
		t.Errorf("got %q with the HTML %q, want %q in French", got.Subject(), got.HTML, want)
	}
	reset := linkIn(t, got, "reset")
	after.Do(t, "POST", "/v1/auth/reset/"+reset, []byte(`{"new_password":"brume-et-vent-1908"}`)).Must(t, 200)
	after.Do(t, "POST", "/v1/auth/login",
		fmt.Appendf(nil, `{"email":"sam@example.com","password":"brume-et-vent-1908"}`)).Must(t, 200)
	after.Stop()
	select {
	case more := <-server.Mails:
		t.Errorf("got the mail %q as well, want each once", more.Subject())
	default:
	}
}
