package webhook_test

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/webhook"
)

// writeGolden writes files of testdata that are missing. It never changes one.
var writeGolden = flag.Bool("write-golden", false, "write the missing files of testdata")

// sample returns an event with all facts, also those that its type must not show.
func sample(kind delivery.EventType, change func(*delivery.EventFacts)) *delivery.Event {
	at := time.Date(2026, 3, 2, 14, 31, 2, 500_000_000, time.UTC)
	next := time.Date(2026, 3, 7, 15, 0, 0, 0, time.UTC)
	facts := delivery.EventFacts{
		PartnerOrderID: "EM-2026-004712 <é> & \"\\\u2028\U0001F341",
		Status:         delivery.StatusAccepted,
		Courier: &delivery.Courier{
			CourierID: "cou_hidden", Name: "Amélie Tremblay", Phone: "+15145550188", Vehicle: "Cargo van",
		},
		At:            at,
		ETA:           time.Date(2026, 3, 6, 20, 0, 0, 7_000_000, time.UTC),
		FailureReason: "Nobody was at home.\n<script>",
		NextAttempt:   &next,
		CancelledBy:   delivery.ActorPartner,
		Reason:        "The customer changed their mind.",
		Answer:        "The parcel is at the door already.",
		SignatureURL:  "https://dropyard.example/proofs/7hgm?a=1&b=2",
		Version:       7,
		Fields:        "dropoff.phone,metadata",
		Return: &delivery.Return{State: delivery.ReturnReceived, Location: "hidden", Lines: []delivery.ReturnLine{
			{
				ProductID: 7, Quantity: 2, Disposition: delivery.Sellable,
			}, {ProductID: 7, Quantity: 1, Disposition: delivery.Damaged},
		}},
		Statement: &delivery.StatementFacts{
			StatementID: "stm_3ebmvgjr_17", Period: "2026-02", Number: 17,
			Balances: []delivery.Balance{{Currency: delivery.CAD, Cents: 382_815}, {Currency: delivery.USD, Cents: -1_000}},
		},
		Stock: &delivery.StockFacts{
			ProductID: 7, SKU: "SYR-540", Name: "Maple <syrup>", Total: 20, Threshold: 25, Location: "MTL-01",
			Quantity: 15, Change: -2, MovementID: 41, Type: delivery.MovementOut,
			OrderID: "ord_3ebmvgjr06eajje2n715hrrae6zkdn0v",
		},
	}
	if change != nil {
		change(&facts)
	}
	return &delivery.Event{
		EventID: "019caeee-9ff4-7d02-9a6b-21f4c8e05b93", PartnerID: partnerID,
		OrderID: "ord_3ebmvgjr06eajje2n715hrrae6zkdn0v", Type: kind, Sequence: 12, CreatedAt: at, Facts: facts,
	}
}

// samples returns an event of each type, and one for each optional field without
// it.
func samples() map[string]*delivery.Event {
	all := map[string]*delivery.Event{
		"order.failed, no next attempt": sample(delivery.EventOrderFailed,
			func(f *delivery.EventFacts) { f.NextAttempt, f.FailureReason = nil, "" }),
		"order.delivered, no signature": sample(delivery.EventOrderDelivered,
			func(f *delivery.EventFacts) { f.SignatureURL = "" }),
		"order.cancelled, by service": sample(delivery.EventOrderCancelled,
			func(f *delivery.EventFacts) { f.CancelledBy, f.Reason = delivery.ActorService, "" }),
		"courier.changed, at a hub": sample(delivery.EventCourierChanged, func(f *delivery.EventFacts) { f.Courier = nil }),
		"return.received, no items": sample(delivery.EventReturnReceived,
			func(f *delivery.EventFacts) { f.Return = &delivery.Return{State: delivery.ReturnReceived} }),
		"stock.changed, no order": sample(delivery.EventStockChanged, func(f *delivery.EventFacts) {
			received := *f.Stock
			received.Change, received.Type, received.OrderID = 2, delivery.MovementIn, ""
			f.Stock = &received
		}),
		"webhook.test": {
			EventID: "019caeee-9ff4-7d02-9a6b-21f4c8e05b93", PartnerID: partnerID, Type: webhook.EventTest,
			CreatedAt: time.Date(2026, 3, 2, 14, 31, 2, 0, time.UTC),
		},
	}
	for _, kind := range delivery.EventTypes {
		all[string(kind)] = sample(kind, nil)
	}
	return all
}

func goldenFile(name string) string {
	return filepath.Join("testdata", strings.NewReplacer(", ", "-", " ", "_").Replace(name)+".json")
}

// TestBodiesDoNotChange compares bodies byte for byte. A retry writes the body
// again, perhaps in a later release, and must send the bytes that the receiver has
// seen before. A change that fails this test breaks retries under way and every
// signature that a partner has kept. New fields need a new type.
func TestBodiesDoNotChange(t *testing.T) {
	t.Parallel()
	expected := map[string]bool{}
	for name, event := range samples() {
		file, got := goldenFile(name), webhook.Body(event)
		expected[file] = true
		want, err := os.ReadFile(file)
		if os.IsNotExist(err) && *writeGolden {
			want, err = got, os.WriteFile(file, got, 0o600)
		}
		if err != nil {
			t.Error(err)
		}
		if string(got) != string(want) {
			t.Errorf("%s: retries under way would change: got %s, want %s", file, got, want)
		}
		if !json.Valid(got) || len(got) > 0 && got[len(got)-1] != '}' {
			t.Errorf("%s: got %q, want one JSON object", file, got)
		}
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !expected[file] {
			t.Errorf("%s: no sample has this name", file)
		}
	}
}

// TestBodyFields: a body has the fields of docs/contract.md, Webhooks, and for every order its
// partner_order_id.
func TestBodyFields(t *testing.T) {
	t.Parallel()
	want := map[delivery.EventType][]string{
		delivery.EventOrderAccepted:        {"order_id", "partner_order_id", "status"},
		delivery.EventCourierAssigned:      {"courier", "order_id", "partner_order_id"},
		delivery.EventOrderPickedUp:        {"order_id", "partner_order_id", "picked_up_at"},
		delivery.EventOrderInTransit:       {"eta", "order_id", "partner_order_id"},
		delivery.EventOrderOutForDelivery:  {"courier", "eta", "order_id", "partner_order_id"},
		delivery.EventOrderDelivered:       {"delivered_at", "order_id", "partner_order_id", "signature_url"},
		delivery.EventOrderFailed:          {"failure_reason", "next_attempt", "order_id", "partner_order_id"},
		delivery.EventOrderCancelled:       {"cancelled_by", "order_id", "partner_order_id", "reason"},
		delivery.EventOrderUpdated:         {"fields", "order_id", "partner_order_id", "version"},
		delivery.EventCancellationDeclined: {"answer", "order_id", "partner_order_id"},
		delivery.EventCourierChanged:       {"courier", "order_id", "partner_order_id"},
		delivery.EventReturnDue:            {"order_id", "partner_order_id"},
		delivery.EventReturnReceived:       {"lines", "order_id", "partner_order_id"},
		delivery.EventStatementClosed:      {"balances", "number", "period", "statement_id"},
		delivery.EventStockLow:             {"name", "product_id", "quantity", "sku", "threshold"},
		delivery.EventStockChanged: {
			"change", "location", "movement_id", "name", "order_id", "product_id", "quantity", "sku", "total", "type",
		},
		webhook.EventTest: {"message"},
	}
	for name, event := range samples() {
		var body struct {
			ID, Type  string
			CreatedAt time.Time `json:"created_at"`
			Sequence  int64
			Data      map[string]any
		}
		if err := json.Unmarshal(webhook.Body(event), &body); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if body.ID != event.EventID || body.Type != string(event.Type) || !body.CreatedAt.Equal(event.CreatedAt) ||
			body.Sequence != event.Sequence {
			t.Errorf("%s: got %+v, want the fields of %+v", name, body, event)
		}
		if got := keysOf(body.Data); !slices.Equal(got, want[event.Type]) {
			t.Errorf("%s: got data %v, want %v", name, got, want[event.Type])
		}
		if courier, ok := body.Data["courier"].(map[string]any); ok &&
			!slices.Equal(keysOf(courier), []string{"name", "phone"}) {
			t.Errorf("%s: got courier %v, want name and phone", name, keysOf(courier))
		}
	}
}

func keysOf(object map[string]any) (keys []string) {
	for name := range object {
		keys = append(keys, name)
	}
	slices.Sort(keys)
	return keys
}

// TestPublishedSignatures compares with the vectors of the interface for
// Drop-Signature, and with the example of Standard Webhooks 1.0.
func TestPublishedSignatures(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../signature/testdata/signature_vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		WebhookSecret string `json:"webhook_secret"`
		Events        []struct {
			Name, Body    string
			DropSignature string `json:"drop_signature"`
		}
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors.Events) == 0 {
		t.Fatalf("got %d vectors, error %v", len(vectors.Events), err)
	}
	for _, v := range vectors.Events {
		headers := headersOf(webhook.Headers("id", time.Unix(0, 0), webhook.Secrets{Current: vectors.WebhookSecret},
			[]byte(v.Body)))
		if got := headers["Drop-Signature"]; got != v.DropSignature {
			t.Errorf("%s: got %s, want %s", v.Name, got, v.DropSignature)
		}
	}

	const (
		secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
		id     = "msg_p5jXN8AQM9LWM0D4loKWxJek"
		body   = `{"test": 2432232314}`
		want   = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
	)
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, webhook.SecretPrefix))
	if err != nil {
		t.Fatal(err)
	}
	if got := signature.SignStandard(key, id, "1614265330", []byte(body)); got != want {
		t.Errorf("Standard Webhooks: got %s, want %s", got, want)
	}
	headers := headersOf(webhook.Headers(id, time.Unix(1614265330, 999_999_999), webhook.Secrets{Current: secret},
		[]byte(body)))
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Webhook-Signature": want,
		"Drop-Event-Id": id, "Webhook-Id": id, "Drop-Event-Timestamp": "1614265330", "Webhook-Timestamp": "1614265330",
	} {
		if headers[name] != value {
			t.Errorf("%s: got %q, want %q", name, headers[name], value)
		}
	}
	if len(headers) != 7 {
		t.Errorf("got headers %v, want 7", headers)
	}
}

// TestRotationSignsTwice: Drop-Signature is made with the old secret,
// Webhook-Signature with both, the new one first.
func TestRotationSignsTwice(t *testing.T) {
	t.Parallel()
	secrets := webhook.Secrets{
		Current: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", Next: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
	}
	at, body := time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`)
	both := headersOf(webhook.Headers("msg_1", at, secrets, body))
	before := headersOf(webhook.Headers("msg_1", at, webhook.Secrets{Current: secrets.Current}, body))
	after := headersOf(webhook.Headers("msg_1", at, webhook.Secrets{Current: secrets.Next}, body))
	if both["Drop-Signature"] != before["Drop-Signature"] || both["Drop-Signature"] == after["Drop-Signature"] {
		t.Errorf("Drop-Signature: got %s, want %s", both["Drop-Signature"], before["Drop-Signature"])
	}
	if want := after["Webhook-Signature"] + " " + before["Webhook-Signature"]; both["Webhook-Signature"] != want {
		t.Errorf("Webhook-Signature: got %s, want %s", both["Webhook-Signature"], want)
	}
}

func headersOf(lines []webhook.Header) map[string]string {
	headers := map[string]string{}
	for _, line := range lines {
		headers[line.Name] = line.Value
	}
	return headers
}
