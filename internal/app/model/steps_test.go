package model_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

func (w *world) create(t *rapid.T) { w.createFor(t, w.account(t)) }

func (w *world) createFor(t *rapid.T, a *account) {
	o := w.draft(t, a)
	status, code := a.accept(o)
	answer := w.call(t, a.partner, "POST", "/v1/orders", o.body, o.key)
	expect(t, answer, status, code)
	o.id = answer.Text("order_id")
}

// repeat sends a request again, as a client does that has got no answer.
func (w *world) repeat(t *rapid.T) {
	a := w.account(t)
	o := a.single(t)
	answer := w.call(t, a.partner, "POST", "/v1/orders", o.body, o.key)
	expect(t, answer, 201, "")
	if answer.Text("order_id") != o.id || answer.Header.Get("Idempotent-Replayed") != "true" {
		t.Fatalf("got order %s, replayed %q, want %s again", answer.Text("order_id"),
			answer.Header.Get("Idempotent-Replayed"), o.id)
	}
}

// reuse sends another order under a key that was used.
func (w *world) reuse(t *rapid.T) {
	a := w.account(t)
	used, other := a.single(t), w.draft(t, a)
	if bytes.Equal(used.body, other.body) {
		t.Skip("the same order")
	}
	expect(t, w.call(t, a.partner, "POST", "/v1/orders", other.body, used.key), 422, "idempotency_key_reused")
}

// batch sends several orders in one request.
func (w *world) batch(t *rapid.T) {
	a := w.account(t)
	var drafts []*order
	var bodies, codes []string
	for range rapid.IntRange(1, 3).Draw(t, "orders") {
		o := w.draft(t, a)
		o.key = ""
		_, code := a.accept(o)
		drafts, bodies, codes = append(drafts, o), append(bodies, string(o.body)), append(codes, code)
	}
	answer := w.call(t, a.partner, "POST", "/v1/orders/batch", []byte(`{"orders":[`+strings.Join(bodies, ",")+`]}`),
		uuid.NewString())
	expect(t, answer, 200, "")
	for i, code := range codes {
		if got := answer.Text("results", i, "error", "code"); got != code {
			t.Fatalf("order %d of the batch: got %q, want %q: %s", i, got, code, answer.Body)
		}
		drafts[i].id = answer.Text("results", i, "order", "order_id")
	}
}

func (w *world) cancel(t *rapid.T) {
	a, by := w.account(t), w.account(t)
	o := a.order(t)
	answer := w.call(t, by.partner, "POST", "/v1/orders/"+o.id+"/cancel", []byte(`{"reason":"other plans"}`),
		uuid.NewString())
	switch {
	case by != a:
		expect(t, answer, 404, "not_found")
	case o.status != "pending" && o.status != "accepted":
		expect(t, answer, 409, "order_not_cancellable")
	default:
		expect(t, answer, 200, "")
		a.moved(o, "cancelled")
	}
}

// move lets an operator move an order to any status.
func (w *world) move(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	by := w.admin
	if rapid.Bool().Draw(t, "by the dispatcher") {
		by = w.desk
	}
	to, c := rapid.SampledFrom(statuses).Draw(t, "status"), w.courier(t)
	var p *payment
	if to == "delivered" {
		p = w.payment(t, o)
	}
	answer := w.operate(t, by, "POST", "/ops/v1/orders/"+o.id+"/status", moveTo(to, c, p))
	switch {
	case to == "courier_assigned" && !c.active, p.malformed():
		expect(t, answer, 422, "validation_error")
	case !o.may(to):
		expect(t, answer, 409, "invalid_transition")
	case to == "delivered" && !o.takes(p, w.till.required):
		expect(t, answer, 422, "validation_error")
	default:
		expect(t, answer, 200, "")
		w.audited("order.moved")
		w.wasMoved(a, o, to, c, p)
	}
}

// receive books goods in or out. Only admins and the warehouse may.
func (w *world) receive(t *rapid.T) {
	a := w.account(t)
	kind, quantity := rapid.SampledFrom([]string{"IN", "OUT"}).Draw(t, "type"), rapid.IntRange(1, 6).Draw(t, "quantity")
	answer := w.operate(t, w.admin, "POST", "/ops/v1/partners/"+a.partner.PartnerID+"/movements",
		fmt.Sprintf(`{"type":%q,"product_id":%d,"quantity":%d,"location":"MTL-1"}`, kind, a.lamp, quantity))
	switch {
	case kind == "IN":
		expect(t, answer, 201, "")
		w.audited("stock.moved")
		a.take(-quantity)
	case quantity > a.stock:
		expect(t, answer, 422, "insufficient_stock")
	default:
		expect(t, answer, 201, "")
		w.audited("stock.moved")
		a.take(quantity)
	}
}

// read reads an order, perhaps that of another partner.
func (w *world) read(t *rapid.T) {
	a, by := w.account(t), w.account(t)
	o := a.order(t)
	answer := w.call(t, by.partner, "GET", "/v1/orders/"+o.id, nil, "")
	if by != a {
		expect(t, answer, 404, "not_found")
		return
	}
	expect(t, answer, 200, "")
	var history []string
	for i := range answer.Len("status_history") {
		history = append(history, answer.Text("status_history", i, "status"))
	}
	if answer.Text("status") != o.status || answer.Text("partner_order_id") != o.reference ||
		!slices.Equal(history, o.history) || answer.Text("reference") != o.remark {
		t.Fatalf("got %s, want status %s, history %v and reference %q", answer.Body, o.status, o.history, o.remark)
	}
}

// list counts the orders of a status.
func (w *world) list(t *rapid.T) {
	a, status := w.account(t), rapid.SampledFrom(statuses).Draw(t, "status")
	want := 0
	for _, o := range a.orders {
		if o.status == status {
			want++
		}
	}
	answer := w.call(t, a.partner, "GET", "/v1/orders?limit=100&status="+status, nil, "")
	expect(t, answer, 200, "")
	if got := answer.Len("orders"); got != want {
		t.Fatalf("got %d orders that are %s, want %d", got, status, want)
	}
}

// key makes a further key, or revokes it.
func (w *world) key(t *rapid.T) {
	a := w.account(t)
	w.pause()
	session := a.partner.Login()
	if a.other == nil {
		made := w.send(t, w.service, "POST", "/v1/auth/api-keys", []byte(`{"name":"second"}`), session...)
		expect(t, made, 201, "")
		w.audited("api_key.created")
		other := *a.partner
		other.KeyID, other.PublicKey, other.SecretKey = made.Text("key_id"), made.Text("public_key"), made.Text("secret_key")
		a.other = &other
		expect(t, w.call(t, a.other, "GET", "/v1/orders", nil, ""), 200, "")
		return
	}
	expect(t, w.send(t, w.service, "DELETE", "/v1/auth/api-keys/"+a.other.KeyID, nil, session...), 200, "")
	expect(t, w.call(t, a.other, "GET", "/v1/orders", nil, ""), 401, "unauthorized")
	w.audited("api_key.revoked")
	a.other = nil
}

// putEndpoint sets the endpoint.
func (w *world) putEndpoint(t *rapid.T, a *account) {
	status, action := 201, "endpoint.added"
	if a.endpoint != "" {
		status, action = 200, "endpoint.changed"
	}
	a.endpoint = w.receiver.URL + w.name("/hook")
	w.service.Clock.Advance(time.Second)
	expect(t, w.call(t, a.partner, "PUT", "/v1/webhooks/endpoint", fmt.Appendf(nil, `{"url":%q}`, a.endpoint), ""), status,
		"")
	w.audited(action)
}

// setEndpoint changes, reads or deletes the webhook endpoint.
func (w *world) setEndpoint(t *rapid.T) {
	const path = "/v1/webhooks/endpoint"
	a := w.account(t)
	method := rapid.SampledFrom([]string{"GET", "PUT", "DELETE"}).Draw(t, "method")
	if a.endpoint == "" && method != "PUT" {
		expect(t, w.call(t, a.partner, method, path, nil, ""), 404, "not_found")
	}
	if a.endpoint == "" || method == "PUT" {
		w.putEndpoint(t, a)
	}
	switch method {
	case "GET":
		answer := w.call(t, a.partner, "GET", path, nil, "")
		expect(t, answer, 200, "")
		if answer.Text("url") != a.endpoint {
			t.Fatalf("got %s, want the URL %s", answer.Body, a.endpoint)
		}
	case "DELETE":
		expect(t, w.call(t, a.partner, "DELETE", path, nil, ""), 200, "")
		w.audited("endpoint.removed")
		a.endpoint = ""
	}
}

// quote asks for a price, and for the prices of all service levels, of which it is one.
func (w *world) quote(t *rapid.T) {
	a := w.account(t)
	one := w.call(t, a.partner, "POST", "/v1/rates/quote", testkit.OrderJSON("any", ""), "")
	expect(t, one, 200, "")
	all := w.call(t, a.partner, "POST", "/v1/rates/quotes", testkit.OrderJSON("any", ""), "")
	expect(t, all, 200, "")
	quotes, _ := all.JSON("quotes").([]any)
	same := func(quote any) bool { return quote.(map[string]any)["rate_cents"] == one.JSON("rate_cents") }
	if !slices.ContainsFunc(quotes, same) {
		t.Fatalf("got %s, want the quote %s among them", all.Body, one.Body)
	}
}
