package api

import (
	"mime"
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
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
	return accountAnswer{orNull(p.PublicName), orNull(p.SupportURL), orNull(logo), orNull(string(p.Language)), p.RecipientMail}
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
	if err := isPicture(c); err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Partners.SetLogo(c.Context(), c.Account, c.Content)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.accountOf(c.Account, changed))
}

// isPicture refuses a body without the Content-Type of a picture.
func isPicture(c *httpd.Call) error {
	kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(pictures, kind) {
		return refusal.New(refusal.CodeUnsupportedMediaType, "send the picture as image/png, image/jpeg or image/webp")
	}
	return nil
}

func (s *Server) handleLogoDelete(c *httpd.Call) (httpd.Reply, error) {
	changed, err := s.config.Partners.RemoveLogo(c.Context(), c.Account)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(s.accountOf(c.Account, changed))
}

// handleLogo serves a logo. It needs no credentials: recipients see it. Its address
// changes with the picture, so that caches may keep it for ever.
func (s *Server) handleLogo(c *httpd.Call) (httpd.Reply, error) {
	c.ReplyHeader.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	logo, err := s.config.Partners.Logo(c.Context(), c.PathID("partner_id"), c.PathID("version"))
	if err != nil {
		return httpd.Reply{}, err
	}
	c.ReplyHeader.Set("Cache-Control", "public, max-age=31536000, immutable")
	c.ReplyHeader.Set("Content-Security-Policy", proofHeaders["Content-Security-Policy"])
	c.ReplyHeader.Set("Content-Type", logo.Picture.Format.ContentType())
	return httpd.Reply{Status: http.StatusOK, Body: logo.Picture.Data}, nil
}
