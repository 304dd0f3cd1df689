package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

func pick(t *testing.T, by *apptest.Operator, orderID, body string, headers ...string) *apptest.Answer {
	t.Helper()
	headers = append(headers, "Authorization", "Bearer "+by.Token, "Content-Type", "application/json")
	return by.Do(t, "POST", "/ops/v1/orders/"+orderID+"/picks", []byte(body), headers...)
}

// picks lists the orders to pick, as "A-1 to_pick MTL-1 0/3".
func picks(t *testing.T, by *apptest.Operator, query string) (all []string) {
	t.Helper()
	got := by.Call(t, "GET", "/ops/v1/picks"+query, nil).Must(t, 200)
	for i := range got.Len("picks") {
		text := got.Text("picks", i, "partner_order_id") + " " + got.Text("picks", i, "state")
		for j := range got.Len("picks", i, "lines") {
			text += fmt.Sprintf(" %s %v/%v", got.Text("picks", i, "lines", j, "location"),
				got.JSON("picks", i, "lines", j, "picked"), got.JSON("picks", i, "lines", j, "quantity"))
		}
		all = append(all, text)
	}
	return all
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// reasons returns the orders that need attention because of a short pick.
func (f floor) reasons(t *testing.T) []string {
	t.Helper()
	var found []string
	got := f.operator.Call(t, "GET", "/ops/v1/orders?attention=short_pick", nil).Must(t, 200)
	for i := range got.Len("orders") {
		found = append(found, got.Text("orders", i, "partner_order_id"))
	}
	counted := f.operator.Call(t, "GET", "/ops/v1/attention", nil).Must(t, 200)
	if counted.JSON("reasons", "short_pick") != float64(len(found)) {
		t.Errorf("got %s, want %d orders with a short pick", counted.Body, len(found))
	}
	return found
}

// TestPicking picks an order from two locations, short at first. Its stock does not change with it.
func TestPicking(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	warehouse := f.operator.As(t, "warehouse")
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 5, "TOR-1": 2})
	items := fmt.Sprintf(`[{"product_id":%d,"quantity":6}]`, lamp)
	id := f.partner.Create(t, testkit.OrderJSON("A-1", items)).Must(t, 201).Text("order_id")
	other := f.partner.Create(t, testkit.OrderJSON("A-2", "")).Must(t, 201).Text("order_id")
	same(t, "to pick", picks(t, warehouse, ""), "A-1 to_pick MTL-1 0/5 TOR-1 0/1")
	same(t, "at Toronto", picks(t, warehouse, "?location=TOR-1"), "A-1 to_pick TOR-1 0/1")
	same(t, "elsewhere", picks(t, warehouse, "?location=HUB-1"))
	same(t, "before its window", picks(t, warehouse, "?until=2020-01-01T00:00:00Z"))
	line := func(location string, quantity int) string {
		return fmt.Sprintf(`{"location":%q,"lines":[{"product_id":%d,"quantity":%d}]}`, location, lamp, quantity)
	}
	for field, body := range map[string]string{
		"lines":               `{"location":"MTL-1"}`,
		"location":            fmt.Sprintf(`{"lines":[{"product_id":%d,"quantity":1}]}`, lamp),
		"lines[0].quantity":   line("MTL-1", 6),
		"lines[0].product_id": line("HUB-1", 1),
	} {
		refused := pick(t, warehouse, id, body).Refused(t, 422, "validation_error")
		if got := refused.Text("error", "details", "field"); got != field {
			t.Errorf("%s: got field %s, want %s", body, got, field)
		}
	}
	pick(t, warehouse, other, line("MTL-1", 1)).Refused(t, 409, "conflict")
	pick(t, warehouse, id, `{"packed":true}`).Refused(t, 409, "conflict")

	const key = "3f8e1f0a-5a44-4a5e-9a27-53a1f3c0b7d1"
	short := pick(t, warehouse, id, line("MTL-1", 3), "Idempotency-Key", key).Must(t, 200)
	if short.Text("state") != "short" || strings.Contains(string(short.Body), "Alex") || short.JSON("version") != 2.0 {
		t.Errorf("got %s, want a short pick without the recipient", short.Body)
	}
	again := pick(t, warehouse, id, line("MTL-1", 3), "Idempotency-Key", key).Must(t, 200)
	if string(again.Body) != string(short.Body) {
		t.Errorf("got %s after a repetition, want %s", again.Body, short.Body)
	}
	same(t, "needs attention", f.reasons(t), "A-1")
	same(t, "short", picks(t, warehouse, "?state=short"), "A-1 short MTL-1 3/5 TOR-1 0/1")
	same(t, "still to pick", picks(t, warehouse, ""), "A-1 short MTL-1 3/5 TOR-1 0/1")

	pick(t, warehouse, id, line("MTL-1", 2)).Must(t, 200)
	same(t, "needs no attention", f.reasons(t))
	pick(t, warehouse, id, strings.Replace(line("TOR-1", 1), "{", `{"packed":true,`, 1)).Must(t, 200)
	same(t, "nothing left", picks(t, warehouse, ""))
	same(t, "packed", picks(t, warehouse, "?state=packed"), "A-1 packed MTL-1 5/5 TOR-1 1/1")
	same(t, "picked, not packed", picks(t, warehouse, "?state=picked"))
	pick(t, warehouse, id, line("TOR-1", 1)).Refused(t, 422, "validation_error")
	if got := f.quantity(t, lamp); got != "1" {
		t.Errorf("got %s lamps, want 1: picking moves no stock", got)
	}
	f.operator.Move(t, id, "accepted").Must(t, 200)
	move(t, f.operator, id, `{"status":"courier_assigned","courier_id":"`+f.rider(t, "noor").CourierID+`"}`).Must(t, 200)
	f.operator.Move(t, id, "picked_up").Must(t, 200)
	same(t, "with the courier", picks(t, warehouse, "?state=packed"))
	pick(t, warehouse, id, `{"packed":true}`).Refused(t, 409, "conflict")
}

// TestEditBeginsPickingAgain edits the items of an order that is picked.
func TestEditBeginsPickingAgain(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	warehouse := f.operator.As(t, "warehouse")
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 9})
	edit := func(id string, quantity int) {
		t.Helper()
		f.operator.Call(t, "PATCH", "/ops/v1/orders/"+id,
			fmt.Appendf(nil, `{"reason":"by phone","items":[{"product_id":%d,"quantity":%d}]}`, lamp, quantity)).Must(t, 200)
	}
	id := f.partner.Create(t, testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":3}]`, lamp))).
		Must(t, 201).Text("order_id")
	pick(t, warehouse, id, fmt.Sprintf(`{"location":"MTL-1","lines":[{"product_id":%d,"quantity":2}]}`, lamp)).Must(t, 200)
	same(t, "short", f.reasons(t), "A-1")
	edit(id, 2)
	same(t, "fewer are enough", f.reasons(t))
	pick(t, warehouse, id, `{"packed":true}`).Must(t, 200)
	edit(id, 4)
	same(t, "more are wanted", picks(t, warehouse, ""), "A-1 to_pick MTL-1 2/4")
	edit(id, 1)
	same(t, "fewer than were picked", picks(t, warehouse, ""), "A-1 to_pick MTL-1 0/1")
	f.operator.Move(t, id, "cancelled").Must(t, 200)
	same(t, "cancelled", picks(t, warehouse, ""))
}
