package api

import "net/http"

// proofHeaders let a proof be looked at and nothing else: it runs nothing, loads
// nothing, and stays out of shared caches and search engines. Its content never
// changes, but it may be deleted, so nobody keeps it for longer than a day.
var proofHeaders = map[string]string{
	"Cache-Control":           "private, max-age=86400, immutable",
	"Content-Security-Policy": "default-src 'none'; sandbox",
}

// handleProof shows the picture that proves a delivery. Whoever has the address
// may see it.
func (s *Server) handleProof(c *call) (reply, error) {
	c.header.Del("Access-Control-Allow-Origin") // it is for looking at
	picture, err := s.Proofs.Open(c.Context(), c.PathValue("name"))
	if err != nil {
		return reply{}, err
	}
	for name, value := range proofHeaders {
		c.header.Set(name, value)
	}
	c.header.Set("Content-Type", picture.Format.ContentType())
	return reply{status: http.StatusOK, body: picture.Data}, nil
}
