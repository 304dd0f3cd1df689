package model_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// courier is what the model knows of a courier.
type courier struct {
	id     string
	active bool
}

// GoString returns what rapid prints.
func (c *courier) GoString() string { return c.id }

func (w *world) courier(t *rapid.T) *courier {
	return rapid.SampledFrom(w.couriers).Draw(t, "courier")
}

// open returns the orders of all accounts that are in one of the statuses, the oldest first.
func (w *world) open(statuses ...string) (found []*order) {
	for _, a := range w.accounts {
		for _, o := range a.orders {
			if slices.Contains(statuses, o.status) {
				found = append(found, o)
			}
		}
	}
	return found
}

// changeCourier adds a courier, or changes whether one is active.
func (w *world) changeCourier(t *rapid.T) {
	if len(w.couriers) < 3 || rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
		name := w.name("courier")
		answer := w.operate(t, w.desk, "POST", "/ops/v1/couriers",
			fmt.Sprintf(`{"name":%q,"phone":"+15145550111","vehicle":"van"}`, name))
		expect(t, answer, 201, "")
		w.audited("courier.created")
		w.couriers = append(w.couriers, &courier{answer.Text("courier_id"), true})
		return
	}
	c, active := w.courier(t), rapid.Bool().Draw(t, "active")
	if c.id == w.admin.CourierID {
		t.Skip("who is a courier by role")
	}
	expect(t, w.operate(t, w.desk, "PATCH", "/ops/v1/couriers/"+c.id, fmt.Sprintf(`{"active":%t}`, active)), 200, "")
	if c.active != active {
		c.active = active
		w.audited("courier.changed")
	}
	if got := w.operate(t, w.desk, "GET", "/ops/v1/couriers/"+c.id, ""); got.JSON("active") != active {
		t.Fatalf("got %s, want active %t", got.Body, active)
	}
}

// moveAll moves orders of several partners in one request.
func (w *world) moveAll(t *rapid.T) {
	var picked []*order
	owners := map[*order]*account{}
	for _, a := range w.accounts {
		for _, o := range a.orders {
			if owners[o] = a; len(picked) < 4 && rapid.Bool().Draw(t, "picked") {
				picked = append(picked, o)
			}
		}
	}
	if len(picked) == 0 {
		t.Skip("no orders")
	}
	to, c := rapid.SampledFrom(statuses).Draw(t, "status"), w.courier(t)
	ids, paid := make([]string, len(picked)), make([]*payment, len(picked))
	var collected []string
	for i, o := range picked {
		ids[i] = o.id
		if to != "delivered" {
			continue
		}
		if paid[i] = w.payment(t, o); paid[i].malformed() {
			paid[i] = nil // it would have all refused
		}
		if paid[i] != nil {
			collected = append(collected, fmt.Sprintf(`{"order_id":%q,%s`, o.id, paid[i].json()[1:]))
		}
	}
	answer := w.operate(t, w.desk, "POST", "/ops/v1/orders/status",
		fmt.Sprintf(`{"order_ids":["%s"],"status":%q,"courier_id":%q,"failure_reason":"nobody answers","collected":[%s]}`,
			strings.Join(ids, `","`), to, c.id, strings.Join(collected, ",")))
	if to == "courier_assigned" && !c.active {
		expect(t, answer, 422, "validation_error")
		return
	}
	if to == "pending" {
		if answer.Status != 200 && answer.Status != 422 {
			t.Fatalf("got %d %s for the status pending", answer.Status, answer.Body)
		}
		return
	}
	expect(t, answer, 200, "")
	for i, o := range picked {
		want := ""
		switch {
		case !o.may(to):
			want = "invalid_transition"
		case to == "delivered" && !o.takes(paid[i], w.till.required):
			want = "validation_error"
		}
		if got := answer.Text("results", i, "error", "code"); got != want {
			t.Fatalf("order %d, which is %s, to %s: got %q, want %q: %s", i, o.status, to, got, want, answer.Body)
		}
		if want == "" {
			w.wasMoved(owners[o], o, to, c, paid[i])
			w.audited("order.moved")
		}
	}
}

// assigned notes the courier of an order that was moved.
func (w *world) assigned(o *order, to string, c *courier) {
	switch to {
	case "courier_assigned":
		o.unseen = o.unseen && o.courier == c.id // another one sees it as it is
		w.changesHands(o, c)
	case "accepted":
		o.courier, o.unseen = "", false
	}
}

// changesHands notes that a courier has an order. One that another courier had may change the sequences of both, which
// the audit log has as well.
func (w *world) changesHands(o *order, c *courier) {
	if o.courier != "" && o.courier != c.id {
		w.skipAudit()
	}
	o.courier = c.id
}

// sequence sets the sequence of a courier's orders, perhaps from an old version.
func (w *world) sequence(t *rapid.T) {
	c := w.courier(t)
	path := "/ops/v1/couriers/" + c.id + "/sequence"
	before := w.operate(t, w.desk, "GET", path, "")
	expect(t, before, 200, "")
	version, _ := before.JSON("version").(float64)
	mine := slices.DeleteFunc(w.open("courier_assigned", "picked_up", "in_transit", "out_for_delivery", "failed"),
		func(o *order) bool { return o.courier != c.id })
	ids := make([]string, len(mine))
	for i, o := range rapid.Permutation(mine).Draw(t, "sequence") {
		ids[i] = fmt.Sprintf("%q", o.id)
	}
	old := rapid.IntRange(0, 2).Draw(t, "an old version") == 0
	if old {
		version++
	}
	answer := w.operate(t, w.desk, "PUT", path,
		fmt.Sprintf(`{"order_ids":[%s],"version":%d}`, strings.Join(ids, ","), int(version)))
	if old {
		expect(t, answer, 409, "conflict")
		return
	}
	expect(t, answer, 200, "")
	w.skipAudit() // an unchanged sequence has no entry
	var got []string
	after := w.operate(t, w.desk, "GET", path, "")
	for i := range after.Len("order_ids") {
		got = append(got, fmt.Sprintf("%q", after.JSON("order_ids", i)))
	}
	if !slices.Equal(got, ids) && len(got)+len(ids) > 0 {
		t.Fatalf("got the sequence %s, want %v", after.Body, ids)
	}
	expect(t, w.operate(t, w.desk, "POST", path+"/proposal", ""), 200, "")
}

// note adds a note to an order, which its record then has.
func (w *world) note(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	expect(t, w.operate(t, w.desk, "POST", "/ops/v1/orders/"+o.id+"/notes", `{"text":"the back door is open"}`), 201, "")
	w.audited("order.noted")
	o.notes++
	record := w.operate(t, w.desk, "GET", "/ops/v1/orders/"+o.id, "")
	expect(t, record, 200, "")
	if record.Len("notes") != o.notes || record.Text("status") != o.status {
		t.Fatalf("got %s, want %d notes and status %s", record.Body, o.notes, o.status)
	}
}

// suspend suspends a partner, whose requests are refused then, and readmits it.
func (w *world) suspend(t *rapid.T) {
	a := w.account(t)
	path := "/ops/v1/partners/" + a.partner.PartnerID
	expect(t, w.operate(t, w.admin, "PATCH", path, `{"suspended":true,"suspended_reason":"unpaid"}`), 200, "")
	w.audited("partner.changed")
	expect(t, w.call(t, a.partner, "GET", "/v1/orders", nil, ""), 403, "forbidden")
	o := w.draft(t, a)
	expect(t, w.call(t, a.partner, "POST", "/v1/orders", o.body, o.key), 403, "forbidden")
	expect(t, w.operate(t, w.admin, "PATCH", path, `{"suspended":false}`), 200, "")
	w.audited("partner.changed")
	expect(t, w.call(t, a.partner, "GET", "/v1/orders", nil, ""), 200, "")
}

// quota lets a partner create no more orders today than it has.
func (w *world) quota(t *rapid.T) {
	a := w.account(t)
	if len(a.orders) == 0 {
		t.Skip("no orders")
	}
	path := "/ops/v1/partners/" + a.partner.PartnerID
	expect(t, w.operate(t, w.admin, "PATCH", path, fmt.Sprintf(`{"orders_per_day":%d}`, len(a.orders))), 200, "")
	w.audited("partner.changed")
	o := w.fresh(t, 0)
	expect(t, w.call(t, a.partner, "POST", "/v1/orders", o.body, o.key), 429, "quota_exceeded")
	expect(t, w.operate(t, w.admin, "PATCH", path, `{"orders_per_day":null}`), 200, "")
	w.audited("partner.changed")
}

// erase removes the recipient's data from an order that has ended.
func (w *world) erase(t *rapid.T) {
	a := w.account(t)
	o := a.order(t)
	ended := func(o *order) bool { return o.status == "delivered" || o.status == "cancelled" }
	if i := slices.IndexFunc(a.orders, ended); i >= 0 && rapid.Bool().Draw(t, "one that has ended") {
		o = a.orders[i]
	}
	answer := w.operate(t, w.admin, "POST", "/ops/v1/partners/"+a.partner.PartnerID+"/erasures",
		fmt.Sprintf(`{"order_ids":[%q]}`, o.id))
	if !ended(o) {
		expect(t, answer, 409, "conflict")
		return
	}
	expect(t, answer, 200, "")
	w.skipAudit()
	o.erased, o.remark = true, ""
	if o.paid != nil {
		o.paid.notes = ""
	}
	if record := w.call(t, a.partner, "GET", "/v1/orders/"+o.id, nil, ""); record.Status != 200 ||
		record.Text("dropoff", "name") == "Alex Martin" {
		t.Fatalf("got %s, want no recipient", record.Body)
	}
}
