package ops

import (
	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
)

// handleCompanySignIn shows how the people of a partner sign in through its OpenID provider.
func (s *Server) handleCompanySignIn(c *httpd.Call) (httpd.Reply, error) {
	return shared.CompanySignIn(s.config.Partners.CompanySignIn(c.Context(), c.PathID("partner_id")))
}

// handleOpenIDStop turns the sign-in through a partner's provider off, or on again.
func (s *Server) handleOpenIDStop(c *httpd.Call) (httpd.Reply, error) {
	stopped, err := httpd.Decode(c, readStop)
	if err != nil {
		return httpd.Reply{}, err
	}
	return shared.CompanySignIn(s.config.Partners.StopOpenID(c.Context(), c.PathID("partner_id"), stopped))
}

func readStop(f *form.Form) bool { return f.RequiredFlag("stopped") }

func (s *Server) handleDomainCheck(c *httpd.Call) (httpd.Reply, error) {
	return shared.CompanySignIn(
		s.config.Partners.CheckDomain(c.Context(), c.PathID("partner_id"), c.PathID("domain")))
}

func (s *Server) handleDomainDelete(c *httpd.Call) (httpd.Reply, error) {
	return shared.CompanySignIn(
		s.config.Partners.RemoveDomain(c.Context(), c.PathID("partner_id"), c.PathID("domain")))
}
