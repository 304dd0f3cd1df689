package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// edit sends an edit of a partner's order under a new key.
func edit(t *testing.T, p *apptest.Partner, orderID, patch string, headers ...string) *apptest.Answer {
	t.Helper()
	return p.Call(t, "PATCH", "/v1/orders/"+orderID, []byte(patch),
		append([]string{"Idempotency-Key", uuid.NewString(), "Content-Type", "application/merge-patch+json"}, headers...)...)
}

// TestEditOfAnOrder edits an order that waits: the record, the price, what is shown elsewhere
// and the event are those of the edited order, and the answers to earlier requests stay.
func TestEditOfAnOrder(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	body := testkit.OrderJSON("E-1", "")
	key := uuid.NewString()
	created := p.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	id := created.Text("order_id")

	edited := edit(t, p, id,
		`{"dropoff":{"phone":"+14165550199","address":{"line2":null}},"metadata":{ "a":null,"b" : 1.0 }}`).
		Must(t, 200)
	if edited.Text("dropoff", "phone") != "+14165550199" || edited.JSON("dropoff", "address", "line2") != nil ||
		edited.JSON("version") != 2.0 || edited.JSON("rate_change_cents") != 0.0 ||
		edited.JSON("rate_cents") != created.JSON("rate_cents") ||
		edited.Text("estimated_delivery") != created.Text("estimated_delivery") ||
		!strings.Contains(string(edited.Body), `"metadata":{ "a":null,"b" : 1.0 }`) {
		t.Errorf("got %s, want the edited order at the same price", edited.Body)
	}
	if got := edited.JSON("changes", 0,
		"fields"); !equalJSON(got, []any{"dropoff.address.line2", "dropoff.phone", "metadata"}) {
		t.Errorf("got the fields %v", got)
	}
	read := p.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
	if read.Text("dropoff", "phone") != "+14165550199" || read.JSON("version") != 2.0 ||
		read.Text("changes", 0, "by") != "partner" || read.JSON("rate_change_cents") != nil {
		t.Errorf("read: got %s", read.Body)
	}
	listed := p.Call(t, "GET", "/v1/orders?partner_order_id=E-1", nil).Must(t, 200)
	if listed.Text("orders", 0, "dropoff", "phone") != "+14165550199" || listed.JSON("orders", 0, "version") != nil {
		t.Errorf("list: got %s", listed.Body)
	}
	again := p.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	if string(again.Body) != string(created.Body) || again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the creation again: got %s, want %s", again.Body, created.Body)
	}

	if same := edit(t, p, id, `{"dropoff":{"phone":"+14165550199"},"order_id":"ignored"}`).Must(t,
		200); same.JSON("version") != 2.0 {
		t.Errorf("an edit that changes nothing: got %s, want version 2", same.Body)
	}
	heavier := edit(t, p, id,
		`{"parcels":[{"parcel_id":"P-1","description":"Anvil","length_cm":30,"width_cm":30,"height_cm":30,`+
			`"weight_kg":40,"value_cents":100}]}`, "If-Match", `"2"`).Must(t, 200)
	change, _ := heavier.JSON("rate_change_cents").(float64)
	before, _ := created.JSON("rate_cents").(float64)
	fresh := p.Create(t,
		[]byte(strings.NewReplacer(`"E-1"`, `"E-2"`).Replace(string(mergedBody(t, body, heavier.Body))))).Must(t, 201)
	if change == 0 || heavier.JSON("rate_cents") != before+change ||
		heavier.JSON("rate_cents") != fresh.JSON("rate_cents") ||
		heavier.Text("estimated_delivery") != fresh.Text("estimated_delivery") {
		t.Errorf("got %s, want the price of a new order: %s", heavier.Body, fresh.Body)
	}
	if stale := edit(t, p, id, `{"reference":"x"}`, "If-Match", `"2"`); stale.Code() != "conflict" ||
		stale.JSON("error", "details", "version") != 3.0 {
		t.Errorf("a stale version: got %d %s, want a conflict", stale.Status, stale.Body)
	}
	for patch, want := range map[string]string{
		`{"dropoff":{"phone":null}}`: "validation_error", `{"partner_order_id":"other"}`: "order_not_editable",
		`{"dropoff":{"phone":"no"}}`: "validation_error", `[]`: "validation_error",
		`{"items":[{"product_id":9,"quantity":1}]}`: "validation_error",
	} {
		if got := edit(t, p, id, patch); got.Code() != want {
			t.Errorf("%s: got %d %s, want %s", patch, got.Status, got.Body, want)
		}
	}
	if read := p.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200); read.JSON("version") != 3.0 {
		t.Errorf("after refused edits: got %s, want version 3", read.Body)
	}
	events := p.Call(t, "GET", "/v1/webhooks/events?order_id="+id, nil).Must(t, 200)
	if events.Len("events") != 2 || events.Text("events", 0, "type") != "order.updated" {
		t.Errorf("got %s, want two events order.updated", events.Body)
	}
}

// TestEditByStage follows the table of who may edit what, and until when.
func TestEditByStage(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, o := s.Register(t, "metro"), s.Operate(t)
	id := p.Create(t, testkit.OrderJSON("E-1", "")).Must(t, 201).Text("order_id")
	patches := map[string]string{
		"service": `{"service_level":"standard"}`, "pickup name": `{"pickup":{"name":"Dock 2"}}`,
		"street": `{"dropoff":{"address":{"line1":"9 Bay St"}}}`, "city": `{"dropoff":{"address":{"city":"Ottawa"}}}`,
		"name": `{"dropoff":{"name":"Sam"}}`, "cod": `{"cod":{"amount_cents":100,"currency":"CAD"}}`,
		"reference": `{"reference":"R"}`,
	}
	refused := func(by string, try func(patch string) *apptest.Answer, want ...string) {
		t.Helper()
		for name, patch := range patches {
			got := try(patch)
			isRefused := false
			for _, field := range want {
				isRefused = isRefused || field == name
			}
			if isRefused != (got.Code() == "order_not_editable") || !isRefused && got.Status != 200 {
				t.Errorf("%s edits %s: got %d %s, want refused %t", by, name, got.Status, got.Body, isRefused)
			}
		}
	}
	var round int
	numbered := func(patch string) string { // another value each time
		round++
		return strings.NewReplacer("Dock 2", "Dock 2"+strings.Repeat("i", round), "9 Bay",
			"9"+strings.Repeat("9", round)+" Bay", "Sam", "Sam"+strings.Repeat("m", round), `"R"`,
			`"R`+strings.Repeat("r", round)+`"`, ":100,", fmt.Sprintf(":%d,", 100+round), "Ottawa",
			"Ottawa"+strings.Repeat("a", round)).Replace(patch)
	}
	partner := func(patch string) *apptest.Answer { return edit(t, p, id, numbered(patch)) }
	desk := func(patch string) *apptest.Answer {
		return o.Call(t, "PATCH", "/ops/v1/orders/"+id, []byte(`{"reason":"by phone",`+numbered(patch)[1:]))
	}
	o.Move(t, id, "accepted").Must(t, 200)
	o.Move(t, id, "courier_assigned").Must(t, 200)
	refused("partner, assigned", partner, "service", "city", "cod")
	refused("desk, assigned", desk, "service")
	o.Move(t, id, "picked_up").Must(t, 200)
	refused("partner, picked up", partner, "service", "pickup name", "street", "city", "cod")
	refused("desk, picked up", desk, "service", "pickup name")
	o.Move(t, id, "out_for_delivery").Must(t, 200)
	move(t, o, id, paid(100, "cash", "the recipient had no more")).Must(t, 200)
	refused("partner, delivered", partner, "service", "pickup name", "street", "city", "name", "cod")
	refused("desk, delivered", desk, "service", "pickup name", "street", "city", "name", "cod")
	if got := o.Call(t, "PATCH", "/ops/v1/orders/"+id,
		[]byte(`{"reference":"z"}`)); got.Status != http.StatusUnprocessableEntity {
		t.Errorf("an edit by the desk without a reason: got %d %s, want 422", got.Status, got.Body)
	}
	if got := o.As(t, "courier").Call(t, "PATCH", "/ops/v1/orders/"+id,
		[]byte(`{"reason":"x"}`)); got.Status != http.StatusForbidden {
		t.Errorf("an edit by a courier: got %d, want 403", got.Status)
	}
}

// TestEditedItems moves stock by the difference, all or nothing.
func TestEditedItems(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, o := s.Register(t, "metro"), s.Operate(t)
	lamp := o.Stock(t, p.PartnerID, "Lamp", map[string]int{"A": 3, "B": 2})
	desk := o.Stock(t, p.PartnerID, "Desk", map[string]int{"A": 1})
	left := func(product int) any {
		list := p.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
		for i := range list.Len("products") {
			if list.JSON("products", i, "product_id") == float64(product) {
				return list.JSON("products", i, "quantity")
			}
		}
		return nil
	}
	items := func(lines ...[2]int) string {
		var all []map[string]int
		for _, line := range lines {
			all = append(all, map[string]int{"product_id": line[0], "quantity": line[1]})
		}
		text, _ := json.Marshal(map[string]any{"items": all})
		return string(text)
	}
	one, _ := json.Marshal([]map[string]int{{"product_id": lamp, "quantity": 1}})
	id := p.Create(t, testkit.OrderJSON("E-1", string(one))).Must(t, 201).Text("order_id")
	want := func(what string, lamps, desks float64) {
		t.Helper()
		if left(lamp) != lamps || left(desk) != desks {
			t.Errorf("%s: got %v lamps and %v desks left, want %v and %v", what, left(lamp), left(desk), lamps, desks)
		}
	}
	want("created", 4, 1)
	edit(t, p, id, items([2]int{lamp, 5}, [2]int{desk, 1})).Must(t, 200)
	want("more", 0, 0)
	if got := edit(t, p, id, items([2]int{lamp, 6}, [2]int{desk, 1})); got.Code() != "insufficient_stock" ||
		got.JSON("error", "details", "items", 0, "available") != 5.0 {
		t.Errorf("too many: got %d %s", got.Status, got.Body)
	}
	want("refused", 0, 0)
	edit(t, p, id, items([2]int{desk, 1})).Must(t, 200)
	want("fewer", 5, 0)
	p.Cancel(t, id, "").Must(t, 200)
	want("cancelled", 5, 1)
}

// mergedBody returns the request of an order with the parcels of another's record.
func mergedBody(t *testing.T, request, record []byte) []byte {
	t.Helper()
	var order, edited map[string]any
	if err := json.Unmarshal(request, &order); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(record, &edited); err != nil {
		t.Fatal(err)
	}
	order["parcels"] = []any{map[string]any{
		"parcel_id": "P-1", "description": "Anvil", "length_cm": 30, "width_cm": 30, "height_cm": 30, "weight_kg": 40,
		"value_cents": 100,
	}}
	merged, err := json.Marshal(order)
	if err != nil {
		t.Fatal(err)
	}
	return merged
}

func equalJSON(a, b any) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// TestEditBesideARequest edits an order for which a cancellation is requested, and one that was cancelled so after its
// pickup: single reads show all that has happened.
func TestEditBesideARequest(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "asked", delivery.StatusPickedUp)
	f.partner.Call(t, "POST", "/v1/orders/"+id+"/cancellation-request", []byte(`{"reason":"Sold out"}`),
		"Idempotency-Key", uuid.NewString()).Must(t, 202)
	edit(t, f.partner, id, `{"reference":"one"}`).Must(t, 200)
	if read := f.read(t, id); read.Text("reference") != "one" ||
		read.Text("cancellation_request", "state") != "requested" {
		t.Errorf("got %s, want the edit and the request", read.Body)
	}
	f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/cancellation-request/answer", []byte(`{"grant":true}`)).Must(t, 200)
	edited := edit(t, f.partner, id, `{"reference":"two"}`).Must(t, 200)
	read := f.read(t, id)
	if read.Text("reference") != "two" || read.Text("cancellation_request", "state") != "granted" ||
		read.Text("return", "state") != "due" {
		t.Errorf("got %s, want the edit, the request and what is due back", read.Body)
	}
	if got, want := string(read.Body), strings.Replace(string(edited.Body), `,"rate_change_cents":0`, "", 1); got != want {
		t.Errorf("got %s, want what the edit answered, %s", got, want)
	}
}
