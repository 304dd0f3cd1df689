package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
	"pgregory.net/rapid"
)

// moves are the statuses that an operator may move an order to, by the one it has. They
// stand here a second time so that the model depends on nothing of the service.
var moves = map[string]string{
	"pending":          "accepted cancelled",
	"accepted":         "courier_assigned cancelled",
	"courier_assigned": "picked_up accepted courier_assigned cancelled failed",
	"picked_up":        "in_transit out_for_delivery failed",
	"in_transit":       "out_for_delivery failed",
	"out_for_delivery": "delivered failed",
	"failed":           "in_transit out_for_delivery cancelled",
}

var statuses = []string{
	"pending", "accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered", "failed", "cancelled",
}

// order is what the model knows of an order.
type order struct {
	id, reference, key string
	body               []byte
	units              int
	status             string
	history            []string
}

// account is what the model knows of a partner.
type account struct {
	partner   *apptest.Partner
	other     *apptest.Partner // with a further key; nil if there is none
	lamp      int
	stock     int
	movements int
	orders    []*order
	endpoint  string // URL; empty if there is none
}

// world is a service, and what the model predicts of it.
type world struct {
	service  *apptest.Service
	admin    *apptest.Operator
	desk     *apptest.Operator // a dispatcher
	accounts []*account
	names    *int // how many names were used
}

// TestModel compares a service with the model. What rapid shrinks a failure to is kept in
// testdata/rapid, and tried first from then on.
func TestModel(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	admin := service.Operate(t)
	desk := admin.As(t, "dispatcher")
	names := new(int)
	rapid.Check(t, func(rt *rapid.T) {
		service.Clock.Advance(time.Minute) // sign-ins of a minute are limited
		w := &world{service: service, admin: admin, desk: desk, names: names}
		for range 2 {
			partner := service.Register(t, w.name("shop"))
			lamp := admin.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 9})
			w.accounts = append(w.accounts, &account{partner: partner, lamp: lamp, stock: 9, movements: 1})
		}
		rt.Repeat(map[string]func(*rapid.T){
			"create":   w.create,
			"repeat":   w.repeat,
			"reuse":    w.reuse,
			"batch":    w.batch,
			"cancel":   w.cancel,
			"move":     w.move,
			"receive":  w.receive,
			"read":     w.read,
			"list":     w.list,
			"key":      w.key,
			"endpoint": w.setEndpoint,
			"quote":    w.quote,
			"":         w.compare,
		})
	})
	service.Audit(t)
}

// name returns a name that was never used before.
func (w *world) name(kind string) string {
	*w.names++
	return fmt.Sprintf("%s-%d", kind, *w.names)
}

func (w *world) account(t *rapid.T) *account { return rapid.SampledFrom(w.accounts).Draw(t, "account") }

// order draws an order of an account; it skips the step if there is none.
func (a *account) order(t *rapid.T) *order {
	if len(a.orders) == 0 {
		t.Skip("no orders")
	}
	return rapid.SampledFrom(a.orders).Draw(t, "order")
}

// single is order for one that was not created by a batch, which has the key.
func (a *account) single(t *rapid.T) *order {
	o := a.order(t)
	if o.key == "" {
		t.Skip("created by a batch")
	}
	return o
}

// GoString returns what rapid prints.
func (a *account) GoString() string { return a.partner.PartnerID }

// GoString returns what rapid prints.
func (o *order) GoString() string { return o.reference }

// call sends a signed request of a partner.
func call(t *rapid.T, p *apptest.Partner, method, target string, body []byte, key string) *apptest.Answer {
	headers := p.Signed(method, target, body)
	if key != "" {
		headers = append(headers, "Idempotency-Key", key)
	}
	return sent(t)(p.Try(method, target, body, headers...))
}

// operate sends a request of an operator.
func operate(t *rapid.T, o *apptest.Operator, method, target, body string) *apptest.Answer {
	return sent(t)(o.Try(method, target, []byte(body), "Authorization", "Bearer "+o.Token))
}

func sent(t *rapid.T) func(*apptest.Answer, error) *apptest.Answer {
	return func(answer *apptest.Answer, err error) *apptest.Answer {
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
}

// expect ends the test unless the answer has a status and, if it is an error, a code.
func expect(t *rapid.T, answer *apptest.Answer, status int, code string) {
	if answer.Status != status || answer.Code() != code {
		t.Fatalf("got %d %s, want %d %s: %s", answer.Status, answer.Code(), status, code, answer.Body)
	}
}

// draft draws an order that was not sent yet, perhaps with a reference in use.
func (w *world) draft(t *rapid.T, a *account) *order {
	o := &order{reference: w.name("ref"), key: uuid.NewString(), units: rapid.IntRange(0, 5).Draw(t, "units"), status: "pending", history: []string{"pending"}}
	if len(a.orders) > 0 && rapid.IntRange(0, 9).Draw(t, "reference in use") == 0 {
		o.reference = a.order(t).reference
	}
	items := ""
	if o.units > 0 {
		items = fmt.Sprintf(`[{"product_id":%d,"quantity":%d}]`, a.lamp, o.units)
	}
	o.body = testkit.OrderJSON(o.reference, items)
	return o
}

// accept predicts what a new order is answered, and notes it if it is accepted.
func (a *account) accept(o *order) (status int, code string) {
	switch {
	case slices.ContainsFunc(a.orders, func(known *order) bool { return known.reference == o.reference }):
		return 409, "conflict"
	case o.units > a.stock:
		return 422, "insufficient_stock"
	}
	a.take(o.units)
	a.orders = append(a.orders, o)
	return 201, ""
}

// take books units out of the stock, or back into it if there are fewer than 0.
func (a *account) take(units int) {
	if units != 0 {
		a.stock -= units
		a.movements++
	}
}

// moved notes an order's new status.
func (a *account) moved(o *order, status string) {
	o.status, o.history = status, append(o.history, status)
	if status == "cancelled" {
		a.take(-o.units)
	}
}

func (w *world) create(t *rapid.T) {
	a := w.account(t)
	o := w.draft(t, a)
	status, code := a.accept(o)
	answer := call(t, a.partner, "POST", "/v1/orders", o.body, o.key)
	expect(t, answer, status, code)
	o.id = answer.Text("order_id")
}

// repeat sends a request again, as a client does that has got no answer.
func (w *world) repeat(t *rapid.T) {
	a := w.account(t)
	o := a.single(t)
	answer := call(t, a.partner, "POST", "/v1/orders", o.body, o.key)
	expect(t, answer, 201, "")
	if answer.Text("order_id") != o.id || answer.Header.Get("Idempotent-Replayed") != "true" {
		t.Fatalf("got order %s, replayed %q, want %s again", answer.Text("order_id"), answer.Header.Get("Idempotent-Replayed"), o.id)
	}
}

// reuse sends another order under a key that was used.
func (w *world) reuse(t *rapid.T) {
	a := w.account(t)
	used := a.single(t)
	expect(t, call(t, a.partner, "POST", "/v1/orders", w.draft(t, a).body, used.key), 422, "idempotency_key_reused")
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
	answer := call(t, a.partner, "POST", "/v1/orders/batch", []byte(`{"orders":[`+strings.Join(bodies, ",")+`]}`), uuid.NewString())
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
	answer := call(t, by.partner, "POST", "/v1/orders/"+o.id+"/cancel", []byte(`{"reason":"other plans"}`), uuid.NewString())
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
	to := rapid.SampledFrom(statuses).Draw(t, "status")
	answer := operate(t, by, "POST", "/ops/v1/orders/"+o.id+"/status", fmt.Sprintf(`{"status":%q,"courier_id":%q,"notes":"by test"}`, to, w.admin.CourierID))
	if !slices.Contains(strings.Fields(moves[o.status]), to) {
		expect(t, answer, 409, "invalid_transition")
		return
	}
	expect(t, answer, 200, "")
	a.moved(o, to)
}

// receive books goods in or out. Only admins and the warehouse may.
func (w *world) receive(t *rapid.T) {
	a := w.account(t)
	kind, quantity := rapid.SampledFrom([]string{"IN", "OUT"}).Draw(t, "type"), rapid.IntRange(1, 6).Draw(t, "quantity")
	answer := operate(t, w.admin, "POST", "/ops/v1/partners/"+a.partner.PartnerID+"/movements",
		fmt.Sprintf(`{"type":%q,"product_id":%d,"quantity":%d,"location":"MTL-1"}`, kind, a.lamp, quantity))
	switch {
	case kind == "IN":
		expect(t, answer, 201, "")
		a.take(-quantity)
	case quantity > a.stock:
		expect(t, answer, 422, "insufficient_stock")
	default:
		expect(t, answer, 201, "")
		a.take(quantity)
	}
}

// read reads an order, perhaps that of another partner.
func (w *world) read(t *rapid.T) {
	a, by := w.account(t), w.account(t)
	o := a.order(t)
	answer := call(t, by.partner, "GET", "/v1/orders/"+o.id, nil, "")
	if by != a {
		expect(t, answer, 404, "not_found")
		return
	}
	expect(t, answer, 200, "")
	var history []string
	for i := range answer.Len("status_history") {
		history = append(history, answer.Text("status_history", i, "status"))
	}
	if answer.Text("status") != o.status || answer.Text("partner_order_id") != o.reference || !slices.Equal(history, o.history) {
		t.Fatalf("got %s, want status %s and history %v", answer.Body, o.status, o.history)
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
	answer := call(t, a.partner, "GET", "/v1/orders?limit=100&status="+status, nil, "")
	expect(t, answer, 200, "")
	if got := answer.Len("orders"); got != want {
		t.Fatalf("got %d orders that are %s, want %d", got, status, want)
	}
}

// key makes a further key, or revokes it.
func (w *world) key(t *rapid.T) {
	a := w.account(t)
	session := a.partner.Login()
	if a.other == nil {
		if len(a.orders)%3 != 0 {
			t.Skip("sign-ins are limited")
		}
		made := sent(t)(a.partner.Try("POST", "/v1/auth/api-keys", []byte(`{"name":"second"}`), session...))
		expect(t, made, 201, "")
		other := *a.partner
		other.KeyID, other.PublicKey, other.SecretKey = made.Text("key_id"), made.Text("public_key"), made.Text("secret_key")
		a.other = &other
		expect(t, call(t, a.other, "GET", "/v1/orders", nil, ""), 200, "")
		return
	}
	expect(t, sent(t)(a.partner.Try("DELETE", "/v1/auth/api-keys/"+a.other.KeyID, nil, session...)), 200, "")
	expect(t, call(t, a.other, "GET", "/v1/orders", nil, ""), 401, "unauthorized")
	a.other = nil
}

// setEndpoint changes, reads or deletes the webhook endpoint.
func (w *world) setEndpoint(t *rapid.T) {
	const path = "/v1/webhooks/endpoint"
	a := w.account(t)
	switch rapid.SampledFrom([]string{"GET", "PUT", "DELETE"}).Draw(t, "method") {
	case "PUT":
		status := 201
		if a.endpoint != "" {
			status = 200
		}
		a.endpoint = "https://example.com/" + w.name("hook")
		expect(t, call(t, a.partner, "PUT", path, fmt.Appendf(nil, `{"url":%q}`, a.endpoint), ""), status, "")
	case "DELETE":
		if a.endpoint == "" {
			expect(t, call(t, a.partner, "DELETE", path, nil, ""), 404, "not_found")
			return
		}
		expect(t, call(t, a.partner, "DELETE", path, nil, ""), 200, "")
		a.endpoint = ""
	default:
		answer := call(t, a.partner, "GET", path, nil, "")
		if a.endpoint == "" {
			expect(t, answer, 404, "not_found")
			return
		}
		expect(t, answer, 200, "")
		if answer.Text("url") != a.endpoint {
			t.Fatalf("got %s, want the URL %s", answer.Body, a.endpoint)
		}
	}
}

// quote asks for a price, which is the same as long as the rate card is.
func (w *world) quote(t *rapid.T) {
	a := w.account(t)
	expect(t, call(t, a.partner, "POST", "/v1/rates/quote", testkit.OrderJSON("any", ""), ""), 200, "")
}

// compare compares the stock and its movements with the model, after every step.
func (w *world) compare(t *rapid.T) {
	for _, a := range w.accounts {
		products := call(t, a.partner, "GET", "/v1/inventory/products", nil, "")
		expect(t, products, 200, "")
		if got := products.JSON("products", 0, "quantity"); got != float64(a.stock) {
			t.Fatalf("got a stock of %v, want %d: %s", got, a.stock, products.Body)
		}
		movements := call(t, a.partner, "GET", "/v1/inventory/movements?limit=100", nil, "")
		expect(t, movements, 200, "")
		if got := movements.Len("movements"); got != a.movements {
			t.Fatalf("got %d movements, want %d: %s", got, a.movements, movements.Body)
		}
	}
}
