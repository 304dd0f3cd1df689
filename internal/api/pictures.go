package api

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/httpd"
)

// handleProof serves the picture that proves a delivery. It needs no credentials:
// the address cannot be guessed. A proof never changes, but it may be deleted, so caches
// keep it for at most a day, and shared ones not at all.
func (s *server) handleProof(c *httpd.Call) (httpd.Reply, error) {
	c.ReplyHeader.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	found, err := s.config.Proofs.Open(c.Context(), c.PathValue("name"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return shown(c, found, "private, max-age=86400, immutable")
}

// handleLogo serves a logo. It needs no credentials: recipients see it. Its address
// changes with the picture, so that caches may keep it for ever.
func (s *server) handleLogo(c *httpd.Call) (httpd.Reply, error) {
	c.ReplyHeader.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	logo, err := s.config.Partners.Logo(c.Context(), c.PathID("partner_id"), c.PathID("version"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return shown(c, logo.Picture, "public, max-age=31536000, immutable")
}

// shown responds with a picture that caches keep as they are told. A browser may show it and
// nothing else: it runs no script, and loads no resource.
func shown(c *httpd.Call, p picture.Picture, caches string) (httpd.Reply, error) {
	c.ReplyHeader.Set("Cache-Control", caches)
	c.ReplyHeader.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	c.ReplyHeader.Set("Content-Type", p.Format.ContentType())
	return httpd.Reply{Status: http.StatusOK, Body: p.Data}, nil
}
