package account

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// formView is what a page with one form shows.
type formView struct {
	*sheet
	Form *page.Form
}

// NoMail reports whether the service sends no mail, by which an address is proved.
func (v formView) NoMail() bool { return !v.section.HasMail }

// NewPassword returns the field of a new password.
func (v formView) NewPassword() page.Field {
	least := credential.MinUserPassword
	if v.section.For == web.Operators {
		least = credential.MinOperatorPassword
	}
	field := v.Input("new_password", "me.password.new", "password", "new-password")
	field.Hint = v.Text("me.password.hint", "least", least)
	return field
}

// PasswordEffect says what a new password changes.
func (v formView) PasswordEffect() string {
	if v.section.For == web.Operators {
		return v.Text("me.password.effect.operator")
	}
	return v.Text("me.password.effect")
}

// ask shows a page with a new form, which is sent to the page's own path.
func (s *sheet) ask(template, title string) (int, []byte, error) {
	f, err := s.Site.NewForm(s.Request.URL.Path, 0)
	if err != nil {
		return 0, nil, err
	}
	return s.showPart(template, title, http.StatusOK, formView{s, f})
}

// askAgain shows a page with the form that was refused.
func (s *sheet) askAgain(template, title string, refused *page.Form) (int, []byte, error) {
	return s.showPart(template, title, http.StatusUnprocessableEntity, formView{s, refused})
}

func (s *sheet) password() (int, []byte, error) { return s.ask("self-password", "me.password") }

func (s *sheet) changePassword() (int, []byte, error) {
	refused, err := send(s, s.section.SignIns.ReadPasswordChange, own(s, s.section.SignIns.ChangePassword))
	switch {
	case err != nil:
		return 0, nil, err
	case refused != nil:
		return s.askAgain("self-password", "me.password", refused)
	}
	return s.done("me.password.changed")
}

func (s *sheet) email() (int, []byte, error) { return s.ask("self-email", "me.email") }

func (s *sheet) requestEmail() (int, []byte, error) {
	refused, err := send(s, signin.ReadNewEmail, own(s, s.section.SignIns.RequestEmail))
	switch {
	case err != nil:
		return 0, nil, err
	case refused != nil:
		return s.askAgain("self-email", "me.email", refused)
	}
	return s.done("me.email.sent", "email", s.Request.PostForm.Get("new_email"))
}

// proveAgain sends another link to the address that the person has.
func (s *sheet) proveAgain() (int, []byte, error) {
	err := s.section.SignIns.ProveAgain(s.Context(), s.Caller)
	switch {
	case refusal.HasCode(err, refusal.CodeRateLimited):
		return s.LeadTo(s.Path(""), page.Flash{Key: "me.email.again.later", Danger: true})
	case err != nil:
		return 0, nil, err
	}
	return s.done("me.email.again.sent", "email", s.Email())
}

func (s *sheet) name() (int, []byte, error) {
	f, err := s.Site.NewForm(s.Request.URL.Path, 0)
	if err != nil {
		return 0, nil, err
	}
	f.Values.Set("name", s.Name())
	return s.showPart("self-name", "me.name", http.StatusOK, formView{s, f})
}

func (s *sheet) rename() (int, []byte, error) {
	refused, err := send(s, partner.ReadNewName, func(change partner.UserChange) error {
		_, err := s.section.Rename(s.Context(), s.Session.PartnerID, s.Session.PersonID, change)
		return err
	})
	switch {
	case err != nil:
		return 0, nil, err
	case refused != nil:
		return s.askAgain("self-name", "me.name", refused)
	}
	return s.done("me.name.changed")
}
