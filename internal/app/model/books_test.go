package model_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"pgregory.net/rapid"
)

// beginBooks has all that happens charged, by a rate card that charges for everything that can be.
func beginBooks(t *testing.T, admin *apptest.Operator) {
	t.Helper()
	admin.Charge(t, `"attempt_cents": 300, "return_cents": 450, "late_cancellation_cents": 400`)
	firm := `{"name":"Plateau","numbers":{"gst_hst":"123456789 RT0001"}}`
	admin.Call(t, "PUT", "/ops/v1/firm", []byte(firm)).Must(t, 200)
	admin.Call(t, "PATCH", "/ops/v1/books", []byte(`{"books_from":"2020-01-01"}`)).Must(t, 200)
}

// charges returns the acts that an order was to be charged for, sorted.
func (o *order) charges() (acts []string) {
	attempts := 0
	for _, status := range o.history {
		if status == "out_for_delivery" {
			attempts++
		}
	}
	for range attempts - 1 {
		acts = append(acts, "attempt")
	}
	cancelled := o.status == "cancelled"
	switch {
	case o.status == "delivered", cancelled && o.pickedUp():
		acts = append(acts, "delivery")
	case cancelled && slices.Contains([]string{"courier_assigned", "failed"}, o.history[len(o.history)-2]):
		acts = append(acts, "late_cancellation")
	}
	if cancelled && o.pickedUp() && !o.due && o.origin == nil {
		acts = append(acts, "return")
	}
	return acts
}

// compareBooks compares the entries of an account with the model: what its orders were charged for, and what was
// collected.
func (w *world) compareBooks(t *rapid.T, a *account) {
	acts, ofCash, all := map[string][]string{}, map[string]int64{}, map[string]int64{}
	found := w.operate(t, w.books, "GET", "/ops/v1/journal?limit=500&partner_id="+a.partner.PartnerID, "")
	expect(t, found, 200, "")
	for i := range found.Len("entries") {
		act := found.Text("entries", i, "act")
		for j := range found.Len("entries", i, "lines") {
			account := found.Text("entries", i, "lines", j, "account")
			cents, _ := found.JSON("entries", i, "lines", j, "amount_cents").(float64)
			if all[account] += int64(cents); act != "payment" {
				ofCash[account] += int64(cents)
			}
		}
		if slices.Contains([]string{"adjustment", "payment", "hand_in", "deposit", "remittance"}, act) {
			continue // about no order
		}
		id := found.Text("entries", i, "order_id")
		acts[id] = append(acts[id], act)
	}
	for _, o := range a.orders {
		want := append(o.charges(), o.acts...)
		slices.Sort(acts[o.id])
		if slices.Sort(want); fmt.Sprint(acts[o.id]) != fmt.Sprint(want) {
			t.Fatalf("got the acts %s of the order %s %v, want %s", acts[o.id], o.id, o.history, want)
		}
		delete(acts, o.id)
	}
	if len(acts) > 0 {
		t.Fatalf("got acts %v of other orders", acts)
	}
	w.compareSums(t, a, ofCash, all)
}
