package login

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	// companyPath is where people of partners begin to sign in through the OpenID provider of
	// their company.
	companyPath = "/portal/signin"
	beginPath   = companyPath + "/go"

	domainField = "domain" // of the address of the person who signs in
)

func (pages *Pages) companyRoutes() []web.Route {
	routes := pages.both(portal, "/signin", (*sheet).companyPage, (*sheet).findCompany)
	for path, handle := range map[string]handler{
		beginPath: (*sheet).beginCompany, partner.OpenIDCallback + "{partner_id}": (*sheet).finishCompany,
	} {
		routes = append(routes, web.Route{
			Method: http.MethodGet, Pattern: path, For: web.Anyone, Counted: true, Serve: pages.serve(portal, handle),
		})
	}
	return routes
}

// companyPage asks for an e-mail address, or leads to the provider of a domain. It names the
// provider before the browser is sent there, because anyone can send people a link to here.
func (s *sheet) companyPage() (int, []byte, error) {
	sent, err := s.newForm(companyPath)
	if err != nil {
		return 0, nil, err
	}
	query := s.Request.URL.Query()
	domain := strings.ToLower(query.Get(domainField))
	sent.Values.Set(nextField, query.Get(nextField))
	if domain == "" {
		return s.showCompany(sent, http.StatusOK, nil)
	}
	host, err := s.pages.config.Partners.OpenIDDestination(s.Context(), domain)
	if reason := s.pages.config.Partners.OpenIDReason(s.Context(), "", err); reason != "" {
		status := http.StatusNotFound
		if refusal.HasCode(err, refusal.CodeUnavailable) {
			status = http.StatusServiceUnavailable
		}
		return s.showCompany(sent, status, s.openIDProblem(reason))
	}
	if err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		Title: s.Text("entrance.company.title"),
		Lead:  []string{s.Text("entrance.company.lead", "domain", domain, "host", host)},
		Other: &page.Link{
			Text: s.Text("entrance.company.go", "host", host),
			Path: page.Address(beginPath, domainField, domain, nextField, within(query.Get(nextField), portal.path)),
		},
		Links: []page.Link{{Text: s.Text("entrance.company.other"), Path: companyPath}, s.toLogin()},
	})
}

func (s *sheet) showCompany(form *page.Form, status int, message *page.Message) (int, []byte, error) {
	return s.show(leaf{
		Title: s.Text("entrance.company.title"), Lead: []string{s.Text("entrance.company.ask")},
		Message: message, Form: form, Fields: withAll(form, s.emailField()),
		Hidden: []page.Field{{Name: nextField, Value: form.Values.Get(nextField)}},
		Button: s.Text("entrance.company.next"), Links: []page.Link{s.toLogin()}, status: status,
	})
}

// findCompany leads on to the provider of the domain of an address.
func (s *sheet) findCompany() (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	email, err := form.Decode(sent.Typed(nil), signin.ReadResetRequest)
	if sent.Refuse(err, s.Language) {
		return s.showCompany(sent, http.StatusUnprocessableEntity, nil)
	}
	if err != nil {
		return 0, nil, err
	}
	next := within(sent.Values.Get(nextField), portal.path)
	return s.LeadTo(page.Address(companyPath, domainField, partner.DomainOf(email), nextField, next), page.Flash{})
}

// beginCompany leads to the provider of a domain. A link from elsewhere leads to the page that
// names the provider first: it must neither send people to any site through this one nor sign
// them in without their doing.
func (s *sheet) beginCompany() (int, []byte, error) {
	query := s.Request.URL.Query()
	domain, next := query.Get(domainField), within(query.Get(nextField), portal.path)
	if site := s.Request.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" {
		return s.LeadTo(page.Address(companyPath, domainField, domain, nextField, next), page.Flash{})
	}
	set, begun, err := s.pages.config.Partners.BeginOpenID(s.Context(), domain, next)
	if err != nil {
		return s.refuseCompany("", err)
	}
	s.Door.KeepTicket(partner.OpenIDCallback+set.PartnerID, begun.Ticket, begun.Life)
	s.Header.Set("Location", begun.URL)
	return http.StatusSeeOther, nil, nil
}

// finishCompany signs in a person whom the provider of a partner has sent back.
func (s *sheet) finishCompany() (int, []byte, error) {
	partnerID := s.ID("partner_id")
	from, err := s.Door.Origin()
	if err != nil {
		return 0, nil, err
	}
	session, token, next, err := s.pages.config.Partners.FinishOpenID(s.Context(), partnerID, s.Door.Ticket(),
		s.Request.URL.Query(), from)
	if err != nil {
		return s.refuseCompany(partnerID, err)
	}
	s.Door.KeepTicket(partner.OpenIDCallback+partnerID, "", 0)
	if err := s.Door.SignIn(web.Partners, token, from); err != nil {
		return 0, nil, err
	}
	return s.enter(session.Holder.Actor().Role, next, page.Flash{})
}

// refuseCompany leads back to the sign-in page, which says why the sign-in was refused.
func (s *sheet) refuseCompany(partnerID string, err error) (int, []byte, error) {
	reason := s.pages.config.Partners.OpenIDReason(s.Context(), partnerID, err)
	if reason == "" {
		return 0, nil, err
	}
	if partnerID != "" {
		s.Door.KeepTicket(partner.OpenIDCallback+partnerID, "", 0)
	}
	return s.LeadTo(page.Address(portal.path+"/login", openIDField, reason), page.Flash{})
}
