package api

func (s *Server) handleProductCreate(c *call) (reply, error) {
	body, err := c.json()
	if err != nil {
		return reply{}, err
	}
	added, err := s.Stock.CreateProduct(c.Context(), c.pathID("partner_id"), body)
	if err != nil {
		return reply{}, err
	}
	return created(productOf(added))
}

func (s *Server) handleMovementCreate(c *call) (reply, error) {
	body, err := c.json()
	if err != nil {
		return reply{}, err
	}
	booked, err := s.Stock.Record(c.Context(), c.pathID("partner_id"), body)
	if err != nil {
		return reply{}, err
	}
	return created(struct {
		Movements []movement `json:"movements"`
	}{movementsOf(booked)})
}
