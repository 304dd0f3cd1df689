package api

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

type healthAnswer struct {
	Status string    `json:"status"`
	Time   time.Time `json:"time"`
}

// handleHealth answers as long as the process does. It depends on nothing else, so that
// the trouble of a database does not make a supervisor restart the service.
func (s *Server) handleHealth(*call) (reply, error) {
	return ok(healthAnswer{"ok", timestamp.Truncate(s.config.MachineNow())})
}

// yamlDocument returns a handler for an OpenAPI document.
func yamlDocument(body []byte) handler {
	return constant("application/yaml", func() ([]byte, error) { return body, nil })
}

// jsonDocument returns a handler for an OpenAPI document in JSON, which read returns.
func jsonDocument(read func() ([]byte, error)) handler { return constant("", read) }

type place struct {
	City     string `json:"city"`
	Province string `json:"province"`
}

type trackedCourier struct {
	FirstName string `json:"first_name"`
	Vehicle   string `json:"vehicle"`
}

type trackedStatus struct {
	Status    delivery.Status `json:"status"`
	Timestamp time.Time       `json:"timestamp"`
}

// failedAttempt is why the latest attempt at a delivery failed.
type failedAttempt struct {
	Reason      delivery.FailureReason `json:"reason"`
	NextAttempt *time.Time             `json:"next_attempt"` // null if none is planned
}

// tracked is all that a tracking URL shows: no names, streets, phone numbers,
// e-mail addresses, notes, metadata or prices.
type tracked struct {
	OrderID           string                `json:"order_id"`
	Status            delivery.Status       `json:"status"`
	ServiceLevel      delivery.ServiceLevel `json:"service_level"`
	EstimatedDelivery time.Time             `json:"estimated_delivery"`
	CreatedAt         time.Time             `json:"created_at"`
	UpdatedAt         time.Time             `json:"updated_at"`
	Origin            place                 `json:"origin"`
	Destination       place                 `json:"destination"`
	ParcelCount       int                   `json:"parcel_count"`
	Courier           *trackedCourier       `json:"courier,omitzero"`
	FailedAttempt     *failedAttempt        `json:"failed_attempt,omitzero"`
	StatusHistory     []trackedStatus       `json:"status_history"`
	LiveMode          bool                  `json:"livemode"` // false for a simulated order
}

func placeOf(c delivery.Contact) place { return place{c.Address.City, c.Address.Province} }

func trackedOf(o *delivery.Tracked) tracked {
	t := tracked{
		OrderID:           o.OrderID,
		Status:            o.Status,
		ServiceLevel:      o.ServiceLevel,
		EstimatedDelivery: o.EstimatedDelivery,
		CreatedAt:         o.CreatedAt,
		UpdatedAt:         o.UpdatedAt,
		Origin:            placeOf(o.Pickup),
		Destination:       placeOf(o.Dropoff),
		ParcelCount:       len(o.Parcels),
		LiveMode:          !delivery.IsTestOrder(o.OrderID),
	}
	if o.Courier != nil {
		t.Courier = &trackedCourier{o.Courier.FirstName(), o.Courier.Vehicle}
	}
	if o.Failed != nil {
		t.FailedAttempt = &failedAttempt{o.Failed.Reason, o.Failed.Next}
	}
	for _, entry := range o.History {
		t.StatusHistory = append(t.StatusHistory, trackedStatus{entry.Status, entry.At})
	}
	return t
}

// public sets the headers of every tracking response, refusals too: search
// engines must not keep it, and scripts of other sites may read it, so that
// a shop can show it on a page of its own. No other response may be read across
// origins.
func public(h http.Header) {
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Access-Control-Allow-Origin", "*")
}

func (s *Server) handleTrack(c *call) (reply, error) {
	found, err := s.config.Orders.Follow(c.Context(), c.pathID("order_id"))
	if err != nil {
		return reply{}, err
	}
	return ok(trackedOf(found))
}
