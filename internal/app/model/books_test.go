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

// compareBooks compares what the orders of an account were charged for with the model.
func (w *world) compareBooks(t *rapid.T, a *account) {
	charged := map[string][]string{}
	found := w.operate(t, w.books, "GET", "/ops/v1/journal?limit=500&partner_id="+a.partner.PartnerID, "")
	expect(t, found, 200, "")
	for i := range found.Len("entries") {
		if slices.Contains([]string{"adjustment", "payment"}, found.Text("entries", i, "act")) {
			continue // posted by hand, see requests
		}
		id := found.Text("entries", i, "order_id")
		charged[id] = append(charged[id], found.Text("entries", i, "act"))
	}
	for _, o := range a.orders {
		slices.Sort(charged[o.id])
		if got, want := fmt.Sprint(charged[o.id]), fmt.Sprint(o.charges()); got != want {
			t.Fatalf("got the charges %s for the order %s %v, want %s", got, o.id, o.history, want)
		}
		delete(charged, o.id)
	}
	if len(charged) > 0 {
		t.Fatalf("got charges %v of other orders", charged)
	}
}
