package model_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
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
	"pending", "accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered", "failed",
	"cancelled",
}

// order is what the model knows of an order.
type order struct {
	id, reference, key string
	body               []byte
	units              int
	status             string
	history            []string
	courier            string // id; empty if none is assigned
	notes, scans       int
	remark             string   // what the member reference holds, which the partner may edit to the end
	events             []string // the types of its events, the oldest first
	unseen             bool     // its courier has not confirmed an edit
	asked              bool     // its cancellation was requested
	hub                bool     // its parcels are at a hub
	due                bool     // its parcels must come back
	erased             bool
	origin             *order // that a return order brings back; nil for any other order
	toWarehouse        bool   // where a return order goes
	returned           bool   // a return order brings it back
	picked             int    // units
	short, packed      bool   // as the warehouse has picked it
	cod                int64  // to be collected, in cents
	paid               *payment
	acts               []string // of the journal that are about what was collected
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
	t         *testing.T
	service   *apptest.Service
	surface   *surface
	receiver  *apptest.Receiver
	admin     *apptest.Operator
	desk      *apptest.Operator // a dispatcher
	books     *apptest.Operator // an accountant
	warehouse *apptest.Operator
	rider     *apptest.Operator // the courier whom the admin assigns
	nobody    *apptest.Operator // without credentials
	operators []*apptest.Operator
	letter    map[*apptest.Operator]string // of the role
	couriers  []*courier
	accounts  []*account
	till      *till
	names     *int              // how many names were used
	answered  map[string]string // partner, request and status, by X-Request-Id
	acted     time.Time         // when the last request was sent that does not repeat another

	entries []string // the actions of the entries that the audit log must have got
	latest  string   // the newest entry before those
}

// newWorld returns a service with an operator of each role.
func newWorld(t *testing.T) *world {
	service := apptest.Start(t, apptest.Webhooks())
	w := &world{
		t: t, service: service, surface: readSurface(t, service), receiver: apptest.NewReceiver(t), admin: service.Operate(t),
		names: new(int), answered: map[string]string{},
	}
	w.desk, w.warehouse, w.rider = w.admin.As(t, "dispatcher"), w.admin.As(t, "warehouse"), w.admin.As(t, "courier")
	w.books = w.admin.As(t, "accountant")
	beginBooks(t, w.admin)
	w.nobody = &apptest.Operator{Service: service, Token: "none"}
	w.letter = map[*apptest.Operator]string{w.admin: "a", w.desk: "d", w.books: "m", w.warehouse: "w", w.rider: "c"}
	w.operators = []*apptest.Operator{w.admin, w.desk, w.books, w.warehouse, w.rider, w.nobody}
	return w
}

// TestModel compares a service with the model. What rapid shrinks a failure to is kept in
// testdata/rapid, and tried first from then on.
func TestModel(t *testing.T) {
	t.Parallel()
	base := newWorld(t)
	service, admin := base.service, base.admin
	repeatable.Check(t, func(rt *rapid.T) {
		service.Clock.Advance(time.Minute) // sign-ins of a minute are limited
		if now := service.Clock.Now(); now.Hour() >= 22 {
			service.Clock.Advance(now.Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)) // a quota is of one day
		}
		w := *base
		w.couriers = []*courier{{admin.CourierID, true}}
		for range 3 {
			partner := service.Register(t, w.name("shop"))
			lamp := admin.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 9})
			admin.Call(t, "PATCH", fmt.Sprintf("/ops/v1/partners/%s/products/%d", partner.PartnerID, lamp),
				[]byte(`{"sku":"LP-1"}`)).Must(t, 200)
			w.accounts = append(w.accounts, &account{partner: partner, lamp: lamp, stock: 9, movements: 1})
		}
		w.signInAgain(t)
		w.openTill(rt)
		w.skipAudit()
		w.compare(rt)
		steps := map[string]func(*rapid.T){
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

			"moveAll":       w.moveAll,
			"changeCourier": w.changeCourier,
			"sequence":      w.sequence,
			"note":          w.note,
			"suspend":       w.suspend,
			"quota":         w.quota,
			"erase":         w.erase,
			"carry":         w.carry,
			"deliver":       w.deliver,
			"board":         w.board,
			"shelves":       w.shelves,
			"ask":           w.ask,
			"unknown":       w.unknown,
			"token":         w.token,
			"session":       w.session,

			"team":      w.team,
			"sessions":  w.sessions,
			"password":  w.password,
			"scopes":    w.scopes,
			"events":    w.events,
			"hooks":     w.hooks,
			"track":     w.track,
			"figures":   w.figures,
			"logs":      w.logs,
			"look":      w.look,
			"register":  w.register,
			"profile":   w.profile,
			"company":   w.company,
			"strangers": w.strangers,

			"correct": w.correct,
			"handIn":  w.handIn,
			"deposit": w.deposit,
			"remit":   w.remit,
			"require": w.require,
			"":        w.compare,
		}
		maps.Copy(steps, w.after())
		w.early(rt)
		rt.Repeat(steps)
	})
	service.Audit(t)
	if !t.Failed() {
		report := t.Logf // a short run does not come to everything
		if testkit.Long() {
			report = t.Errorf
		}
		base.surface.check(t, report)
	}
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

// draft draws an order that was not sent yet, perhaps with a reference in use.
func (w *world) draft(t *rapid.T, a *account) *order {
	o := w.fresh(t, rapid.IntRange(0, 5).Draw(t, "units"))
	if len(a.orders) > 0 && rapid.IntRange(0, 9).Draw(t, "reference in use") == 0 {
		o.reference = a.order(t).reference
	}
	items := ""
	if o.units > 0 {
		named := rapid.SampledFrom([]string{
			fmt.Sprintf(`"product_id":%d`, a.lamp), `"sku":"LP-1"`, `"barcode":"B-Lamp"`,
		}).Draw(t, "named by")
		items = fmt.Sprintf(`[{%s,"quantity":%d}]`, named, o.units)
	}
	o.body = testkit.OrderJSON(o.reference, items)
	if rapid.Bool().Draw(t, "paid at the door") {
		o.cod = rapid.Int64Range(1, 9000).Draw(t, "to collect")
		o.body = bytes.Replace(o.body, []byte(`"reference":`),
			fmt.Appendf(nil, `"cod":{"amount_cents":%d,"currency":"CAD"},"reference":`, o.cod), 1)
	}
	return o
}

// fresh returns an order with a reference of its own.
func (w *world) fresh(_ *rapid.T, units int) *order {
	o := &order{
		reference: w.name("ref"), key: uuid.NewString(), units: units, status: "pending", history: []string{"pending"},
		remark: "PO 77",
	}
	o.body = testkit.OrderJSON(o.reference, "")
	return o
}

// other returns another account.
func (w *world) other(a *account) *account {
	for _, other := range w.accounts {
		if other != a {
			return other
		}
	}
	return nil
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

// moved notes an order's new status, and what comes of it.
func (a *account) moved(o *order, status string) {
	o.status, o.history = status, append(o.history, status)
	event := "order." + status
	if status == "courier_assigned" {
		event = "courier.assigned"
	}
	o.events = append(o.events, event)
	switch {
	case status == "cancelled" && o.pickedUp(), status == "delivered" && o.toWarehouse:
		o.due, o.events = true, append(o.events, "return.due")
	case status == "cancelled" && o.origin != nil:
		o.origin.returned = false
	case status == "cancelled":
		a.take(-o.units)
	}
}

// pickedUp reports whether the order has left the place of its pickup.
func (o *order) pickedUp() bool {
	return slices.ContainsFunc(o.history, func(status string) bool {
		return status == "picked_up" || status == "in_transit" || status == "out_for_delivery"
	})
}

// may reports whether an operator may move the order to a status.
func (o *order) may(status string) bool {
	return slices.Contains(strings.Fields(moves[o.status]), status) && (!o.hub || status != "out_for_delivery")
}
