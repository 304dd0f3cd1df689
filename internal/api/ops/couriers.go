package ops

import (
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
)

type courierAnswer struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	Vehicle   string `json:"vehicle"`
	Active    bool   `json:"active"`
}

func courierOf(c *operator.Courier) courierAnswer {
	return courierAnswer{c.CourierID, c.Name, c.Phone, c.Vehicle, c.Active}
}

func (s *Server) handleCourierCreate(c *httpd.Call) (httpd.Reply, error) {
	entered, err := httpd.Decode(c, operator.ReadCourier)
	if err != nil {
		return httpd.Reply{}, err
	}
	courier, err := s.config.Operators.CreateCourier(c.Context(), entered)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(courierOf(courier))
}

func (s *Server) handleCourierGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Operators.Courier(c.Context(), c.PathID("courier_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(courierOf(found))
}

func (s *Server) handleCourierChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, operator.ReadCourierChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Operators.ChangeCourier(c.Context(), c.PathID("courier_id"), change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(courierOf(changed))
}

var courierCursor = idCursor("cou_")

func (s *Server) handleCourierList(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	cursor := q.OneOf("cursor", courierCursor)
	limit := q.Limit(maxPage)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	page, err := s.config.Operators.Couriers(c.Context(), cursor, limit)
	if err != nil {
		return httpd.Reply{}, err
	}
	couriers := make([]courierAnswer, len(page.Couriers))
	for i, courier := range page.Couriers {
		couriers[i] = courierOf(courier)
	}
	return httpd.OK(struct {
		Couriers   []courierAnswer `json:"couriers"`
		NextCursor string          `json:"next_cursor,omitzero"`
	}{couriers, page.Next})
}
