package login

import (
	"errors"
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// forgottenPage is where people ask for a new password.
func (s *sheet) forgottenPage() (int, []byte, error) {
	if s.Request.URL.Query().Has("sent") {
		return s.show(leaf{
			Title: s.Text("entrance.forgotten.done"), Lead: []string{
				s.helpWithPassword("entrance.forgotten.mailed"),
			}, Links: []page.Link{s.toLogin()},
		})
	}
	form, err := s.newForm(s.door.path + "/reset")
	if err != nil {
		return 0, nil, err
	}
	return s.showForgotten(form, http.StatusOK)
}

// helpWithPassword returns the phrase for a service with mail, or how else people get a
// new password.
func (s *sheet) helpWithPassword(withMail string) string {
	switch {
	case s.pages.config.HasMail:
		return s.Text(withMail)
	case s.door.kind == web.Partners:
		return s.Text("entrance.forgotten.nomail.portal")
	}
	return s.Text("entrance.forgotten.nomail.console")
}

func (s *sheet) showForgotten(form *page.Form, status int) (int, []byte, error) {
	return s.show(leaf{
		Title: s.Text("entrance.forgotten"), Lead: []string{
			s.helpWithPassword("entrance.forgotten.lead"),
		}, Form: form, status: status,
		Fields: withAll(form, s.emailField()), Button: s.Text("entrance.forgotten.button"), Links: []page.Link{s.toLogin()},
	})
}

// forgotten asks for a new password. The response is the same for every address.
func (s *sheet) forgotten() (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	email, err := form.Decode(sent.Typed(nil), signin.ReadResetRequest)
	if sent.Refuse(err, s.Language) {
		return s.showForgotten(sent, http.StatusUnprocessableEntity)
	}
	if err != nil {
		return 0, nil, err
	}
	s.signIns().RequestReset(email)
	return s.LeadTo(s.door.path+"/reset?sent=yes", page.Flash{})
}

// gone is the page of a link that cannot be used.
func (s *sheet) gone(why string, links ...page.Link) (int, []byte, error) {
	return s.show(leaf{
		Title: s.Text("entrance.gone"), Lead: []string{s.Text("entrance.gone.lead"), s.Text(why)},
		Links: append(links, s.toLogin()), status: http.StatusNotFound,
	})
}

func (s *sheet) resetGone() (int, []byte, error) {
	return s.gone("entrance.gone.reset", page.Link{Text: s.Text("entrance.forgotten"), Path: s.door.path + "/reset"})
}

// resetPage is where people come by a link for a new password. It does not use the link
// up: mail programs open links before their readers do.
func (s *sheet) resetPage() (int, []byte, error) {
	person, err := s.signIns().PersonOf(s.Context(), s.ID("token"))
	if isGone(err) {
		return s.resetGone()
	}
	if err != nil {
		return 0, nil, err
	}
	form, err := s.newForm(s.Request.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	return s.showReset(form, person, http.StatusOK)
}

func (s *sheet) showReset(form *page.Form, person *signin.Person, status int) (int, []byte, error) {
	return s.show(leaf{
		Title: s.Text("entrance.reset"), Lead: []string{s.Text("entrance.reset.lead", "email",
			person.Email)}, Form: form, Account: person.Email, status: status,
		Fields: withAll(form, s.newPasswordField("new_password")), Button: s.Text("entrance.reset.button"),
	})
}

// reset sets a new password.
func (s *sheet) reset() (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	wanted, err := form.Decode(sent.Typed(nil), s.signIns().ReadNewPassword)
	if err != nil {
		return 0, nil, err
	}
	person, err := s.signIns().Reset(s.Context(), s.ID("token"), wanted)
	switch {
	case isGone(err):
		return s.resetGone()
	case sent.Refuse(err, s.Language):
		if person, err = s.signIns().PersonOf(s.Context(), s.ID("token")); err != nil {
			return s.resetGone()
		}
		return s.showReset(sent, person, http.StatusUnprocessableEntity)
	case err != nil:
		return 0, nil, err
	}
	entry := s.door
	if person.Role == string(operator.RoleCourier) && entry == console {
		entry = courier
	}
	return s.LeadTo(entry.path+"/login", page.Flash{Key: "entrance.reset.done"})
}

// isGone reports whether a link cannot be used.
func isGone(err error) bool { return errors.Is(err, credential.ErrNoLink) }
