package portal

import (
	"errors"
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) teamRoutes() []web.Route {
	return []web.Route{
		pages.get("/team", partner.PermissionTeamRead, (*Pages).team),
		pages.post("/team", partner.PermissionTeam, (*Pages).invite),
		pages.post("/team/invitations/{invitation_id}/withdraw", partner.PermissionTeam, (*Pages).withdraw),
		pages.get("/team/{user_id}", partner.PermissionTeam, (*Pages).person),
		pages.post("/team/{user_id}", partner.PermissionTeam, (*Pages).changePerson),
		pages.post("/team/{user_id}/remove", partner.PermissionTeam, (*Pages).removePerson),
	}
}

// roleNames are the phrases for roles, and roleRights those for what each role may do.
var (
	roleNames = map[partner.Role]string{
		partner.RoleOwner: "team.owner", partner.RoleDeveloper: "team.developer", partner.RoleClerk: "team.clerk",
		partner.RoleReader: "team.reader",
	}
	roleRights = map[partner.Role]string{
		partner.RoleOwner: "team.owner.may", partner.RoleDeveloper: "team.developer.may", partner.RoleClerk: "team.clerk.may",
		partner.RoleReader: "team.reader.may",
	}
)

// RoleName returns the name of a role.
func (s *sheet) RoleName(r partner.Role) string { return s.Text(roleNames[r]) }

// RoleRights says what a role may do.
func (s *sheet) RoleRights(r partner.Role) string { return s.Text(roleRights[r]) }

// RoleField returns the choice of a role in a form, as the template "role-choice" shows it.
func (s *sheet) RoleField(f *page.Form) roleField {
	return roleField{f.With(page.Field{Name: "role", Label: s.Text("team.role")}), s, partner.Roles}
}

// roleField is the choice of a role.
type roleField struct {
	page.Field
	*sheet
	Roles []partner.Role
}

// teamView is what the page of the team shows.
type teamView struct {
	*sheet
	Users       []partner.User
	Invitations []invitation
	Form        *page.Form             // of an invitation; nil if the reader may not invite
	Problem     *page.Message          // why an invitation was refused; may be nil
	Invited     *partner.NewInvitation // whose link is shown; may be nil
	hasMail     bool                   // addresses are confirmed by mailed links
}

// ShowsConfirmed reports whether the reader sees who has confirmed the address.
func (v teamView) ShowsConfirmed() bool { return v.Form != nil && v.hasMail }

// invitation is an open invitation with the form that withdraws it.
type invitation struct {
	partner.Invitation
	Form *page.Form // nil if the reader may not withdraw it
}

// Self reports whether a person is the reader.
func (s *sheet) Self(userID string) bool { return userID == s.Member.User.UserID }

func (pages *Pages) team(s *sheet) (int, []byte, error) {
	view := teamView{sheet: s}
	if s.May(partner.PermissionTeam) {
		form, err := s.form("/portal/team")
		if err != nil {
			return 0, nil, err
		}
		view.Form = form
	}
	return pages.showTeam(view, http.StatusOK)
}

// showTeam shows the team as it is now.
func (pages *Pages) showTeam(view teamView, status int) (int, []byte, error) {
	s := view.sheet
	found, err := pages.config.Partners.Team(s.Context(), s.Member.Partner.PartnerID)
	if err != nil {
		return 0, nil, err
	}
	view.Users, view.hasMail = found.Users, pages.config.Mail
	for _, open := range found.Invitations {
		row := invitation{Invitation: open}
		if view.Form != nil {
			if row.Form, err = s.form("/portal/team/invitations/" + open.InvitationID + "/withdraw"); err != nil {
				return 0, nil, err
			}
		}
		view.Invitations = append(view.Invitations, row)
	}
	shown := leaf{template: "portal-team", title: s.Text("team.title"), data: view, status: status, modeless: true}
	if s.May(partner.PermissionTeam) {
		shown.action = &page.Link{Text: s.Text("company.title"), Path: companyPath}
	}
	return s.show(shown)
}

func (pages *Pages) invite(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	var made *partner.NewInvitation
	invited, err := form.Decode(sent.Typed(nil), partner.ReadInvitee)
	if err == nil {
		made, err = pages.config.Partners.Invite(s.Context(), s.Member, invited)
	}
	switch {
	case err == nil && made.URL == "":
		return s.LeadTo("/portal/team", page.Flash{Key: "team.invited.mail", Arguments: []string{"email", made.Email}})
	case err == nil:
		return pages.showLink(s, made)
	case refusal.HasCode(err, refusal.CodeEmailTaken):
		sent.Faults = append(sent.Faults, page.Fault{Field: "email", Text: s.Text("team.taken")})
	case errors.Is(err, partner.ErrUnproven):
		problem := &page.Message{Text: s.Text("team.unconfirmed.first"), Danger: true}
		return pages.showTeam(teamView{sheet: s, Form: sent, Problem: problem}, http.StatusConflict)
	case refusal.HasCode(err, refusal.CodeConflict):
		return pages.showTeam(teamView{sheet: s, Form: sent, Problem: &page.Message{Text: s.Text("team.full"), Danger: true}},
			http.StatusConflict)
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	return pages.showTeam(teamView{sheet: s, Form: sent}, http.StatusUnprocessableEntity)
}

// showLink shows the link of an invitation, which no later page shows.
func (pages *Pages) showLink(s *sheet, made *partner.NewInvitation) (int, []byte, error) {
	form, err := s.form("/portal/team")
	if err != nil {
		return 0, nil, err
	}
	return pages.showTeam(teamView{sheet: s, Form: form, Invited: made}, http.StatusOK)
}

func (pages *Pages) withdraw(s *sheet) (int, []byte, error) {
	err := pages.config.Partners.Withdraw(s.Context(), s.Member.Partner.PartnerID, s.ID("invitation_id"))
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo("/portal/team", page.Flash{Key: "team.withdrawn"})
}

// personView is what the page of a member of the team shows.
type personView struct {
	*sheet
	Person    *partner.User
	LastOwner bool
	Form      *page.Form
	Removal   *page.Form
	Problem   *page.Message // why the change was refused; may be nil
}

func (pages *Pages) person(s *sheet) (int, []byte, error) {
	view, err := pages.viewOfPerson(s)
	if err != nil {
		return 0, nil, err
	}
	if view.Form, err = s.form("/portal/team/" + view.Person.UserID); err != nil {
		return 0, nil, err
	}
	view.Form.Values.Set("name", view.Person.Name)
	view.Form.Values.Set("role", string(view.Person.Role))
	view.Form.Version = view.version()
	return s.showPerson(view, http.StatusOK)
}

// viewOfPerson returns the person that the path names, without the form. It refuses with
// not_found.
func (pages *Pages) viewOfPerson(s *sheet) (*personView, error) {
	team, err := pages.config.Partners.Team(s.Context(), s.Member.Partner.PartnerID)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(team.Users, func(u partner.User) bool { return u.UserID == s.ID("user_id") })
	if at < 0 {
		return nil, refusal.NotFound("the user")
	}
	view := &personView{sheet: s, Person: &team.Users[at]}
	another := func(u partner.User) bool { return u.Role == partner.RoleOwner && u.UserID != view.Person.UserID }
	view.LastOwner = !slices.ContainsFunc(team.Users, another)
	view.Removal, err = s.form("/portal/team/" + view.Person.UserID + "/remove")
	return view, err
}

// version differs when the form shows another name or role.
func (v *personView) version() int64 { return page.VersionOf(v.Person.Name, string(v.Person.Role)) }

func (s *sheet) showPerson(view *personView, status int) (int, []byte, error) {
	name := view.Person.Name
	if name == "" {
		name = view.Person.Email
	}
	return s.show(leaf{
		template: "portal-person", title: name, data: view, status: status, modeless: true,
		back: &page.Link{Text: s.Text("team.title"), Path: "/portal/team"},
	})
}

func (pages *Pages) changePerson(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	view, err := pages.viewOfPerson(s)
	if err != nil {
		return 0, nil, err
	}
	if sent.Version != view.version() {
		return s.Stale(s.Request.URL.Path, view.Person.UserID)
	}
	var changed *partner.User
	change, err := form.Decode(sent.Typed(nil), partner.ReadUser)
	if err == nil {
		changed, err = pages.config.Partners.ChangeUser(s.Context(), s.Member.Partner.PartnerID, s.ID("user_id"), change)
	}
	if err != nil {
		return pages.refusePerson(s, sent, err)
	}
	return s.LeadTo("/portal/team", page.Flash{Key: "team.changed", Arguments: []string{"name", changed.Name}})
}

// refusePerson shows the form of a person again with what is wrong with it.
func (pages *Pages) refusePerson(s *sheet, form *page.Form, refused error) (int, []byte, error) {
	lastOwner := refusal.HasCode(refused, refusal.CodeConflict)
	if !lastOwner && !form.Refuse(refused, s.Language) {
		return 0, nil, refused
	}
	view, err := pages.viewOfPerson(s)
	if err != nil {
		return 0, nil, err
	}
	view.Form = form
	if lastOwner {
		view.Problem = &page.Message{Text: s.Text("team.last_owner"), Danger: true}
		return s.showPerson(view, http.StatusConflict)
	}
	return s.showPerson(view, http.StatusUnprocessableEntity)
}

func (pages *Pages) removePerson(s *sheet) (int, []byte, error) {
	err := pages.config.Partners.RemoveUser(s.Context(), s.Member.Partner.PartnerID, s.ID("user_id"))
	switch {
	case refusal.HasCode(err, refusal.CodeConflict):
		return s.LeadTo("/portal/team/"+s.ID("user_id"), page.Flash{Key: "team.last_owner", Danger: true})
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo("/portal/team", page.Flash{Key: "team.removed"})
}
