package entrance_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/mail"
)

func registration(kind string) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) { c.Registration = kind }
}

// TestReset asks for a new password, sets it by the link that an admin has made, and
// finds the link used up.
func TestReset(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, admin := s.Register(t, "metro"), s.Operate(t)
	for _, c := range []struct{ door, api, email, help string }{
		{"/portal", "/ops/v1/partners/" + metro.PartnerID, metro.Email, "the people who run the service"},
		{"/console", "/ops/v1/operators/" + admin.OperatorID, apptest.OperatorEmail, "an admin can give you"},
	} {
		page := comes(s)
		for _, email := range []string{c.email, "nobody@example.com"} {
			leads(t, page.fill(t, c.door+"/reset", "email", email), c.door+"/reset?sent=yes")
		}
		shows(t, page.open(t, c.door+"/reset?sent=yes"), 200, c.help)
		shows(t, page.fill(t, c.door+"/reset", "email", "nobody"), 422, "Enter an e-mail address.")

		made := admin.Call(t, "POST", c.api+"/reset-link", nil).Must(t, 201).Text("url")
		link, here := strings.CutPrefix(made, s.URL)
		if !here || !strings.HasPrefix(link, c.door+"/reset/") {
			t.Fatalf("got the link %s, want one below %s/reset", made, c.door)
		}
		weak := page.fill(t, link, "new_password", "dropyard")
		shows(t, weak, 422, "Choose a password of at least ")
		shows(t, weak, 422, "For "+c.email)
		leads(t, page.send(t, weak, link, "new_password", "neige-sur-le-fleuve"), c.door+"/login")
		shows(t, page.open(t, c.door+"/login"), 200, "Your new password is set.")
		shows(t, page.open(t, link), 404, "This link cannot be used")
		shows(t, page.send(t, weak, link, "new_password", "brume-et-vent-1908"), 404, "This link cannot be used")
		leads(t, page.fill(t, c.door+"/login", "email", c.email, "password", "neige-sur-le-fleuve"), c.door)
		token := link[strings.LastIndex(link, "/"):]
		for _, other := range []string{"/portal/reset", "/console/reset"} {
			shows(t, page.open(t, other+token), 404, "This link cannot be used")
		}
	}
}

// TestInvitation joins a team by the link of an invitation, which works once.
func TestInvitation(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	made := owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"sam@example.com","role":"clerk"}`)).Must(t, 201)
	link := strings.TrimPrefix(made.Text("url"), s.URL)
	c := comes(s)
	for _, want := range []string{"Join metro", "with the role clerk", "sam@example.com"} {
		shows(t, c.open(t, link), 200, want)
	}
	faults := c.fill(t, link, "name", "Sam", "password", "dropyard")
	shows(t, faults, 422, "Choose a password of at least 8")
	leads(t, c.send(t, faults, link, "password", "neige-sur-le-fleuve"), "/portal")
	shows(t, c.open(t, "/portal"), 200, "Welcome to metro.")
	shows(t, comes(s).open(t, link), 404, "ask for another invitation")
	shows(t, comes(s).send(t, faults, link, "password", "neige-sur-le-fleuve"), 404, "ask for another invitation")
	late := owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"kim@example.com","role":"reader"}`)).Must(t, 201)
	s.Clock.Advance(8 * 24 * time.Hour)
	shows(t, comes(s).open(t, strings.TrimPrefix(late.Text("url"), s.URL)), 404, "This link cannot be used")
}

// postbox is a mail.Post that keeps what it is given.
type postbox chan *mail.Message

func (b postbox) Send(_ context.Context, _ mail.Writer, m *mail.Message) error {
	b <- m
	return nil
}

// TestEmailLink confirms a new address by the link in the mail. Opening the page does
// not use it up.
func TestEmailLink(t *testing.T) {
	t.Parallel()
	box := make(postbox, 10)
	s := apptest.Start(t, func(_ *config.Config, world *app.Surroundings) { world.Post = box })
	metro := s.Register(t, "metro")
	owner := metro.Owner(t)
	owner.Call(t, "POST", "/v1/auth/email", fmt.Appendf(nil, `{"new_email":"lea@example.com","password":%q}`, metro.Password)).Must(t, 202)
	link := strings.TrimPrefix((<-box).URL, s.URL)
	c := comes(s)
	c.open(t, link).Must(t, 200)
	leads(t, c.fill(t, link), "/portal/login")
	shows(t, c.open(t, "/portal/login"), 200, "You sign in with lea@example.com now.")
	shows(t, c.send(t, c.open(t, link), link), 404, "This link cannot be used")
	leads(t, c.fill(t, "/portal/login", "email", "lea@example.com", "password", metro.Password), "/portal")
}
