package ops

import (
	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/httpd"
)

// handleFigures responds with the figures of all partners and couriers, or of one.
func (s *Server) handleFigures(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := figures.Filter{PartnerID: q.Text("partner_id"), CourierID: q.Text("courier_id")}
	return shared.Figures(c, s.config.Reports, q, filter)
}
