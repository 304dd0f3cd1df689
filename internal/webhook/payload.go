package webhook

import (
	"encoding/base64"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/signature"
)

// EventTest is the type of the event that Service.Test sends. It belongs to no
// order.
const EventTest delivery.EventType = "webhook.test"

// Body returns the body of the requests that carry an event. Every retry must send
// the same bytes, also in a later release, so the bytes for a type must not
// change.
func Body(e *delivery.Event) []byte {
	w := strictjson.Writer{Buffer: make([]byte, 0, 512)}
	w.Object("")
	w.Text("id", e.EventID)
	w.Text("type", string(e.Type))
	w.Time("created_at", e.CreatedAt)
	w.Integer("sequence", e.Sequence)
	w.Flag("livemode", !delivery.IsTest(e.PartnerID))
	w.Object("data")
	writeData(&w, e)
	w.EndObject()
	w.EndObject()
	return w.Buffer
}

// writeData writes the fields that the interface lists for the event's type, and the
// partner's own name for the order, so that a receiver need not look it up.
func writeData(w *strictjson.Writer, e *delivery.Event) {
	if e.Type == EventTest {
		w.Text("message", "This is a test. No order has changed.")
		return
	}
	if e.About() == "" {
		writeOther(w, e)
		return
	}
	w.Text("order_id", e.OrderID)
	w.Text("partner_order_id", e.Facts.PartnerOrderID)
	switch e.Type {
	case delivery.EventOrderAccepted:
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
	case delivery.EventOrderUpdated:
		w.Integer("version", e.Facts.Version)
		w.List("fields")
		for _, field := range e.Facts.Fields.Fields() {
			w.Text("", field)
		}
		w.EndList()
	case delivery.EventCancellationDeclined:
		w.Text("answer", e.Facts.Answer)
	case delivery.EventCourierChanged:
		writeCourier(w, e.Facts.Courier)
	case delivery.EventReturnDue: // has nothing more
	case delivery.EventReturnReceived:
		writeLines(w, e.Facts.Return)
	case delivery.EventStatementClosed, delivery.EventStockLow, delivery.EventStockChanged: // are about no order
	}
}

// writeOther writes the fields of an event that is about no order.
func writeOther(w *strictjson.Writer, e *delivery.Event) {
	stock := e.Facts.Stock
	if stock == nil {
		stock = &delivery.StockFacts{}
	}
	switch e.Type { //nolint:exhaustive // writeData has the others
	case delivery.EventStatementClosed:
		writeStatement(w, e.Facts.Statement)
	case delivery.EventStockLow:
		w.Integer("product_id", stock.ProductID)
		writeOptional(w, "sku", stock.SKU)
		w.Text("name", stock.Name)
		w.Integer("quantity", stock.Total)
		w.Integer("threshold", stock.Threshold)
	case delivery.EventStockChanged:
		w.Integer("product_id", stock.ProductID)
		writeOptional(w, "sku", stock.SKU)
		w.Text("name", stock.Name)
		w.Text("location", stock.Location)
		w.Integer("quantity", stock.Quantity)
		w.Integer("change", stock.Change)
		w.Integer("total", stock.Total)
		w.Integer("movement_id", stock.MovementID)
		w.Text("type", string(stock.Type))
		writeOptional(w, "order_id", stock.OrderID)
	}
}

// writeStatement writes what is known of a statement.
func writeStatement(w *strictjson.Writer, s *delivery.StatementFacts) {
	if s == nil {
		s = &delivery.StatementFacts{}
	}
	w.Text("statement_id", s.StatementID)
	w.Text("period", s.Period)
	w.Integer("number", s.Number)
	w.List("balances")
	for _, one := range s.Balances {
		w.Object("")
		w.Text("currency", string(one.Currency))
		w.Integer("closing_balance_cents", one.Cents)
		w.EndObject()
	}
	w.EndList()
}

// writeLines writes what was received of goods that came back.
func writeLines(w *strictjson.Writer, back *delivery.Return) {
	w.List("lines")
	if back == nil {
		back = &delivery.Return{}
	}
	for _, line := range back.Lines {
		w.Object("")
		w.Integer("product_id", line.ProductID)
		w.Integer("quantity", line.Quantity)
		w.Text("disposition", string(line.Disposition))
		w.EndObject()
	}
	w.EndList()
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

// SecretPrefix is the beginning of every webhook secret; the rest is base64. The
// key of Standard Webhooks is what that decodes to, the key of Drop-Signature the
// whole text.
const SecretPrefix = "whsec_"

// Secrets are the unsealed secrets that sign the requests of an endpoint.
type Secrets struct {
	Current string
	Next    string // empty unless a rotation is under way
}

// Headers returns the headers of one request with their signatures of its body: those of the
// contract (docs/contract.md, Webhooks) and those of Standard Webhooks.
func Headers(eventID string, at time.Time, secrets Secrets, body []byte) []Header {
	seconds := strconv.FormatInt(at.Unix(), 10)
	standard := standardSignature(secrets.Current, eventID, seconds, body)
	if secrets.Next != "" {
		standard = standardSignature(secrets.Next, eventID, seconds, body) + " " + standard
	}
	return []Header{
		{"Content-Type", "application/json"},
		{"Drop-Event-Id", eventID},
		{"Drop-Event-Timestamp", seconds},
		{"Drop-Signature", signature.SignEvent([]byte(secrets.Current), body)},
		{"Webhook-Id", eventID},
		{"Webhook-Timestamp", seconds},
		{"Webhook-Signature", standard},
	}
}

// defaultSource is the source of events in the format of CloudEvents if the service has no
// address.
const defaultSource = "/"

// cloudEvent returns the headers that make a request an event in the binary mode of CloudEvents
// 1.0 (HTTP protocol binding, section 3.1). No value has characters that would have to be
// escaped.
func cloudEvent(e *delivery.Event, source func() string) []Header {
	from := defaultSource
	if source != nil {
		from = source()
	}
	headers := []Header{
		{"Ce-Specversion", "1.0"},
		{"Ce-Id", e.EventID},
		{"Ce-Source", from},
		{"Ce-Type", CloudEventPrefix + string(e.Type)},
		{"Ce-Time", timestamp.Format(e.CreatedAt)},
	}
	if e.OrderID != "" {
		headers = append(headers, Header{"Ce-Subject", e.OrderID})
	}
	return headers
}

// CloudEventPrefix precedes the type of an event in the format of CloudEvents.
const CloudEventPrefix = "com.dropyard."

func standardSignature(secret, eventID, seconds string, body []byte) string {
	// All secrets are made by this package. If one were not valid base64, it would
	// sign with an incomplete key, and receivers would reject the signature.
	key, _ := base64.StdEncoding.DecodeString(secret[len(SecretPrefix):])
	return signature.SignStandard(key, eventID, seconds, body)
}
