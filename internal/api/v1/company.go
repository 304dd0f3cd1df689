package v1

import (
	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
)

func (s *Server) handleCompanySignIn(c *httpd.Call) (httpd.Reply, error) {
	return shared.CompanySignIn(s.config.Partners.CompanySignIn(c.Context(), c.Account))
}

func (s *Server) handleOpenIDPut(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, s.config.Partners.ReadOpenIDChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := s.config.UserSignIns.Confirm(c.Context(), shared.Caller(c), change.Password); err != nil {
		return httpd.Reply{}, err
	}
	return shared.CompanySignIn(s.config.Partners.SetOpenID(c.Context(), c.Account, nil, change))
}

func (s *Server) handleOpenIDDelete(c *httpd.Call) (httpd.Reply, error) {
	return shared.CompanySignIn(s.config.Partners.RemoveOpenID(c.Context(), c.Account))
}

func (s *Server) handleDomainAdd(c *httpd.Call) (httpd.Reply, error) {
	domain, err := httpd.Decode(c, partner.ReadDomain)
	if err != nil {
		return httpd.Reply{}, err
	}
	return shared.AddedDomain(s.config.Partners.AddDomain(c.Context(), c.Account, domain))
}

func (s *Server) handleDomainCheck(c *httpd.Call) (httpd.Reply, error) {
	return shared.CompanySignIn(s.config.Partners.CheckDomain(c.Context(), c.Account, c.PathID("domain")))
}

func (s *Server) handleDomainDelete(c *httpd.Call) (httpd.Reply, error) {
	return shared.CompanySignIn(s.config.Partners.RemoveDomain(c.Context(), c.Account, c.PathID("domain")))
}
