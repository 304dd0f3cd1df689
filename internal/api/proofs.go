package api

import "net/http"

// proofHeaders allow a browser to show a proof and nothing else: it runs no script,
// loads no resource, and stays out of shared caches. A proof never changes, but it
// may be deleted, so caches keep it for at most a day.
var proofHeaders = map[string]string{
	"Cache-Control":           "private, max-age=86400, immutable",
	"Content-Security-Policy": "default-src 'none'; sandbox",
}

// handleProof serves the picture that proves a delivery. It needs no credentials:
// the address cannot be guessed.
func (s *Server) handleProof(c *call) (reply, error) {
	c.header.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	picture, err := s.config.Proofs.Open(c.Context(), c.PathValue("name"))
	if err != nil {
		return reply{}, err
	}
	for name, value := range proofHeaders {
		c.header.Set(name, value)
	}
	c.header.Set("Content-Type", picture.Format.ContentType())
	return reply{status: http.StatusOK, body: picture.Data}, nil
}
