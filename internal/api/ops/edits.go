package ops

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/order"
)

// handleOrderEdit changes the content of an order by a merge patch (RFC 7396) with a reason, or
// shows what that would do.
func (s *Server) handleOrderEdit(c *httpd.Call) (httpd.Reply, error) {
	preview, err := c.Preview()
	if err != nil {
		return httpd.Reply{}, err
	}
	request, err := c.RepeatableByPerson()
	if err != nil {
		return httpd.Reply{}, err
	}
	version, err := c.IfMatch()
	if err != nil {
		return httpd.Reply{}, err
	}
	edit, err := httpd.DecodePatch(c, order.ReadServiceEdit)
	if err != nil {
		return httpd.Reply{}, err
	}
	edit.Version = version
	if preview {
		shown, err := s.config.Orders.PreviewEdit(c.Context(), "", c.PathID("order_id"), edit)
		return httpd.Reply{Status: http.StatusOK, Body: shown.Record}, err
	}
	answer, err := s.config.Orders.Edit(c.Context(), request, c.PathID("order_id"), edit)
	c.MarkReplayed(answer.Replayed)
	return httpd.Reply{Status: http.StatusOK, Body: answer.Record}, err
}
