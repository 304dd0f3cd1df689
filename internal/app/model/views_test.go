package model_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"regexp"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/testkit"
	"pgregory.net/rapid"
)

// carrying are the statuses in which a courier carries an order or is about to.
var carrying = []string{"courier_assigned", "picked_up", "in_transit", "out_for_delivery", "failed"}

// events compares the events of an order with what has become of it, and sends one again.
func (w *world) events(t *rapid.T) {
	a := w.account(t)
	o, by := a.order(t), a
	if o.status == "pending" {
		expect(t, w.operate(t, w.desk, "POST", "/ops/v1/orders/"+o.id+"/status", `{"status":"accepted"}`), 200, "")
		w.audited("order.moved")
		a.moved(o, "accepted")
	}
	if rapid.IntRange(0, 3).Draw(t, "by another partner") == 0 {
		by = w.other(a)
	}
	listed := w.call(t, by.partner, "GET", "/v1/webhooks/events?limit=100&order_id="+o.id, nil, "")
	expect(t, listed, 200, "")
	want := slices.Clone(o.events)
	if slices.Reverse(want); by != a { // the newest comes first
		want = nil
	}
	for i := range listed.Len("events") {
		if i >= len(want) || listed.Text("events", i, "type") != want[i] ||
			listed.JSON("events", i, "sequence") != float64(len(want)-i) {
			t.Fatalf("got the events %s, want %v", listed.Body, want)
		}
	}
	if listed.Len("events") != len(want) {
		t.Fatalf("got the events %s, want %v", listed.Body, want)
	}
	if len(want) == 0 {
		return
	}
	event := "/v1/webhooks/events/" + listed.Text("events", 0, "event_id")
	expect(t, w.call(t, a.partner, "GET", event, nil, ""), 200, "")
	other := w.other(a)
	expect(t, w.call(t, other.partner, "GET", event, nil, ""), 404, "not_found")
	if a.endpoint == "" && rapid.Bool().Draw(t, "with an endpoint") {
		w.putEndpoint(t, a)
	}
	again := w.call(t, a.partner, "POST", event+"/redeliver", nil, "")
	if a.endpoint == "" {
		expect(t, again, 422, "webhook_not_configured")
	} else {
		expect(t, again, 200, "")
	}
}

// hooks uses what belongs to the endpoint.
func (w *world) hooks(t *rapid.T) {
	a := w.account(t)
	if a.endpoint == "" && rapid.Bool().Draw(t, "with an endpoint") {
		w.putEndpoint(t, a)
	}
	for _, target := range []string{"endpoint/rotate-secret", "endpoint/activate-secret", "test", "redeliver"} {
		body, status, code := "", 404, "not_found"
		switch target {
		case "test":
			status, code = 422, "webhook_not_configured"
		case "redeliver":
			body, status, code = `{"since":"2026-01-01T00:00:00Z"}`, 422, "webhook_not_configured"
		}
		if a.endpoint != "" {
			status, code = 200, ""
		}
		w.service.Clock.Advance(1100 * 1e6) // a signature is of one second
		expect(t, w.call(t, a.partner, "POST", "/v1/webhooks/"+target, []byte(body), ""), status, code)
		if strings.HasSuffix(target, "-secret") && status == 200 {
			w.audited("endpoint.secret_changed")
		}
	}
	expect(t, w.call(t, a.partner, "GET", "/v1/webhooks/feed", nil, ""), 200, "")
	if a.endpoint != "" {
		w.furtherHook(t, a)
	}
}

// furtherHook adds an endpoint behind the first, changes it, and removes it.
func (w *world) furtherHook(t *rapid.T, a *account) {
	call := func(method, target, body string, status int, code string) *apptest.Answer {
		w.service.Clock.Advance(1100 * 1e6) // a signature is of one second
		answer := w.call(t, a.partner, method, "/v1/webhooks/endpoints"+target, []byte(body), "")
		expect(t, answer, status, code)
		return answer
	}
	added := call("POST", "", fmt.Sprintf(`{"url":%q,"events":["order.failed"]}`, a.endpoint), 201, "")
	w.audited("endpoint.added")
	path := "/" + added.Text("endpoint_id")
	call("GET", path, "", 200, "")
	call("PATCH", path, `{"format":"cloudevents"}`, 200, "")
	w.audited("endpoint.changed")
	for _, step := range []string{"/rotate-secret", "/activate-secret"} {
		call("POST", path+step, "", 200, "")
		w.audited("endpoint.secret_changed")
	}
	call("DELETE", path, "", 200, "")
	w.audited("endpoint.removed")
	for _, gone := range []struct{ method, target, body string }{
		{"GET", path, ""}, {"PATCH", path, `{}`}, {"DELETE", path, ""},
		{"POST", path + "/rotate-secret", ""}, {"POST", path + "/activate-secret", ""},
	} {
		call(gone.method, gone.target, gone.body, 404, "not_found")
	}
}

// track reads an order as its recipient does.
func (w *world) track(t *rapid.T) {
	o := w.account(t).order(t)
	page := w.send(t, w.service, "GET", "/track/"+o.id, nil)
	expect(t, page, 200, "")
	if page.Text("status") != o.status || bytes.Contains(page.Body, []byte("Alex Martin")) {
		t.Fatalf("got %s, want the status %s and no names", page.Body, o.status)
	}
	for _, target := range []string{"/html", "/mail"} {
		if got := w.send(t, w.service, "GET", "/track/"+o.id+target, nil); got.Status != 200 && target == "/html" {
			t.Fatalf("%s: got %d: %s", target, got.Status, got.Body)
		}
	}
	for _, target := range []string{"", "/html", "/mail"} {
		if got := w.send(t, w.service, "GET", "/track/ord_00000000000000000000000000000000"+target, nil); got.Status != 404 {
			t.Fatalf("an unknown order: got %d: %s", got.Status, got.Body)
		}
	}
}

// figures compares the sums of the day with the orders.
func (w *world) figures(t *rapid.T) {
	a := w.account(t)
	created, delivered, failed := 0, 0, 0
	for _, o := range a.orders {
		created++
		for _, status := range o.history {
			switch status {
			case "delivered":
				delivered++
			case "failed":
				failed++
			}
		}
	}
	check := func(answer string, got func(path ...any) any, days int) {
		sums := map[string]int{}
		for i := range days {
			for _, name := range []string{"orders", "delivered", "failed_attempts"} {
				number, _ := got("days", i, name).(float64)
				sums[name] += int(number)
			}
		}
		if sums["orders"] != created || sums["delivered"] != delivered || sums["failed_attempts"] != failed {
			t.Fatalf("got %v, want %d orders, %d delivered, %d failed attempts: %s", sums, created, delivered, failed, answer)
		}
	}
	own := w.call(t, a.partner, "GET", "/v1/figures", nil, "")
	expect(t, own, 200, "")
	check(string(own.Body), own.JSON, own.Len("days"))
	house := w.operate(t, w.desk, "GET", "/ops/v1/figures?partner_id="+a.partner.PartnerID, "")
	expect(t, house, 200, "")
	check(string(house.Body), house.JSON, house.Len("days"))
}

// logs compares the request log with the requests that were answered. Those of the last
// half second need not be there.
func (w *world) logs(t *rapid.T) {
	a := w.account(t)
	stated := w.call(t, a.partner, "GET", "/v1/statements", nil, "")
	if expect(t, stated, 200, ""); stated.Len("statements") != 0 {
		t.Fatalf("got %s, want none, as no month has ended", stated.Body)
	}
	log := w.call(t, a.partner, "GET", "/v1/logs?limit=100", nil, "")
	expect(t, log, 200, "")
	for i := range log.Len("logs") {
		status, _ := log.JSON("logs", i, "status").(float64)
		got := fmt.Sprint(a.partner.PartnerID, " ", log.Text("logs", i, "method"), " ", log.Text("logs", i, "path"), " ",
			int(status))
		if want := w.answered[log.Text("logs", i, "request_id")]; got != want {
			t.Fatalf("got the request %s in the log, want %q", got, want)
		}
	}
}

// carry lets the courier look at jobs, scan an order, and add a proof to one that is carried.
func (w *world) carry(t *rapid.T) {
	o := w.account(t).order(t)
	mine := o.courier == w.admin.CourierID && slices.Contains(append(carrying, "delivered"), o.status)
	jobs := w.operate(t, w.rider, "GET", "/ops/v1/jobs", "")
	expect(t, jobs, 200, "")
	expect(t, w.operate(t, w.desk, "GET", "/ops/v1/jobs?courier_id="+w.courier(t).id, ""), 200, "")
	expect(t, w.operate(t, w.desk, "GET", "/ops/v1/scan?code="+o.id, ""), 200, "")
	record := w.operate(t, w.rider, "GET", "/ops/v1/orders/"+o.id, "")
	if !mine && o.courier != w.admin.CourierID {
		expect(t, record, 404, "not_found")
		expect(t, w.operate(t, w.rider, "POST", "/ops/v1/orders/"+o.id+"/status", `{"status":"picked_up"}`), 404, "not_found")
		return
	}
	expect(t, record, 200, "")
}

// deliver takes an order to its recipient, with a proof by the courier.
func (w *world) deliver(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	if len(moves[o.status]) == 0 || o.courier != "" && o.courier != w.admin.CourierID {
		t.Skip("it has ended, or has another courier")
	}
	w.bring(t, a, o, "delivered", w.couriers[0])
	proof := w.send(t, w.service, "POST", "/ops/v1/orders/"+o.id+"/proofs?kind=photo", picture(), "Authorization",
		"Bearer "+w.rider.Token, "Content-Type", "image/png")
	expect(t, proof, 201, "")
	w.audited("order.proof_added")
	record := w.operate(t, w.rider, "GET", "/ops/v1/orders/"+o.id, "")
	expect(t, record, 200, "")
	url := record.Text("proofs", 0, "url")
	expect(t, w.send(t, w.service, "GET", strings.TrimPrefix(url, w.service.URL), nil), 200, "")
}

func picture() []byte {
	var file bytes.Buffer
	_ = png.Encode(&file, image.NewGray(image.Rect(0, 0, 3, 2))) // into memory
	return file.Bytes()
}

// board compares the board with the orders under way, and follows its changes.
func (w *world) board(t *rapid.T) {
	want := map[string]string{}
	for _, o := range w.open("pending", "accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery",
		"failed") {
		want[o.id] = o.status
	}
	a := w.account(t)
	listed := w.operate(t, w.desk, "GET", "/ops/v1/orders?limit=200&partner_id="+a.partner.PartnerID, "")
	expect(t, listed, 200, "")
	for i := range listed.Len("orders") {
		if id := listed.Text("orders", i, "order_id"); want[id] != listed.Text("orders", i, "status") {
			t.Fatalf("got order %s %s on the board, want %q", id, listed.Text("orders", i, "status"), want[id])
		}
	}
	open := 0
	for _, o := range a.orders {
		if want[o.id] != "" {
			open++
		}
	}
	if listed.Len("orders") != open {
		t.Fatalf("got %d orders of %s on the board, want %d", listed.Len("orders"), a.partner.PartnerID, open)
	}
	after := w.operate(t, w.desk, "GET", "/ops/v1/orders/snapshot", "")
	expect(t, after, 200, "")
	expect(t, w.operate(t, w.desk, "GET", "/ops/v1/orders/changes?after="+after.Text("after"), ""), 200, "")
	expect(t, w.operate(t, w.desk, "GET", "/ops/v1/orders/changes?after=none", ""), 422, "validation_error")
}

// shelves counts the stock, and imports a product.
func (w *world) shelves(t *rapid.T) {
	a, counted := w.account(t), rapid.IntRange(0, 12).Draw(t, "counted")
	path := "/ops/v1/partners/" + a.partner.PartnerID
	answer := w.operate(t, w.warehouse, "POST", path+"/counts",
		fmt.Sprintf(`{"location":"MTL-1","lines":[{"product_id":%d,"counted":%d}]}`, a.lamp, counted))
	if answer.Status != 200 && answer.Status != 201 {
		t.Fatalf("got %d, want the stock counted: %s", answer.Status, answer.Body)
	}
	a.take(a.stock - counted)
	w.skipAudit() // a count that agrees has no entry
	made := w.send(t, w.service, "POST", path+"/products/import", []byte("name,price\n"+w.name("Shade")+",4.5\n"),
		"Authorization", "Bearer "+w.warehouse.Token, "Content-Type", "text/csv")
	if made.Status != 200 {
		t.Fatalf("got %d, want the file imported: %s", made.Status, made.Body)
	}
	w.skipAudit()
	product := fmt.Sprintf(`{"name":%q,"price":12.5}`, w.name("Bulb"))
	expect(t, w.operate(t, w.desk, "POST", path+"/products", product), 403, "forbidden")
	expect(t, w.operate(t, w.warehouse, "POST", path+"/products", product), 201, "")
}

// look reads what does not depend on what was done.
func (w *world) look(t *rapid.T) {
	for _, target := range []string{
		"/v1/health", "/v1/ready", "/openapi.yaml", "/openapi.json", "/ops.yaml", "/ops.json",
		"/openapi-3.0.yaml", "/ops-3.0.yaml", "/asyncapi.yaml",
	} {
		expect(t, w.send(t, w.service, "GET", target, nil), 200, "")
	}
	for _, target := range []string{
		"/proofs/none", "/logos/par_00000000/1", "/ops/v1/oidc/login", "/ops/v1/oidc/callback?code=a&state=b",
	} {
		if got := w.send(t, w.service, "GET", target, nil); got.Status < 400 {
			t.Fatalf("%s: got %d, want it refused", target, got.Status)
		}
	}
	a := w.account(t)
	expect(t, w.call(t, a.partner, "POST", "/v1/orders/validate", testkit.OrderJSON(w.name("ref"), ""), ""), 200, "")
	expect(t, w.call(t, a.partner, "POST", "/v1/rates/quote", []byte(`{}`), ""), 422, "validation_error")
	expect(t, w.call(t, a.partner, "POST", "/v1/rates/quotes", []byte(`{}`), ""), 422, "validation_error")
	o := a.order(t)
	expect(t, w.call(t, a.partner, "GET", "/v1/orders/"+o.id+"/label", nil, ""), 200, "")
	expect(t, w.call(t, w.other(a).partner, "GET", "/v1/orders/"+o.id+"/label", nil, ""), 404, "not_found")
	link := w.call(t, a.partner, "POST", "/v1/orders/"+o.id+"/label-link", []byte(`{}`), "")
	expect(t, link, 200, "")
	expect(t, w.call(t, w.other(a).partner, "POST", "/v1/orders/"+o.id+"/label-link", nil, ""), 404, "not_found")
	linked := strings.TrimPrefix(link.Text("url"), w.service.URL)
	expect(t, w.send(t, w.service, "GET", linked, nil), 200, "")
	expect(t, w.send(t, w.service, "GET", linked+"x", nil), 404, "not_found")
	card := regexp.MustCompile(`"effective_from": "[^"]*",`).ReplaceAllString(string(pricing.DefaultCardFile()), "")
	card = strings.Replace(card, "default-1", w.name("summer"), 1)
	expect(t, w.operate(t, w.admin, "POST", "/ops/v1/rate-cards/validate", `{"name":"default","card":`+card+`}`), 200, "")
	for _, target := range []string{"/v1/auth/email/none", "/track/ord_00000000000000000000000000000000/mail"} {
		body := []byte(`{"password":"of no account"}`)
		if got := w.send(t, w.service, "POST", target, body, "Content-Type", "application/json"); got.Status != 404 {
			t.Fatalf("%s: got %d, want 404", target, got.Status)
		}
	}
	expect(t, w.operate(t, w.admin, "POST", "/ops/v1/rate-cards/preview",
		fmt.Sprintf(`{"card_id":"crd_builtin","order_id":%q}`, o.id)), 200, "")
}
