package v1

import (
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
)

// accountAnswer is how a partner appears to recipients.
type accountAnswer struct {
	PublicName    *string `json:"public_name"`
	SupportURL    *string `json:"support_url"`
	Logo          *string `json:"logo"` // its public address
	Language      *string `json:"language"`
	RecipientMail bool    `json:"recipient_mail"`
}

func (s *Server) accountOf(partnerID string, p partner.Profile) accountAnswer {
	logo := ""
	if p.LogoVersion != "" {
		logo = s.config.BaseURL() + "/logos/" + partnerID + "/" + p.LogoVersion
	}
	return accountAnswer{
		PublicName: strictjson.OrNull(p.PublicName), SupportURL: strictjson.OrNull(p.SupportURL),
		Logo: strictjson.OrNull(logo), Language: strictjson.OrNull(string(p.Language)), RecipientMail: p.RecipientMail,
	}
}

func (s *Server) handleAccountGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Partners.Profile(c.Context(), c.Account)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.accountOf(c.Account, found))
}

func (s *Server) handleAccountChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, partner.ReadProfileChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Partners.ChangeProfile(c.Context(), c.Account, change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.accountOf(c.Account, changed))
}

func (s *Server) handleLogoPut(c *httpd.Call) (httpd.Reply, error) {
	if err := c.RequirePicture(); err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Partners.SetLogo(c.Context(), c.Account, c.Content)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.accountOf(c.Account, changed))
}

func (s *Server) handleLogoDelete(c *httpd.Call) (httpd.Reply, error) {
	changed, err := s.config.Partners.RemoveLogo(c.Context(), c.Account)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.accountOf(c.Account, changed))
}
