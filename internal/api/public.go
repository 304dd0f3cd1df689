package api

import (
	"net/http"
	"strings"
	"time"

	document "github.com/dropyard/dropyard/api"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/web"
)

type healthAnswer struct {
	Status string    `json:"status"`
	Time   time.Time `json:"time"`
}

// handleHealth answers as long as the process does. It depends on nothing else, so that
// the trouble of a database does not make a supervisor restart the service.
func (s *server) handleHealth(*httpd.Call) (httpd.Reply, error) {
	return httpd.OK(healthAnswer{"ok", timestamp.Truncate(s.config.MachineNow())})
}

// document returns the route of what is derived from an OpenAPI document, with the address
// of this service.
func (s *server) document(path string, source []byte, derived func([]byte) ([]byte, error)) httpd.Route {
	contentType := "application/yaml"
	if strings.HasSuffix(path, ".json") {
		contentType = ""
	}
	return httpd.Public("GET", path, httpd.Constant(contentType, func() ([]byte, error) {
		addressed, err := document.At(source, s.config.BaseURL())
		if err != nil {
			return nil, err
		}
		return derived(addressed)
	}))
}

// itself derives nothing.
func itself(document []byte) ([]byte, error) { return document, nil }

// trackingSize is about how many bytes the answer about an order takes that has moved a few
// times.
const trackingSize = 1 << 10

// trackingOf encodes what a tracking URL shows of an order (docs/contract.md, Tracking).
func trackingOf(o *delivery.Tracked) []byte {
	w := strictjson.Writer{Buffer: make([]byte, 0, trackingSize)}
	w.Object("")
	w.Text("order_id", o.OrderID)
	w.Text("status", string(o.Status))
	w.Text("service_level", string(o.ServiceLevel))
	w.Time("estimated_delivery", o.EstimatedDelivery)
	w.Time("created_at", o.CreatedAt)
	w.Time("updated_at", o.UpdatedAt)
	writePlace(&w, "origin", o.Origin)
	writePlace(&w, "destination", o.Destination)
	w.Integer("parcel_count", int64(o.Parcels))
	if o.IsReturn {
		w.Flag("is_return", true)
	}
	if o.Courier != nil {
		w.Object("courier")
		w.Text("first_name", o.Courier.FirstName)
		w.Text("vehicle", o.Courier.Vehicle)
		w.EndObject()
	}
	if o.Failed != nil {
		writeFailed(&w, o.Failed)
	}
	w.List("status_history")
	for _, entry := range o.History {
		w.Object("")
		w.Text("status", string(entry.Status))
		w.Time("timestamp", entry.At)
		w.EndObject()
	}
	w.EndList()
	w.Flag("livemode", !delivery.IsTestOrder(o.OrderID)) // false for a simulated order
	w.EndObject()
	return w.Buffer
}

func writePlace(w *strictjson.Writer, name string, p delivery.Place) {
	w.Object(name)
	w.Text("city", p.City)
	w.Text("province", p.Province)
	w.EndObject()
}

func writeFailed(w *strictjson.Writer, f *delivery.FailedAttempt) {
	w.Object("failed_attempt")
	w.Text("reason", string(f.Reason))
	if f.Next != nil {
		w.Time("next_attempt", *f.Next)
	} else {
		w.Raw("next_attempt", []byte("null")) // none is planned
	}
	w.EndObject()
}

// handleTrack responds with the state of an order. A browser, which prefers a page, gets the
// page: the address is on labels, and people open it.
func (s *server) handleTrack(c *httpd.Call) (httpd.Reply, error) {
	if web.WantsPage(c.Request) {
		return s.handleTrackPage(c)
	}
	found, err := s.config.Orders.Follow(c.Context(), c.PathID("order_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Reply{Status: http.StatusOK, Body: trackingOf(found)}, nil
}

// handleTrackPage serves the recipient's page of an order.
func (s *server) handleTrackPage(c *httpd.Call) (httpd.Reply, error) {
	return trackingPage(c, s.config.TrackingPages.Order)
}

// handleMailPage serves the page of the mails about an order. Mail programs stop them
// by a POST of their own (RFC 8058).
func (s *server) handleMailPage(c *httpd.Call) (httpd.Reply, error) {
	return trackingPage(c, s.config.TrackingPages.Mail)
}

func trackingPage(c *httpd.Call, serve web.Serve) (httpd.Reply, error) {
	c.ReplyHeader.Del("Access-Control-Allow-Origin") // scripts of other sites may not read it
	return c.Page(serve)
}
