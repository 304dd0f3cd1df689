package v1

import (
	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/httpd"
)

func (s *Server) handleFigures(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	return shared.Figures(c, s.config.Reports, q, figures.Filter{PartnerID: c.Account})
}
