package login

import (
	"cmp"
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
)

// invitationPage is where people come who have been invited into a team.
func (s *sheet) invitationPage() (int, []byte, error) {
	invited, err := s.pages.config.Partners.Invited(s.Context(), s.ID("token"))
	if err != nil {
		return s.refuseInvitation(err)
	}
	form, err := s.newForm(s.Request.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	return s.showInvitation(form, invited, http.StatusOK)
}

func (s *sheet) refuseInvitation(err error) (int, []byte, error) {
	if isGone(err) || refusal.HasCode(err, refusal.CodeForbidden) { // the team's account is suspended
		return s.gone("entrance.gone.invitation")
	}
	return 0, nil, err
}

func (s *sheet) showInvitation(form *page.Form, invited *partner.Invited, status int) (int, []byte, error) {
	role := s.Text(roleKeys[string(invited.Role)])
	lead := s.Text("entrance.invitation.lead", "team", invited.Team, "role", role)
	if invited.By != "" && invited.By != invited.Team {
		lead = s.Text("entrance.invitation.by", "who", invited.By, "team", invited.Team, "role", role)
	}
	return s.show(leaf{
		Title: s.Text("entrance.invitation", "team",
			invited.Team), Lead: []string{lead, s.Text("entrance.invitation.email", "email", invited.Email)},
		Form: form, Account: invited.Email, Button: s.Text("entrance.invitation.button"), status: status,
		Fields: withAll(form,
			page.Field{Name: "name", Label: s.Text("entrance.name"), Type: "text", Autocomplete: "name", Required: true},
			s.newPasswordField("password")),
	})
}

// acceptInvitation makes a user of the person, and signs the user in.
func (s *sheet) acceptInvitation() (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	accepting, err := form.Decode(sent.Typed(nil), partner.ReadAcceptance)
	if err != nil {
		return 0, nil, err
	}
	joined, err := s.pages.config.Partners.Accept(s.Context(), s.ID("token"), accepting)
	switch {
	case sent.Refuse(err, s.Language):
		invited, err := s.pages.config.Partners.Invited(s.Context(), s.ID("token"))
		if err != nil {
			return s.refuseInvitation(err)
		}
		return s.showInvitation(sent, invited, http.StatusUnprocessableEntity)
	case refusal.HasCode(err, refusal.CodeEmailTaken):
		return s.LeadTo("/portal/login", page.Flash{Key: "entrance.taken", Danger: true})
	case err != nil:
		return s.refuseInvitation(err)
	}
	in := signin.Credentials{Email: joined.User.Email, Password: accepting.Password}
	return s.enterFirst(in, page.Flash{Key: "entrance.joined", Arguments: []string{"team", joined.Partner.Name}})
}

// emailPage is where people come by the link that was sent to their new address. It asks
// once: mail programs open links before their readers do.
func (s *sheet) emailPage() (int, []byte, error) {
	form, err := s.newForm(s.Request.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	return s.showEmail(form, http.StatusOK)
}

// showEmail asks for the password, unless the person whose address it is is signed in: the
// account may be that of a stranger who has entered the address.
func (s *sheet) showEmail(form *page.Form, status int) (int, []byte, error) {
	_, by, err := s.holder()
	if err != nil {
		return 0, nil, err
	}
	shown := leaf{
		Title: s.Text("entrance.newemail"), Lead: []string{s.Text("entrance.newemail.lead")}, Form: form, status: status,
		Button: s.Text("entrance.newemail.button"),
	}
	asked, email, err := s.pages.config.UserSignIns.PersonOfEmail(s.Context(), s.ID("token"))
	switch {
	case err != nil && !isGone(err): // one that is gone is refused when the form is sent
		return 0, nil, err
	case err == nil && asked.PersonID == by.PersonID:
		return s.show(shown)
	}
	shown.Lead = append(shown.Lead, s.Text("entrance.newemail.stranger"))
	shown.Fields = withAll(form, s.passwordField())
	shown.Account = cmp.Or(email, s.Text("entrance.email"))
	shown.Links = []page.Link{{Text: s.Text("entrance.newemail.reset"), Path: portal.path + "/reset"}}
	return s.show(shown)
}

// confirmEmail changes a person's address.
func (s *sheet) confirmEmail() (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	confirmed, err := form.Decode(sent.Typed(nil), signin.ReadConfirmation)
	if err != nil {
		return 0, nil, err
	}
	ctx, by, err := s.holder()
	if err != nil {
		return 0, nil, err
	}
	email, err := s.pages.config.UserSignIns.ConfirmEmail(ctx, s.ID("token"), by, confirmed)
	switch {
	case sent.Refuse(err, s.Language):
		return s.showEmail(sent, http.StatusUnprocessableEntity)
	case isGone(err):
		return s.gone("entrance.gone.email")
	case refusal.HasCode(err, refusal.CodeEmailTaken):
		return s.show(leaf{
			Title: s.Text("entrance.gone"), Lead: []string{s.Text("entrance.taken")}, Links: []page.Link{s.toLogin()},
			status: http.StatusConflict,
		})
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo("/portal/login", page.Flash{Key: "entrance.newemail.done", Arguments: []string{"email", email}})
}
