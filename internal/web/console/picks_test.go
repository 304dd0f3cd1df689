package console_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPickByScan picks two orders together: a product and then each order is scanned, one of them is short,
// and the other is packed.
func TestPickByScan(t *testing.T) {
	t.Parallel()
	b := newBack(t)
	lamp, items := b.lamps(t, 2)
	first := b.metro.Create(t, testkit.OrderJSON("A-1", items)).Must(t, 201).Text("order_id")
	second := b.metro.Create(t, testkit.OrderJSON("A-2", items)).Must(t, 201).Text("order_id")
	b.metro.Create(t, testkit.OrderJSON("A-3", "")).Must(t, 201)
	v := b.desk.As(t, "warehouse").Visit(t)
	v.Open(t, "/console").Leads(t, "/console/warehouse")
	v.Open(t, "/console/warehouse").Shows(t, 200, "Orders to pick today", "Receive goods", "Choose a partner",
		"Low in stock", "metro", "Lamp")
	list := v.Open(t, "/console/picks?until=all")
	list.Shows(t, 200, "A-1", "A-2", "MTL-1", "Lamp", "2 orders", `value="`+first+`" checked`)
	for _, hidden := range []string{"A-3", "Alex", "5145550100", "Queen"} {
		if strings.Contains(string(list.Body), hidden) {
			t.Errorf("got a list with %q, want only what picking needs", hidden)
		}
	}
	wave := "/console/picks/wave?order_id=" + first + "&order_id=" + second
	v.Open(t, wave).Shows(t, 200, "Pick 2 orders", "4 of 4 units left", "of 5 on the shelf")
	v.Open(t, wave+"&code=none").Shows(t, 200, "No product with “none” is left to pick.", `aria-invalid="true"`)
	scanned := "/console/picks/wave?code=B-Lamp&order_id=" + first + "&order_id=" + second
	form := v.Open(t, scanned)
	form.Shows(t, 200, `action="/console/picks/scan"`, `action="/console/picks/`+first+`"`)

	sent := func(path string, fields ...string) string {
		return string(form.Form(t, path, fields...))
	}
	post := func(path, body string) string {
		t.Helper()
		got := v.Request(t, "POST", path, []byte(body), "Content-Type", "application/x-www-form-urlencoded")
		if got.Status != http.StatusSeeOther {
			t.Fatalf("%s: got status %d, want 303: %s", path, got.Status, got.Body)
		}
		return got.Header.Get("Location")
	}
	if to := post("/console/picks/scan", sent("/console/picks/scan", "scan", "B-9")); to != scanned {
		t.Errorf("got %s, want back to %s", to, scanned)
	}
	v.Open(t, scanned).Shows(t, 200, "No order here matches “B-9”.")
	form = v.Open(t, scanned)
	label := "https://dropyard.example/track/" + first
	if to := post("/console/picks/scan", sent("/console/picks/scan", "scan", label)); to != scanned {
		t.Errorf("got %s after the first order, want the same product for the other: %s", to, scanned)
	}
	form = v.Open(t, scanned)
	form.Shows(t, 200, "Picked 2 for A-1.", "2 of 4 units left")
	post("/console/picks/"+second, sent("/console/picks/"+second, "quantity", "3"))
	v.Open(t, scanned).Shows(t, 200, "Nothing was recorded. At most 2 of product")
	form = v.Open(t, scanned)
	post("/console/picks/"+second, sent("/console/picks/"+second, "quantity", "1"))
	v.Open(t, "/console/picks?state=short&until=all").Shows(t, 200, "A-2", "Short")
	b.desk.Visit(t).Open(t, "/console/orders?attention=short_pick").Shows(t, 200, "A-2", "Short pick")

	v.Open(t, "/console/picks/list?order_id="+first+"&order_id="+second).
		Shows(t, 200, "Pick list: 2 orders", "Lamp", "MTL-1")
	labels := v.Open(t, "/console/picks/labels?format=pdf&order_id="+first).Must(t, 200)
	if !strings.HasPrefix(string(labels.Body), "%PDF") {
		t.Errorf("got no PDF of labels")
	}
	picked := v.Open(t, "/console/picks?state=picked&until=all")
	picked.Shows(t, 200, "A-1", "To pack")
	v.Send(t, picked, "/console/picks/pack", "scan", "A-1").Leads(t, "/console/picks?state=picked&until=all")
	v.Open(t, "/console/picks?state=packed&until=all").Shows(t, 200, "A-1 is packed and ready for the courier.", "Ready")
	desk := b.desk.Visit(t)
	desk.Open(t, "/console/orders/"+second).Shows(t, 200, "Picking", "MTL-1", "1 of 2", "Short")
	desk.Open(t, "/console/orders/"+first).Shows(t, 200, "2 of 2", "Ready", "warehouse@example.com")
	if got := b.quantity(t, lamp); got != "1" {
		t.Errorf("got %s lamps, want 1: picking moves no stock", got)
	}
	v.Open(t, "/console/picks/wave").Leads(t, "/console/picks")
	for _, refused := range []string{"dispatcher", "courier"} {
		b.desk.As(t, refused).Visit(t).Open(t, "/console/picks").Must(t, http.StatusForbidden)
	}
}
