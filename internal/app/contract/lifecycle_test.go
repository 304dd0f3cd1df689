package contract_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// lives are sequences of statuses that contain transitions of every kind.
var lives = map[string][]string{
	"delivered": {"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"},
	"second attempt": {"accepted", "courier_assigned", "accepted", "courier_assigned", "courier_assigned", "picked_up",
		"out_for_delivery", "failed", "in_transit", "out_for_delivery", "failed", "out_for_delivery", "delivered"},
	"given up":               {"accepted", "courier_assigned", "failed", "cancelled"},
	"refused by the service": {"cancelled"},
}

// TestAnswersThroughLife moves orders from status to status. In each it reads
// everything that can be read.
func TestAnswersThroughLife(t *testing.T) {
	t.Parallel()
	for name, states := range lives {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, roomy)
			order := f.fullOrder(t)
			f.readAll(t, order, "pending")
			for _, status := range states {
				f.move(t, order, status).Must(t, 200)
				f.readAll(t, order, status)
			}
		})
	}
}

// fullOrder creates an order with every optional member.
func (f *fixture) fullOrder(t *testing.T) map[string]string {
	t.Helper()
	body := testkit.OrderJSON(uuid.NewString(),
		fmt.Sprintf(`[{"product_id":%d,"quantity":100001},{"product_id":%[1]d,"quantity":2}]`, f.product))
	quote := f.send(t, call{operation: "createQuote", body: body}).Must(t, 200)
	more := fmt.Sprintf(
		`{"quote_id":%q,"cod":{"amount_cents":0,"currency":"CAD"},"insurance":{"amount_cents":5000,"currency":"CAD"},`,
		quote.Text("quote_id"),
	)
	plain := f.send(t, call{operation: "createQuote", body: withMembers(body, more)}).Must(t, 200)
	more = strings.Replace(more, quote.Text("quote_id"), plain.Text("quote_id"), 1)
	created := f.send(t, call{operation: "createOrder", body: withMembers(body, more)}).Must(t, 201)
	for _, member := range []string{
		"reference", "cod", "insurance", "instructions", "metadata", "items", "status_history",
	} {
		if created.JSON(member) == nil {
			t.Errorf("got an order without %s: %s", member, created.Body)
		}
	}
	return map[string]string{"order_id": created.Text("order_id")}
}

// withMembers returns an object with additional members in front; more starts with
// the brace.
func withMembers(body []byte, more string) []byte {
	return append([]byte(more), bytes.TrimPrefix(body, []byte("{"))...)
}

// readAll reads an order, and what its changes have written, in every way.
func (f *fixture) readAll(t *testing.T, order map[string]string, status string) {
	t.Helper()
	for _, id := range []string{"getOrder", "trackOrder"} {
		if got := f.send(t, call{operation: id, path: order}).Must(t, 200); got.Text("status") != status {
			t.Errorf("%s: got %s, want status %s", id, got.Body, status)
		}
	}
	for accepted, kind := range map[string]string{
		"text/html,*/*;q=0.8": "text/html", "text/html;q=0.5,application/json": "application/json",
	} {
		got := f.send(t, call{operation: "trackOrder", path: order, headers: []string{"Accept", accepted}}).Must(t, 200)
		checkShared(t, got, kind)
	}
	f.send(t, call{operation: "trackOrderPage", path: order, query: "?lang=fr"}).Must(t, 200)
	list := f.send(t, call{operation: "listOrders", query: "?status=" + status}).Must(t, 200)
	if list.Text("orders", 0, "order_id") != order["order_id"] {
		t.Errorf("got a list without order %s: %s", order["order_id"], list.Body)
	}
	f.send(t, call{operation: "listProducts", query: "?search=coff"}).Must(t, 200)
	f.send(t, call{operation: "listMovements"}).Must(t, 200)
}

// checkShared checks that a response about an order has the Content-Type kind, and that
// scripts of other sites may read it unless it is a page.
func checkShared(t *testing.T, answer *apptest.Answer, kind string) {
	t.Helper()
	want := "*"
	if kind == "text/html" {
		want = ""
	}
	got, shared := answer.Header.Get("Content-Type"), answer.Header.Get("Access-Control-Allow-Origin")
	if !strings.HasPrefix(got, kind) || shared != want {
		t.Errorf("got Content-Type %q and Access-Control-Allow-Origin %q, want %s and %q", got, shared, kind, want)
	}
}

// TestAnswersToCancel cancels orders with every form of the body.
func TestAnswersToCancel(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	for _, body := range []string{"", `{}`, `{"reason":null}`, `{"reason":"changed my mind"}`} {
		f.Clock.Advance(time.Second) // orders are listed by the time they were created
		order := f.fullOrder(t)
		f.send(t, call{operation: "cancelOrder", path: order, body: []byte(body)}).Must(t, 200)
		f.readAll(t, order, "cancelled")
	}
}

// TestEmptyTextsAreOmitted creates orders whose optional texts are empty or null.
// The answer omits them.
func TestEmptyTextsAreOmitted(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	for i, empty := range []string{`""`, `null`} {
		body := strings.NewReplacer("CONTACT", sparseContact, "EMPTY", empty, "NUMBER", fmt.Sprint(i)).Replace(sparseOrder)
		body = strings.ReplaceAll(body, "EMPTY", empty) // the texts of the contacts
		f.send(t, call{operation: "createOrder", body: []byte(body)}).Must(t, 201)
	}
}

const (
	sparseContact = `{"name":"n","phone":"+1234567","email":"a@b",
"address":{"line1":"l","line2":EMPTY,"city":"c","province":"ON","postal_code":"k1a0b1","country":"CA","notes":EMPTY},
"time_window":{"start":"1970-01-01T00:00:00Z","end":"9999-12-31T23:59:59.9999Z"}}`
	sparseOrder = `{"partner_order_id":"E-NUMBER","service_level":"standard","pickup":CONTACT,"dropoff":CONTACT,
"parcels":[{"parcel_id":"1","description":"x","length_cm":0.1,"width_cm":300,"height_cm":1e1,"weight_kg":70,"value_cents":1e2,
 "barcode":EMPTY,"fragile":null}],
"reference":EMPTY,"instructions":EMPTY,"items":[],"metadata":null,"cod":null,"insurance":null,"quote_id":null}`
)

// TestTrackingUnknownOrder expects a page for a browser and JSON for other clients,
// and the same answer for a malformed id as for one that is not in use.
func TestTrackingUnknownOrder(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	for _, id := range []string{"ord_00000000000000000000000000000000", "nonsense", "%F0%9F%98%80"} {
		for _, accepted := range []string{"", "application/json", "text/html,*/*;q=0.8"} {
			for _, operation := range []string{"trackOrder", "trackOrderPage"} {
				request := call{
					operation: operation, path: map[string]string{"order_id": id}, headers: []string{"Accept", accepted},
				}
				answer := f.send(t, request).Must(t, 404)
				html, page := strings.HasPrefix(answer.Header.Get("Content-Type"),
					"text/html"), strings.HasPrefix(accepted, "text/html")
				if html != page {
					t.Errorf("%s accepting %q: got headers %v", operation, accepted, answer.Header)
				}
				if operation == "trackOrder" && page {
					checkShared(t, answer, "text/html")
				} else if operation == "trackOrder" {
					checkShared(t, answer, "application/json")
				}
			}
		}
	}
}

// TestAnswersToRetries repeats requests under their keys.
func TestAnswersToRetries(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	key := []string{"Idempotency-Key", uuid.NewString()}
	create := func(reference string) *apptest.Answer {
		return f.send(t, call{operation: "createOrder", body: testkit.OrderJSON(reference, ""), headers: key})
	}
	create("A-1").Must(t, 201)
	if again := create("A-1").Must(t, 201); again.Header.Get("Idempotent-Replayed") != "true" {
		t.Error("got a retry without Idempotent-Replayed: true")
	}
	if other := create("A-2").Must(t, 422); other.Code() != "idempotency_key_reused" {
		t.Errorf("got %s, want idempotency_key_reused", other.Body)
	}
	for _, key := range []string{"", "7", "{0f7c9a52-6f0b-4c1e-9f5d-3a2f1d6b8e47}"} {
		f.send(t, call{operation: "createOrder", body: testkit.OrderJSON("A-3",
			""), headers: []string{"Idempotency-Key", key}}).Must(t, 400)
	}
}

// TestAnswersToBadSignatures sends a request for every reason of 401.
func TestAnswersToBadSignatures(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	for reason, headers := range map[string][]string{
		"missing_header":     {"X-Signature", ""},
		"unknown_key":        {"X-Api-Key", "pk_none"},
		"signature_mismatch": {"X-Signature", "v1=" + strings.Repeat("0", 64)},
	} {
		got := f.send(t, call{operation: "listOrders", headers: headers}).Must(t, 401)
		if got.Text("error", "details", "reason") != reason {
			t.Errorf("%s: got %s", reason, got.Body)
		}
	}
	put := []byte(`{"url":"https://hooks.example.com"}`)
	used := call{operation: "putWebhookEndpoint", body: put, headers: f.partner.SignedV2("PUT", "/v1/webhooks/endpoint",
		put, "0123456789abcdef")}
	f.send(t, used).Must(t, 201)
	if got := f.send(t, used).Must(t, 401); got.Text("error", "details", "reason") != "nonce_used" {
		t.Errorf("sent again: got %s, want nonce_used", got.Body)
	}
	strict := f.partner.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"require_v2":true}`), f.partner.Login()...).Must(t,
		201)
	key := *f.partner
	key.PublicKey, key.SecretKey = strict.Text("public_key"), strict.Text("secret_key")
	if got := f.send(t, call{operation: "listOrders", headers: key.Signed("GET", "/v1/orders", nil)}).Must(t,
		401); got.Text("error", "details", "reason") != "v2_required" {
		t.Errorf("version 1: got %s, want v2_required", got.Body)
	}
	late := f.partner.Signed("GET", "/v1/orders", nil)
	f.Clock.Advance(301 * time.Second)
	got := f.send(t, call{operation: "listOrders", headers: late}).Must(t, 401)
	if got.Text("error", "details", "reason") != "timestamp_skew" ||
		got.Text("error", "details", "server_time") != "2026-01-14T15:05:01.000Z" {
		t.Errorf("late: got %s, want timestamp_skew and the time", got.Body)
	}
}

// TestAnswersOfPages reads lists page by page, with every parameter.
func TestAnswersOfPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	for range 3 {
		f.newOrder(t)
	}
	page := f.send(t, call{
		operation: "listOrders", query: "?limit=2&created_from=2026-01-01T00:00:00Z&created_to=2027-01-01T00:00:00%2B01:00",
	}).Must(t, 200)
	f.send(t, call{operation: "listOrders", query: "?limit=500&cursor=" + page.Text("next_cursor")}).Must(t, 200)
	f.send(t, call{operation: "createCourier", body: validBody(f.contract.operation("createCourier"))}).Must(t, 201)
	page = f.send(t, call{operation: "listCouriers", query: "?limit=1"}).Must(t, 200)
	f.send(t, call{operation: "listCouriers", query: "?cursor=" + page.Text("next_cursor")}).Must(t, 200)
	f.send(t, call{
		operation: "createMovement",
		body:      []byte(`{"type":"TRANSFER","product_id":1,"quantity":5,"location":"MTL-01","to_location":"TOR-02"}`),
	}).Must(t, 201)
	f.send(t, call{
		operation: "createMovement", body: []byte(`{"type":"ADJUSTMENT","product_id":1,"quantity":-5,"location":"TOR-02"}`),
	}).Must(t, 201)
	f.send(t, call{operation: "listMovements", query: "?product_id=1&offset=1&limit=2"}).Must(t, 200)
}

// TestLimitsOfParameters compares the documented bounds of every number in a query
// with the handlers.
func TestLimitsOfParameters(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	f.newEvent(t)
	for _, o := range f.contract.operations {
		known := ""
		if o.takes("query", "after") { // there is a new event, so that the request does not wait
			known = "after=" + identifier.FirstUUID(testkit.Epoch.Add(-time.Hour))
		}
		if o.id == "listBoardChanges" {
			known = "after=" + f.boardBefore(t)
		}
		for _, p := range o.parameters() {
			name, schema := p.at("name").text(), p.at("schema")
			if p.at("in").text() != "query" || schema.at("type").text() != "integer" {
				continue
			}
			for keyword, beyond := range map[string]int{"minimum": -1, "maximum": 1} {
				bound, ok := schema.at(keyword).value.(int)
				if !ok {
					continue
				}
				f.send(t, call{operation: o.id, query: fmt.Sprintf("?%s=%d&%s", name, bound, known)}).Must(t, 200)
				f.send(t, call{operation: o.id, query: fmt.Sprintf("?%s=%d&%s", name, bound+beyond, known)}).Must(t, 422)
			}
			returned := o.response("200").at("content", "application/json", "schema", "properties", "limit").value != nil
			if usual := schema.at("default").value; usual != nil && name == "limit" && returned &&
				o.access() == httpd.AccessSigned {
				if got := f.send(t, call{operation: o.id}); fmt.Sprint(got.JSON("limit")) != fmt.Sprint(usual) {
					t.Errorf("%s: got the default limit %v, want %v", o.id, got.JSON("limit"), usual)
				}
			}
		}
	}
}
