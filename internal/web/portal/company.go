package portal

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// companyPath is the page of the sign-in through the company's OpenID provider.
const companyPath = "/portal/team/sign-in"

func (pages *Pages) companyRoutes() []web.Route {
	return []web.Route{
		pages.get("/team/sign-in", partner.PermissionTeam, (*Pages).company),
		pages.post("/team/sign-in", partner.PermissionTeam, (*Pages).setOpenID),
		pages.post("/team/sign-in/remove", partner.PermissionTeam, (*Pages).removeOpenID),
		pages.post("/team/sign-in/domains", partner.PermissionTeam, (*Pages).addDomain),
		pages.post("/team/sign-in/domains/{domain}/check", partner.PermissionTeam, (*Pages).checkDomain),
		pages.post("/team/sign-in/domains/{domain}/remove", partner.PermissionTeam, (*Pages).removeDomain),
	}
}

// companyView is what the page of the sign-in shows.
type companyView struct {
	*sheet
	*partner.CompanySignIn
	Domains   []domainRow
	Form      *page.Form
	Removal   *page.Form // nil if there is nothing to remove
	NewDomain *page.Form
	Problem   *page.Message // why a change was refused; may be nil
}

// domainRow is a domain with the forms that change it.
type domainRow struct {
	partner.Domain
	Check   *page.Form // nil if it is proven
	Removal *page.Form
}

// State says whether a domain is proven, or why not.
func (v *companyView) State(d domainRow) string {
	if d.Proven() {
		return v.Text("company.domain.proven")
	}
	return v.Text(page.DomainProblem(d.Problem))
}

func (pages *Pages) company(s *sheet) (int, []byte, error) {
	return pages.showCompany(s, http.StatusOK, nil)
}

// showCompany shows the sign-in as it is now, after alter has changed the view.
func (pages *Pages) showCompany(s *sheet, status int, alter func(*companyView)) (int, []byte, error) {
	found, err := pages.config.Partners.CompanySignIn(s.Context(), s.Member.Partner.PartnerID)
	if err != nil {
		return 0, nil, err
	}
	view := &companyView{sheet: s, CompanySignIn: found}
	if view.Form, err = s.form(companyPath); err != nil {
		return 0, nil, err
	}
	view.Form.Version = versionOfOpenID(found.OpenID)
	view.Form.Values = fieldsOfOpenID(found.OpenID)
	if found.OpenID != nil {
		if view.Removal, err = s.form(companyPath + "/remove"); err != nil {
			return 0, nil, err
		}
	}
	if view.NewDomain, err = s.form(companyPath + "/domains"); err != nil {
		return 0, nil, err
	}
	for _, domain := range found.Domains {
		row, path := domainRow{Domain: domain}, companyPath+"/domains/"+domain.Name
		if !domain.Proven() {
			if row.Check, err = s.form(path + "/check"); err != nil {
				return 0, nil, err
			}
		}
		if row.Removal, err = s.form(path + "/remove"); err != nil {
			return 0, nil, err
		}
		view.Domains = append(view.Domains, row)
	}
	if alter != nil {
		alter(view)
	}
	return s.show(leaf{
		template: "portal-company", title: s.Text("company.title"), data: view, status: status, modeless: true,
		back: &page.Link{Text: s.Text("team.title"), Path: "/portal/team"},
	})
}

// fieldsOfOpenID returns what the fields of the form hold.
func fieldsOfOpenID(o *partner.OpenID) url.Values {
	if o == nil {
		return url.Values{}
	}
	values := url.Values{
		"issuer": {o.Issuer}, "client_id": {o.ClientID}, "role_claim": {o.RoleClaim}, "default_role": {string(o.DefaultRole)},
	}
	for role, value := range o.Values {
		values.Set("role_values."+string(role), value)
	}
	return values
}

// versionOfOpenID differs when the form shows another provider.
func versionOfOpenID(o *partner.OpenID) int64 {
	if o == nil {
		return page.VersionOf()
	}
	return page.VersionOf(fmt.Sprintf("%q", fieldsOfOpenID(o)), o.ChangedAt.String())
}

// Fields returns the fields of the provider.
func (v *companyView) Fields() []page.Field {
	fields := []page.Field{
		v.field("issuer", "url", "company.issuer", "company.issuer.hint"),
		v.field("client_id", "text", "company.client", ""),
		v.field("client_secret", "text", "company.secret", ""),
	}
	fields[0].Required, fields[1].Required = true, true
	if v.OpenID == nil {
		fields[2].Required = true
	} else {
		fields[2].Hint = v.Text("company.secret.kept")
	}
	fields[2].Value = ""
	return fields
}

// RoleFields returns the fields that say which roles people have.
func (v *companyView) RoleFields() []page.Field {
	byDefault := v.field("default_role", "select", "company.default", "company.default.hint")
	byDefault.Options = []page.Option{{Label: v.Text("company.default.none")}}
	for _, role := range partner.Roles[1:] { // not the owner
		byDefault.Options = append(byDefault.Options, page.Option{Value: string(role), Label: v.RoleName(role)})
	}
	fields := make([]page.Field, 0, 2+len(partner.Roles))
	fields = append(fields, byDefault, v.field("role_claim", "text", "company.claim", "company.claim.hint"))
	for _, role := range partner.Roles {
		field := v.Form.With(page.Field{
			Name: "role_values." + string(role), Type: "text", Label: v.Text("company.value", "role", v.RoleName(role)),
			Autocomplete: "off",
		})
		fields = append(fields, field)
	}
	return fields
}

// PasswordField returns the field of the reader's own password.
func (v *companyView) PasswordField() page.Field {
	field := v.field("password", "password", "me.password.current", "company.password.hint")
	field.Value, field.Autocomplete = "", "current-password"
	return field
}

// DomainField returns the field of a new domain.
func (v *companyView) DomainField() page.Field {
	return v.NewDomain.With(page.Field{
		Name: "domain", Type: "text", Label: v.Text("company.domain"), Hint: v.Text("company.domain.hint"),
		Autocomplete: "off", Required: true,
	})
}

func (v *companyView) field(name, kind, label, hint string) page.Field {
	field := page.Field{Name: name, Type: kind, Label: v.Text(label), Autocomplete: "off"}
	if hint != "" {
		field.Hint = v.Text(hint)
	}
	return v.Form.With(field)
}

func (pages *Pages) setOpenID(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	// Fields of roles that are all empty are not sent: then the names of the roles count.
	maps.DeleteFunc(sent.Values, func(name string, texts []string) bool {
		return strings.HasPrefix(name, "role_values.") && strings.TrimSpace(strings.Join(texts, "")) == ""
	})
	change, err := form.Decode(sent.Typed(page.Trim), pages.config.Partners.ReadOpenIDChange)
	if err == nil {
		by := s.Principal.(*signin.Session).Caller(s.Address) //nolint:forcetypeassert // that of a page
		err = pages.config.SignIns.Confirm(s.Context(), by, change.Password)
	}
	if err == nil {
		_, err = pages.config.Partners.SetOpenID(s.Context(), s.Member.Partner.PartnerID,
			page.Basis(sent, versionOfOpenID), change)
	}
	switch {
	case err == nil:
		return s.LeadTo(companyPath, page.Flash{Key: "company.saved"})
	case errors.Is(err, form.ErrStale):
		return s.Stale(companyPath, s.Member.Partner.PartnerID)
	case errors.Is(err, partner.ErrUnproven):
		return pages.unconfirmed(s)
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	return pages.showCompany(s, http.StatusUnprocessableEntity, func(view *companyView) { view.Form = sent })
}

// unconfirmed asks a person to confirm the address first.
func (pages *Pages) unconfirmed(s *sheet) (int, []byte, error) {
	return pages.showCompany(s.on(companyPath), http.StatusConflict, func(view *companyView) {
		view.Problem = &page.Message{Text: s.Text("team.unconfirmed.first"), Danger: true}
	})
}

func (pages *Pages) removeOpenID(s *sheet) (int, []byte, error) {
	_, err := pages.config.Partners.RemoveOpenID(s.Context(), s.Member.Partner.PartnerID)
	if refusal.HasCode(err, refusal.CodeForbidden) {
		return s.LeadTo(companyPath, page.Flash{Key: "company.stopped", Danger: true})
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(companyPath, page.Flash{Key: "company.removed"})
}

func (pages *Pages) addDomain(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	domain, err := form.Decode(sent.Typed(page.Trim), partner.ReadDomain)
	if err == nil {
		_, err = pages.config.Partners.AddDomain(s.Context(), s.Member.Partner.PartnerID, domain)
	}
	status := http.StatusUnprocessableEntity
	switch {
	case err == nil:
		return s.LeadTo(companyPath, page.Flash{Key: "company.domain.added", Arguments: []string{"domain", domain}})
	case errors.Is(err, partner.ErrUnproven):
		return pages.unconfirmed(s)
	case refusal.HasCode(err, refusal.CodeConflict):
		status = http.StatusConflict
		sent.Faults = append(sent.Faults, page.Fault{Field: "domain", Text: s.Text("company.domain.refused")})
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	return pages.showCompany(s.on(companyPath), status, func(view *companyView) { view.NewDomain = sent })
}

func (pages *Pages) checkDomain(s *sheet) (int, []byte, error) {
	name := s.ID("domain")
	found, err := pages.config.Partners.CheckDomain(s.Context(), s.Member.Partner.PartnerID, name)
	var refused *refusal.Error
	if errors.As(err, &refused) && refused.Code == refusal.CodeRateLimited {
		s.Header.Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.RetryAfter.Seconds()))))
		return pages.showCompany(s.on(companyPath), http.StatusTooManyRequests, func(view *companyView) {
			view.Problem = &page.Message{Text: s.Text("company.domain.often"), Danger: true}
		})
	}
	if err != nil {
		return 0, nil, err
	}
	for _, domain := range found.Domains {
		if domain.Name == name && !domain.Proven() {
			key := page.DomainProblem(cmp.Or(domain.Problem, partner.DomainUnanswered))
			return s.LeadTo(companyPath, page.Flash{Key: key, Danger: true})
		}
	}
	return s.LeadTo(companyPath, page.Flash{Key: "company.domain.done", Arguments: []string{"domain", name}})
}

func (pages *Pages) removeDomain(s *sheet) (int, []byte, error) {
	name := s.ID("domain")
	if _, err := pages.config.Partners.RemoveDomain(s.Context(), s.Member.Partner.PartnerID, name); err != nil {
		return 0, nil, err
	}
	return s.LeadTo(companyPath, page.Flash{Key: "company.domain.removed", Arguments: []string{"domain", name}})
}
