package ops

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
)

// handleOrderCreate creates an order for a partner. Its key is required as the partner's own is; the two never
// meet, because the scope of this one names the path and the operator.
func (s *Server) handleOrderCreate(c *httpd.Call) (httpd.Reply, error) {
	if _, err := c.IdempotencyKey(); err != nil {
		return httpd.Reply{}, err
	}
	keyed, err := c.RepeatableByPerson()
	if err != nil {
		return httpd.Reply{}, err
	}
	wanted, err := httpd.Decode(c, order.ReadWanted)
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, err := s.config.Orders.CreateByDesk(c.Context(), *keyed.Of(c.PathID("partner_id")), wanted)
	c.Created = record.OrderID(answer.Record)
	c.MarkReplayed(answer.Replayed)
	return httpd.Reply{Status: http.StatusCreated, Body: answer.Record}, err
}
