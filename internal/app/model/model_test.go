package model_test

import (
	"fmt"
	"slices"
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
