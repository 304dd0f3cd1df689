package console

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
)

// personRow is a user of a partner with the forms that change the sign-in.
type personRow struct {
	*signin.Listed
	Role   string
	Link   *page.Form
	Factor *page.Form // removes the second factor; nil without one
}

// resetLink is a link for a new password, with the person it was made for.
type resetLink struct {
	*signin.IssuedLink
	Email string
}

// personRoles are the phrases for the roles of partners' people.
var personRoles = map[string]string{
	"owner": "partners.role.owner", "developer": "partners.role.developer", "clerk": "partners.role.clerk",
	"reader": "partners.role.reader",
}

// addPeople adds the people of the partner.
func (pages *Pages) addPeople(v *partnerView) error {
	id := v.Partner.PartnerID
	people, err := pages.config.UserSignIns.PeopleOf(v.Context(), id)
	if err != nil {
		return err
	}
	for _, person := range people {
		row, path := personRow{Listed: person, Role: person.Role}, "/console/partners/"+id+"/people/"+person.PersonID
		if key := personRoles[row.Role]; key != "" {
			row.Role = v.Text(key)
		}
		if row.Link, err = v.form(path+"/reset-link", 0); err != nil {
			return err
		}
		if person.Enrolled {
			if row.Factor, err = v.form(path+"/second-factor/remove", versionOfFactor(person.State)); err != nil {
				return err
			}
		}
		v.People = append(v.People, row)
	}
	return nil
}

// versionOfFactor differs when a person has enrolled or removed a second factor.
func versionOfFactor(s signin.State) int64 { return page.VersionOf(strconv.FormatBool(s.Enrolled)) }

// personOf returns the person that the path names. It refuses with not_found.
func (pages *Pages) personOf(s *sheet) (*signin.Listed, error) {
	people, err := pages.config.UserSignIns.PeopleOf(s.Context(), s.ID("partner_id"))
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(people, func(p *signin.Listed) bool { return p.PersonID == s.ID("user_id") })
	if at < 0 {
		return nil, refusal.NotFound("the person")
	}
	return people[at], nil
}

// resetPerson makes a link for a new password. It is sent by mail, or shown once.
func (pages *Pages) resetPerson(s *sheet) (int, []byte, error) {
	person, err := pages.personOf(s)
	if err != nil {
		return 0, nil, err
	}
	link, err := pages.config.UserSignIns.ResetLinkOf(s.Context(), s.ID("partner_id"), person.PersonID)
	if err != nil {
		return 0, nil, err
	}
	if link.URL == "" {
		return s.toPartner("partners.reset.mailed", "email", person.Email)
	}
	view, err := pages.viewOfPartner(s.on(s.partnerPath()))
	if err != nil {
		return 0, nil, err
	}
	view.Reset = &resetLink{link, person.Email}
	return view.render(http.StatusOK)
}

// removeFactor removes the second factor of a person.
func (pages *Pages) removeFactor(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	person, err := pages.personOf(s)
	if err != nil {
		return 0, nil, err
	}
	err = pages.config.UserSignIns.ClearTOTPFrom(s.Context(), s.ID("partner_id"), person.PersonID,
		page.Basis(sent, versionOfFactor))
	if errors.Is(err, form.ErrStale) {
		return s.Stale(s.partnerPath(), person.PersonID)
	}
	if err != nil {
		return 0, nil, err
	}
	return s.toPartner("partners.factor.removed", "email", person.Email)
}

// versionOfDispatch differs when the partner's orders are dispatched in another way.
func versionOfDispatch(d *dispatch.Settings) int64 {
	return page.VersionOf(strconv.FormatBool(d.AutoAccept))
}

// setDispatch sets how the partner's orders are dispatched.
func (pages *Pages) setDispatch(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	wanted := dispatch.Settings{PartnerID: s.ID("partner_id"), AutoAccept: sent.Values.Get("auto_accept") != ""}
	changed, err := pages.config.Dispatch.SetSettingsFrom(s.Context(), page.Basis(sent, versionOfDispatch), wanted)
	if errors.Is(err, form.ErrStale) {
		return s.Stale(s.partnerPath(), s.ID("partner_id"))
	}
	if err != nil {
		return 0, nil, err
	}
	if changed.AutoAccept {
		return s.toPartner("partners.accept.on")
	}
	return s.toPartner("partners.accept.off")
}
