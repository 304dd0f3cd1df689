package v1

import (
	"bytes"
	"errors"
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
)

const (
	// maxPage bounds the parameter limit of lists of orders, events and requests.
	maxPage = 500
	// maxSearch bounds the parameter search of the list of orders, in characters.
	maxSearch = 255
)

func (s *Server) handleOrderCreate(c *httpd.Call) (httpd.Reply, error) {
	request, err := c.Repeatable()
	if err != nil {
		return httpd.Reply{}, err
	}
	wanted, err := httpd.Decode(c, order.ReadWanted)
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, err := s.config.Orders.Create(c.Context(), request, wanted)
	c.Created = record.OrderID(answer.Record)
	c.MarkReplayed(answer.Replayed)
	return httpd.Reply{Status: http.StatusCreated, Body: answer.Record}, err
}

func (s *Server) handleOrderCancel(c *httpd.Call) (httpd.Reply, error) {
	request, err := c.Repeatable()
	if err != nil {
		return httpd.Reply{}, err
	}
	var wanted order.CancelRequest
	if len(c.Content) > 0 {
		wanted, err = httpd.Decode(c, order.ReadCancelRequest)
	}
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, err := s.config.Orders.Cancel(c.Context(), request, c.PathID("order_id"), wanted)
	c.MarkReplayed(answer.Replayed)
	return httpd.Reply{Status: http.StatusOK, Body: answer.Record}, err
}

func (s *Server) handleReturnCreate(c *httpd.Call) (httpd.Reply, error) {
	request, err := c.Repeatable()
	if err != nil {
		return httpd.Reply{}, err
	}
	wanted, err := httpd.Decode(c, order.ReadReturn)
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, err := s.config.Orders.CreateReturn(c.Context(), request, c.PathID("order_id"), wanted)
	c.Created = record.OrderID(answer.Record)
	c.MarkReplayed(answer.Replayed)
	return httpd.Reply{Status: http.StatusCreated, Body: answer.Record}, err
}

// handleCancellationRequest keeps a partner's request that the service cancels an order.
func (s *Server) handleCancellationRequest(c *httpd.Call) (httpd.Reply, error) {
	request, err := c.Repeatable()
	if err != nil {
		return httpd.Reply{}, err
	}
	wanted, err := httpd.Decode(c, order.ReadCancellationWanted)
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, err := s.config.Orders.RequestCancellation(c.Context(), request, c.PathID("order_id"), wanted)
	c.MarkReplayed(answer.Replayed)
	return httpd.Reply{Status: http.StatusAccepted, Body: answer.Record}, err
}

func (s *Server) handleOrderGet(c *httpd.Call) (httpd.Reply, error) {
	document, err := s.config.Orders.Record(c.Context(), c.Account, c.PathID("order_id"))
	return httpd.Reply{Status: http.StatusOK, Body: document}, err
}

func (s *Server) handleOrderList(c *httpd.Call) (httpd.Reply, error) {
	filter, err := orderFilter(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	meter := &pageMeter{call: c, limit: int64(filter.Limit)}
	answer, err := s.listOrders(c, filter, meter)
	if errors.Is(err, errLargePage) {
		err = c.WithPermit(httpd.PermitHeavy, func() (err error) {
			answer, err = s.listOrders(c, filter, &pageMeter{call: c, expected: meter.expected})
			return err
		})
	}
	return answer, err
}

func (s *Server) listOrders(c *httpd.Call, filter order.Filter, meter *pageMeter) (httpd.Reply, error) {
	if err := meter.hold(); err != nil {
		return httpd.Reply{}, err
	}
	filter.Reserve = meter.add
	w := strictjson.Writer{Buffer: pageBuffers.get()}
	defer func() { pageBuffers.put(w.Buffer) }()
	w.Object("")
	w.List("orders")
	page, err := s.config.Orders.ListRecords(c.Context(), filter, w.Buffer)
	if err != nil {
		return httpd.Reply{}, err
	}
	w.Buffer = page.Buffer
	w.EndList()
	w.Integer("count", int64(page.Count))
	w.Integer("limit", int64(filter.Limit))
	w.Integer("offset", filter.Offset)
	w.OptionalText("next_cursor", page.Next)
	w.EndObject()
	return httpd.Reply{Status: http.StatusOK, Body: bytes.Clone(w.Buffer)}, nil
}

func orderFilter(c *httpd.Call) (order.Filter, error) {
	q, err := c.ListQuery()
	if err != nil {
		return order.Filter{}, err
	}
	filter := order.Filter{
		PartnerID:      c.Account,
		Status:         delivery.Status(q.OneOf("status", form.OneOf(delivery.Statuses...))),
		PartnerOrderID: q.Text("partner_order_id"),
		Search:         q.OneOf("search", form.AnyLength(0, maxSearch)),
		CreatedFrom:    q.Time("created_from"),
		CreatedTo:      q.Time("created_to"),
		Before:         q.OneOf("cursor", form.TextRule{Rule: httpd.CursorRule, Allows: isCursor}),
		Limit:          q.Limit(maxPage),
		Offset:         q.Integer("offset", 0, 0, httpd.MaxOffset),
	}
	return filter, q.Err()
}

// isCursor reports whether a text has the form of a cursor, which is the id of the
// last order before the page.
func isCursor(text string) bool {
	_, ok := delivery.PartnerOfOrder(text)
	return ok
}
