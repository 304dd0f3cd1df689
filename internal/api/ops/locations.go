package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
)

type locationAnswer struct {
	Code      string        `json:"code"`
	Name      string        `json:"name"`
	Phone     string        `json:"phone"`
	Email     string        `json:"email"`
	Address   addressAnswer `json:"address"`
	UpdatedAt time.Time     `json:"updated_at"`
}

func locationOf(l *delivery.Location) locationAnswer {
	return locationAnswer{
		Code: l.Code, Name: l.Name, Phone: l.Phone, Email: l.Email, Address: addressAnswer(l.Address), UpdatedAt: l.UpdatedAt,
	}
}

func (s *Server) handleLocationList(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Operators.Locations(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	locations := make([]locationAnswer, len(found))
	for i, location := range found {
		locations[i] = locationOf(location)
	}
	return httpd.OK(struct {
		Locations []locationAnswer `json:"locations"`
	}{locations})
}

func (s *Server) handleLocationPut(c *httpd.Call) (httpd.Reply, error) {
	entry, err := httpd.Decode(c, operator.ReadLocationEntry)
	if err != nil {
		return httpd.Reply{}, err
	}
	location, err := s.config.Operators.PutLocation(c.Context(), c.PathID("code"), entry)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(locationOf(location))
}
