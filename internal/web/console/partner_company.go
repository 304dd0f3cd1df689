package console

import (
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

// domainRow is a domain with the form that removes it.
type domainRow struct {
	partner.Domain
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
		named := domainRow{Domain: domain}
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
