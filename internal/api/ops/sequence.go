package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/httpd"
)

// sequenceAnswer is the order in which a courier shall do the stops.
type sequenceAnswer struct {
	CourierID string   `json:"courier_id"`
	OrderIDs  []string `json:"order_ids"`
	Version   int64    `json:"version"`
}

func sequenceOf(s *dispatch.Sequence) sequenceAnswer {
	answer := sequenceAnswer{s.CourierID, make([]string, len(s.Stops)), s.Version}
	for i, placed := range s.Stops {
		answer.OrderIDs[i] = placed.OrderID
	}
	return answer
}

func (s *Server) handleSequenceGet(c *httpd.Call) (httpd.Reply, error) {
	own, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	courierID, err := courierInPath(c, own)
	if err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.config.Dispatch.Sequence(c.Context(), courierID)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(sequenceOf(found))
}

func (s *Server) handleSequencePut(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, dispatch.ReadSequenceChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	set, err := s.config.Dispatch.SetSequence(c.Context(), c.PathID("courier_id"), change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(sequenceOf(set))
}

type proposedStopAnswer struct {
	OrderID     string    `json:"order_id"`
	Arrival     time.Time `json:"arrival"`
	LateMinutes int64     `json:"late_minutes"`
}

func (s *Server) handleSequencePropose(c *httpd.Call) (httpd.Reply, error) {
	proposal, err := s.config.Dispatch.Propose(c.Context(), c.PathID("courier_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	ids, stops := make([]string, len(proposal.Stops)), make([]proposedStopAnswer, len(proposal.Stops))
	for i, stop := range proposal.Stops {
		ids[i] = stop.OrderID
		stops[i] = proposedStopAnswer{stop.OrderID, stop.Arrival, wholeMinutes(stop.Late)}
	}
	return httpd.OK(struct {
		CourierID string               `json:"courier_id"`
		OrderIDs  []string             `json:"order_ids"`
		Stops     []proposedStopAnswer `json:"stops"`
	}{proposal.CourierID, ids, stops})
}

// wholeMinutes rounds up, so that 0 means on time.
func wholeMinutes(late time.Duration) int64 {
	return int64((late + time.Minute - 1) / time.Minute)
}
