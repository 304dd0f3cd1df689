package api

import (
	"mime"
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
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

func (s *Server) handleAccountGet(c *call) (reply, error) {
	found, err := s.config.Partners.Profile(c.Context(), c.partnerID)
	if err != nil {
		return reply{}, err
	}
	return ok(s.accountOf(c.partnerID, found))
}

func (s *Server) handleAccountChange(c *call) (reply, error) {
	change, err := decode(c, partner.ReadProfileChange)
	if err != nil {
		return reply{}, err
	}
	changed, err := s.config.Partners.ChangeProfile(c.Context(), c.partnerID, change)
	if err != nil {
		return reply{}, err
	}
	return ok(s.accountOf(c.partnerID, changed))
}

func (s *Server) handleLogoPut(c *call) (reply, error) {
	if err := c.isPicture(); err != nil {
		return reply{}, err
	}
	changed, err := s.config.Partners.SetLogo(c.Context(), c.partnerID, c.body)
	if err != nil {
		return reply{}, err
	}
	return ok(s.accountOf(c.partnerID, changed))
}

// isPicture refuses a body without the Content-Type of a picture.
func (c *call) isPicture() error {
	kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(pictures, kind) {
		return refusal.New(refusal.CodeUnsupportedMediaType, "send the picture as image/png, image/jpeg or image/webp")
	}
	return nil
}

func (s *Server) handleLogoDelete(c *call) (reply, error) {
	changed, err := s.config.Partners.RemoveLogo(c.Context(), c.partnerID)
	if err != nil {
		return reply{}, err
	}
	return ok(s.accountOf(c.partnerID, changed))
}

// handleLogo serves a logo. It needs no credentials: recipients see it. Its address
// changes with the picture, so that caches may keep it for ever.
func (s *Server) handleLogo(c *call) (reply, error) {
	c.header.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	logo, err := s.config.Partners.Logo(c.Context(), c.pathID("partner_id"), c.pathID("version"))
	if err != nil {
		return reply{}, err
	}
	c.header.Set("Cache-Control", "public, max-age=31536000, immutable")
	c.header.Set("Content-Security-Policy", proofHeaders["Content-Security-Policy"])
	c.header.Set("Content-Type", logo.Picture.Format.ContentType())
	return reply{status: http.StatusOK, body: logo.Picture.Data}, nil
}
