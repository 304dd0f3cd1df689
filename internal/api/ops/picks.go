package ops

import (
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/record"
)

var pickStateRule = form.OneOf(delivery.PickStates...)

func (s *Server) handlePickList(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := dispatch.PickFilter{
		Location: q.Text("location"), Until: q.Time("until"),
		State: delivery.PickState(q.OneOf("state", pickStateRule)), Limit: q.Limit(maxPage),
	}
	filter.After = httpd.Cursor(q, dispatch.ReadGoodsCursor)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	found, next, err := s.config.Dispatch.Picks(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	picks := make([]record.Pick, len(found))
	for i := range found {
		picks[i] = pickOf(&found[i])
	}
	return httpd.OK(struct {
		Picks      []record.Pick `json:"picks"`
		NextCursor string        `json:"next_cursor,omitzero"`
	}{picks, next})
}

func pickOf(p *dispatch.Pick) record.Pick {
	answer := record.PickOf(p.Order)
	answer.PartnerName, answer.Lines = p.PartnerName, make([]record.PickLine, len(p.Lines))
	for i, line := range p.Lines {
		answer.Lines[i] = record.PickLine{
			ProductID: line.ProductID, Name: line.Name, Barcode: line.Barcode, SKU: line.SKU,
			Location: line.Location, Quantity: line.Quantity, Picked: line.Picked, Short: line.Short, InStock: &line.InStock,
		}
	}
	return answer
}

func (s *Server) handlePick(c *httpd.Call) (httpd.Reply, error) {
	return changeOrder(c, delivery.ReadPick, s.config.Orders.Pick)
}
