package webhook

import (
	"encoding/base64"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/signature"
)

// EventTest is the event of POST /v1/webhooks/test. No order causes it.
const EventTest delivery.EventType = "webhook.test"

// Body writes an event as it is sent. Every retry must carry the same bytes, on
// whatever release: what is written here for a type stays as it is.
func Body(e *delivery.Event) []byte {
	w := strictjson.Writer{Buffer: make([]byte, 0, 512)}
	w.Object("")
	w.Text("id", e.EventID)
	w.Text("type", string(e.Type))
	w.Time("created_at", e.CreatedAt)
	w.Integer("sequence", e.Sequence)
	w.Object("data")
	writeData(&w, e)
	w.EndObject()
	w.EndObject()
	return w.Buffer
}

// writeData writes the fields that the interface gives for each type.
func writeData(w *strictjson.Writer, e *delivery.Event) {
	if e.Type == EventTest {
		w.Text("message", "This is a test. No order has changed.")
		return
	}
	w.Text("order_id", e.OrderID)
	switch e.Type {
	case delivery.EventOrderAccepted:
		w.Text("partner_order_id", e.Facts.PartnerOrderID)
		w.Text("status", string(e.Facts.Status))
	case delivery.EventCourierAssigned:
		writeCourier(w, e.Facts.Courier)
	case delivery.EventOrderPickedUp:
		w.Time("picked_up_at", e.Facts.At)
	case delivery.EventOrderInTransit:
		w.Time("eta", e.Facts.ETA)
	case delivery.EventOrderOutForDelivery:
		w.Time("eta", e.Facts.ETA)
		writeCourier(w, e.Facts.Courier)
	case delivery.EventOrderDelivered:
		w.Time("delivered_at", e.Facts.At)
		writeOptional(w, "signature_url", e.Facts.SignatureURL)
	case delivery.EventOrderFailed:
		w.Text("failure_reason", e.Facts.FailureReason)
		writeTime(w, "next_attempt", e.Facts.NextAttempt)
	case delivery.EventOrderCancelled:
		w.Text("cancelled_by", string(e.Facts.CancelledBy))
		w.Text("reason", e.Facts.Reason)
	}
}

func writeCourier(w *strictjson.Writer, c *delivery.Courier) {
	if c == nil {
		w.Raw("courier", null)
		return
	}
	w.Object("courier")
	w.Text("name", c.Name)
	w.Text("phone", c.Phone)
	w.EndObject()
}

var null = []byte("null")

func writeOptional(w *strictjson.Writer, name, text string) {
	if text == "" {
		w.Raw(name, null)
		return
	}
	w.Text(name, text)
}

func writeTime(w *strictjson.Writer, name string, at *time.Time) {
	if at == nil {
		w.Raw(name, null)
		return
	}
	w.Time(name, *at)
}

// SecretPrefix begins every webhook secret. What follows is base64, which
// Standard Webhooks takes its key from; Drop-Signature is keyed with the whole
// text.
const SecretPrefix = "whsec_"

// Secrets are what an endpoint's requests are signed with, opened.
type Secrets struct {
	Current string
	Next    string // empty unless a rotation is under way
}

// Headers signs a body for one request: the three headers of the interface
// (section 6), and those of Standard Webhooks beside them.
func Headers(eventID string, at time.Time, secrets Secrets, body []byte) []Header {
	timestamp := strconv.FormatInt(at.Unix(), 10)
	standard := standardSignature(secrets.Current, eventID, timestamp, body)
	if secrets.Next != "" {
		standard = standardSignature(secrets.Next, eventID, timestamp, body) + " " + standard
	}
	return []Header{
		{"Content-Type", "application/json"},
		{"Drop-Event-Id", eventID},
		{"Drop-Event-Timestamp", timestamp},
		{"Drop-Signature", signature.SignEvent([]byte(secrets.Current), body)},
		{"Webhook-Id", eventID},
		{"Webhook-Timestamp", timestamp},
		{"Webhook-Signature", standard},
	}
}

func standardSignature(secret, eventID, timestamp string, body []byte) string {
	// Secrets are made here; one that is no base64 signs with no key, and fits nothing.
	key, _ := base64.StdEncoding.DecodeString(secret[len(SecretPrefix):])
	return signature.SignStandard(key, eventID, timestamp, body)
}
