package console

import (
	"cmp"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/page"
)

// companyRow is how the people of a partner sign in through its OpenID provider, with the forms
// that turn it off or on again.
type companyRow struct {
	*partner.CompanySignIn
	Switch  *page.Form // nil if no provider is set
	Domains []domainRow
}

// domainRow is a domain with the forms that check and remove it.
type domainRow struct {
	partner.Domain
	State   string
	Check   *page.Form // nil if it is proven
	Removal *page.Form
}

// addCompany adds the sign-in through the partner's provider, if there is one.
func (pages *Pages) addCompany(v *partnerView) error {
	id := v.Partner.PartnerID
	found, err := pages.config.Partners.CompanySignIn(v.Context(), id)
	if err != nil || found.OpenID == nil && len(found.Domains) == 0 {
		return err
	}
	row, path := &companyRow{CompanySignIn: found}, "/console/partners/"+id+"/openid"
	if found.OpenID != nil {
		act := "/stop"
		if found.OpenID.Stopped() {
			act = "/allow"
		}
		if row.Switch, err = v.form(path+act, 0); err != nil {
			return err
		}
	}
	for _, domain := range found.Domains {
		named := domainRow{Domain: domain, State: v.Text("company.domain.proven")}
		if !domain.Proven() {
			named.State = v.Text(page.DomainProblem(domain.Problem))
			if named.Check, err = v.form(path+"/domains/"+domain.Name+"/check", 0); err != nil {
				return err
			}
		}
		if named.Removal, err = v.form(path+"/domains/"+domain.Name+"/remove", 0); err != nil {
			return err
		}
		row.Domains = append(row.Domains, named)
	}
	v.Company = row
	return nil
}

func (pages *Pages) stopOpenID(s *sheet) (int, []byte, error) {
	return pages.switchOpenID(s, true, "partners.openid.done.stop")
}

func (pages *Pages) allowOpenID(s *sheet) (int, []byte, error) {
	return pages.switchOpenID(s, false, "partners.openid.done.allow")
}

func (pages *Pages) switchOpenID(s *sheet, stopped bool, done string) (int, []byte, error) {
	if _, err := pages.config.Partners.StopOpenID(s.Context(), s.ID("partner_id"), stopped); err != nil {
		return 0, nil, err
	}
	return s.toPartner(done)
}

// releaseDomain removes a domain of a partner, so that another can prove it.
func (pages *Pages) releaseDomain(s *sheet) (int, []byte, error) {
	domain := s.ID("domain")
	if _, err := pages.config.Partners.RemoveDomain(s.Context(), s.ID("partner_id"), domain); err != nil {
		return 0, nil, err
	}
	return s.toPartner("company.domain.removed", "domain", domain)
}

// checkDomain looks up the record of a partner's domain.
func (pages *Pages) checkDomain(s *sheet) (int, []byte, error) {
	partnerID, name := s.ID("partner_id"), s.ID("domain")
	found, err := pages.config.Partners.CheckDomain(s.Context(), partnerID, name)
	back := "/console/partners/" + partnerID
	if refusal.HasCode(err, refusal.CodeRateLimited) {
		return s.LeadTo(back, page.Flash{Key: "company.domain.often", Danger: true})
	}
	if err != nil {
		return 0, nil, err
	}
	for _, domain := range found.Domains {
		if domain.Name == name && !domain.Proven() {
			key := page.DomainProblem(cmp.Or(domain.Problem, partner.DomainUnanswered))
			return s.LeadTo(back, page.Flash{Key: key, Danger: true})
		}
	}
	return s.toPartner("company.domain.done", "domain", name)
}
