package model_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"
)

// pickable are the statuses in which the warehouse picks an order.
var pickable = []string{"pending", "accepted", "courier_assigned"}

// pick picks some units of an order, and packs it once all are picked. The stock stays as it is, which
// compare checks.
func (w *world) pick(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	w.perhaps(t, a, o, pickable[1:]...)
	path := "/ops/v1/orders/" + o.id + "/picks"
	units, packed := rapid.IntRange(0, o.units+1).Draw(t, "units"), rapid.Bool().Draw(t, "packed")
	body := fmt.Sprintf(`{"location":"MTL-1","packed":%t,"lines":[{"product_id":%d,"quantity":%d}]}`, packed, a.lamp,
		units)
	expect(t, w.operate(t, w.rider, "POST", path, body), 403, "forbidden")
	answer := w.operate(t, w.warehouse, "POST", path, body)
	left := o.units - o.picked
	switch {
	case !slices.Contains(pickable, o.status) || o.units == 0 || o.origin != nil:
		expect(t, answer, 409, "conflict")
		return
	case units > left:
		expect(t, answer, 422, "validation_error")
		return
	case packed && units < left:
		expect(t, answer, 409, "conflict")
		return
	}
	expect(t, answer, 200, "")
	w.audited("order.picked")
	o.picked, o.short, o.packed = o.picked+units, units < left, o.packed || packed
	if answer.Text("state") != o.pickState() || answer.JSON("lines", 0, "picked") != float64(o.picked) {
		t.Fatalf("got %s, want %d units picked and the state %s", answer.Body, o.picked, o.pickState())
	}
	w.listed(t, a)
}

func (o *order) pickState() string {
	switch {
	case o.short:
		return "short"
	case o.picked < o.units:
		return "to_pick"
	case o.packed:
		return "packed"
	default:
		return "picked"
	}
}

// listed compares the list of what is to pick with the orders of an account.
func (w *world) listed(t *rapid.T, a *account) {
	var got, want []string
	for _, o := range a.orders {
		if slices.Contains(pickable, o.status) && o.units > o.picked && o.origin == nil {
			want = append(want, o.id+" "+o.pickState())
		}
	}
	const first = "/ops/v1/picks?location=MTL-1&limit=100"
	for target := first; target != ""; {
		page := w.operate(t, w.warehouse, "GET", target, "")
		expect(t, page, 200, "")
		for i := range page.Len("picks") {
			if page.Text("picks", i, "partner_id") == a.partner.PartnerID { // others are of other accounts
				got = append(got, page.Text("picks", i, "order_id")+" "+page.Text("picks", i, "state"))
			}
		}
		target = ""
		if next := page.Text("next_cursor"); next != "" {
			target = first + "&cursor=" + next
		}
	}
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Fatalf("got the orders %v to pick, want %v", got, want)
	}
}
