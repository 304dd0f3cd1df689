package api

import (
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

func (s *Server) handleCourierCreate(c *call) (reply, error) {
	entered, err := decode(c, operator.ReadCourier)
	if err != nil {
		return reply{}, err
	}
	courier, err := s.config.Operators.CreateCourier(c.Context(), entered)
	if err != nil {
		return reply{}, err
	}
	return created(courierOf(courier))
}

func (s *Server) handleCourierGet(c *call) (reply, error) {
	found, err := s.config.Operators.Courier(c.Context(), c.pathID("courier_id"))
	if err != nil {
		return reply{}, err
	}
	return ok(courierOf(found))
}

func (s *Server) handleCourierChange(c *call) (reply, error) {
	change, err := decode(c, operator.ReadCourierChange)
	if err != nil {
		return reply{}, err
	}
	changed, err := s.config.Operators.ChangeCourier(c.Context(), c.pathID("courier_id"), change)
	if err != nil {
		return reply{}, err
	}
	return ok(courierOf(changed))
}

var courierCursor = idCursor("cou_")

func (s *Server) handleCourierList(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	cursor := q.oneOf("cursor", courierCursor)
	limit := int(q.integer("limit", defaultPage, 1, maxPage))
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	page, err := s.config.Operators.Couriers(c.Context(), cursor, limit)
	if err != nil {
		return reply{}, err
	}
	couriers := make([]courierAnswer, len(page.Couriers))
	for i, courier := range page.Couriers {
		couriers[i] = courierOf(courier)
	}
	return ok(struct {
		Couriers   []courierAnswer `json:"couriers"`
		NextCursor string          `json:"next_cursor,omitzero"`
	}{couriers, page.Next})
}
