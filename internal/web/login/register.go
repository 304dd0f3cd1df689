package login

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (s *sheet) registerPage() (int, []byte, error) {
	home, err := s.homeOfVisitor("")
	if err != nil {
		return 0, nil, err
	}
	switch {
	case home != "":
		return s.LeadTo(home, page.Flash{})
	case s.pages.config.Registration == partner.RegistrationClosed:
		return s.show(leaf{
			Title: s.Text("entrance.closed"), Lead: []string{s.Text("entrance.closed.why")},
			Links: []page.Link{s.toLogin()}, status: http.StatusForbidden,
		})
	case s.Request.URL.Query().Has("pending"):
		return s.show(leaf{
			Title: s.Text("entrance.registered"), Lead: []string{s.Text("entrance.pending")}, Links: []page.Link{s.toLogin()},
		})
	}
	form, err := s.newForm("/portal/register")
	if err != nil {
		return 0, nil, err
	}
	return s.showRegister(form, http.StatusOK)
}

func (s *sheet) showRegister(form *page.Form, status int) (int, []byte, error) {
	lead := []string{s.Text("entrance.register.lead")}
	if s.pages.config.Registration == partner.RegistrationApproval {
		lead = append(lead, s.Text("entrance.register.approval"))
	}
	return s.show(leaf{
		Title: s.Text("entrance.register"), Lead: lead, Form: form, Button: s.Text("entrance.register.button"),
		status: status,
		Fields: withAll(form,
			page.Field{
				Name: "name", Label: s.Text("entrance.company"), Type: "text", Autocomplete: "organization", Required: true,
			},
			page.Field{
				Name: "person_name", Label: s.Text("entrance.name"), Type: "text", Autocomplete: "name", Required: true,
			},
			s.emailField(), s.newPasswordField("password")),
		Links: []page.Link{s.toLogin()},
	})
}

// toLogin is a link to the sign-in page of the door.
func (s *sheet) toLogin() page.Link {
	return page.Link{Text: s.Text("entrance.tologin"), Path: s.door.path + "/login"}
}

// register opens an account and signs its owner in.
func (s *sheet) register() (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	wanted, err := form.Decode(sent.Typed(nil), partner.ReadNewAccountOfPerson)
	if err != nil {
		return 0, nil, err
	}
	registered, err := s.pages.config.Partners.Register(s.Context(), wanted)
	in := signin.Credentials{Email: wanted.Email, Password: wanted.Password}
	if refusal.HasCode(err, refusal.CodeEmailTaken) {
		// A form that was sent twice registers once: the second one finds the account.
		if role, err := s.signIn(in); err == nil {
			return s.enter(role, "", page.Flash{})
		}
		sent.Faults = append(sent.Faults, page.Fault{Field: "email", Text: s.Text("entrance.taken")})
		return s.showRegister(sent, http.StatusUnprocessableEntity)
	}
	switch {
	case sent.Refuse(err, s.Language):
		return s.showRegister(sent, http.StatusUnprocessableEntity)
	case err != nil:
		return 0, nil, err
	case registered.Pending():
		return s.LeadTo("/portal/register?pending=yes", page.Flash{})
	}
	return s.enterFirst(in, page.Flash{Key: "entrance.welcome"})
}

// enterFirst signs in a person whose account has just been made. A person who cannot be
// signed in at the moment does it on the sign-in page.
func (s *sheet) enterFirst(in signin.Credentials, welcome page.Flash) (int, []byte, error) {
	role, err := s.signIn(in)
	if refusal.HasCode(err, refusal.CodeRateLimited) || refusal.HasCode(err, refusal.CodeUnavailable) {
		return s.LeadTo(s.door.path+"/login", welcome)
	}
	if err != nil {
		return 0, nil, err
	}
	return s.enter(role, "", welcome)
}
