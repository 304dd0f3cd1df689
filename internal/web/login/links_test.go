package login_test

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
			page.Fill(t, c.door+"/reset", "email", email).Leads(t, c.door+"/reset?sent=yes")
		}
		page.Open(t, c.door+"/reset?sent=yes").Shows(t, 200, c.help)
		page.Fill(t, c.door+"/reset", "email", "nobody").Shows(t, 422, "Enter an e-mail address.")

		made := admin.Call(t, "POST", c.api+"/reset-link", nil).Must(t, 201).Text("url")
		link, here := strings.CutPrefix(made, s.URL)
		if !here || !strings.HasPrefix(link, c.door+"/reset/") {
			t.Fatalf("got the link %s, want one below %s/reset", made, c.door)
		}
		weak := page.Fill(t, link, "new_password", "dropyard")
		weak.Shows(t, 422, "Choose a password of at least ")
		weak.Shows(t, 422, "For "+c.email)
		page.Send(t, weak, link, "new_password", "neige-sur-le-fleuve").Leads(t, c.door+"/login")
		page.Open(t, c.door+"/login").Shows(t, 200, "Your new password is set.")
		page.Open(t, link).Shows(t, 404, "This link cannot be used")
		page.Send(t, weak, link, "new_password", "brume-et-vent-1908").Shows(t, 404, "This link cannot be used")
		page.Fill(t, c.door+"/login", "email", c.email, "password", "neige-sur-le-fleuve").Leads(t, c.door)
		token := link[strings.LastIndex(link, "/"):]
		for _, other := range []string{"/portal/reset", "/console/reset"} {
			page.Open(t, other+token).Shows(t, 404, "This link cannot be used")
		}
	}
}

// TestInvitation joins a team by the link of an invitation, which works once.
func TestInvitation(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	made := owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"sam@example.com","role":"clerk"}`)).Must(t,
		201)
	link := strings.TrimPrefix(made.Text("url"), s.URL)
	c := comes(s)
	for _, want := range []string{"Join metro", "with the role clerk", "sam@example.com"} {
		c.Open(t, link).Shows(t, 200, want)
	}
	faults := c.Fill(t, link, "name", "Sam", "password", "dropyard")
	faults.Shows(t, 422, "Choose a password of at least 8")
	c.Send(t, faults, link, "password", "neige-sur-le-fleuve").Leads(t, "/portal")
	c.Open(t, "/portal").Shows(t, 200, "Welcome to metro.")
	comes(s).Open(t, link).Shows(t, 404, "ask for another invitation")
	comes(s).Send(t, faults, link, "password", "neige-sur-le-fleuve").Shows(t, 404, "ask for another invitation")
	late := owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"kim@example.com","role":"reader"}`)).Must(t,
		201)
	s.Clock.Advance(8 * 24 * time.Hour)
	comes(s).Open(t, strings.TrimPrefix(late.Text("url"), s.URL)).Shows(t, 404, "This link cannot be used")
}

// postbox is a mail.Post that keeps what it is given.
type postbox chan *mail.Message

func (b postbox) Send(_ context.Context, _ mail.Writer, m *mail.Message) error {
	if m.Kind == mail.Proof || m.Kind == mail.Changed { // which have no link to follow here
		return nil
	}
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
	owner.Call(t, "POST", "/v1/auth/email",
		fmt.Appendf(nil, `{"new_email":"lea@example.com","password":%q}`, metro.Password)).Must(t, 202)
	link := strings.TrimPrefix((<-box).URL, s.URL)
	c := comes(s)
	c.Open(t, link).Must(t, 200)
	c.Fill(t, link, "password", metro.Password).Leads(t, "/portal/login")
	c.Open(t, "/portal/login").Shows(t, 200, "You sign in with lea@example.com now.")
	c.Send(t, c.Open(t, link), link).Shows(t, 404, "This link cannot be used")
	c.Fill(t, "/portal/login", "email", "lea@example.com", "password", metro.Password).Leads(t, "/portal")
}
