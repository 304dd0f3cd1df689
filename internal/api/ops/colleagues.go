package ops

import (
	"context"
	"slices"
	"strings"
)

// colleagueAnswer is a courier who can get parcels.
type colleagueAnswer struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
}

// colleaguesOf returns the other couriers who are active, by name. A courier's app keeps them, so
// that parcels can be handed over without a connection.
func (s *Server) colleaguesOf(ctx context.Context, courierID string) ([]colleagueAnswer, error) {
	colleagues := []colleagueAnswer{}
	for cursor := ""; ; {
		page, err := s.config.Operators.Couriers(ctx, cursor, maxPage)
		if err != nil {
			return nil, err
		}
		for _, courier := range page.Couriers {
			if courier.Active && courier.CourierID != courierID {
				colleagues = append(colleagues, colleagueAnswer{courier.CourierID, courier.Name})
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	slices.SortFunc(colleagues, func(a, b colleagueAnswer) int { return strings.Compare(a.Name, b.Name) })
	return colleagues, nil
}
