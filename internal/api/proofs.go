package api

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/httpd"
)

// proofHeaders allow a browser to show a proof and nothing else: it runs no script,
// loads no resource, and stays out of shared caches. A proof never changes, but it
// may be deleted, so caches keep it for at most a day.
var proofHeaders = map[string]string{
	"Cache-Control":           "private, max-age=86400, immutable",
	"Content-Security-Policy": "default-src 'none'; sandbox",
}

// handleProof serves the picture that proves a delivery. It needs no credentials:
// the address cannot be guessed.
func (s *Server) handleProof(c *httpd.Call) (httpd.Reply, error) {
	c.ReplyHeader.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	picture, err := s.config.Proofs.Open(c.Context(), c.PathValue("name"))
	if err != nil {
		return httpd.Reply{}, err
	}
	for name, value := range proofHeaders {
		c.ReplyHeader.Set(name, value)
	}
	c.ReplyHeader.Set("Content-Type", picture.Format.ContentType())
	return httpd.Reply{Status: http.StatusOK, Body: picture.Data}, nil
}
