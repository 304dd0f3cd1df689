package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/google/uuid"
)

// request is one that is sent again later.
type sentOnce struct {
	method, target, key string
	body, answer        []byte
}

// TestRandomEdits edits, moves and cancels a few orders at random. After each step the orders
// hold what left the shelf, the movements of a product add up to its quantity, the price of the
// last order that was priced is that of a new one, a refused edit has changed nothing, and an earlier
// request gets its first answer, byte for byte.
func TestRandomEdits(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, o := s.Register(t, "metro"), s.Operate(t)
	const stocked = 20
	products := []int{
		o.Stock(t, p.PartnerID, "Lamp",
			map[string]int{"A": 15, "B": 5}), o.Stock(t, p.PartnerID, "Desk", map[string]int{"A": stocked}),
	}
	random := repeatable.Rand(t)
	var sent []sentOnce
	call := func(method, target string, body []byte) *apptest.Answer {
		key := uuid.NewString()
		answer := p.Call(t, method, target, body, "Idempotency-Key", key)
		if answer.Status < 300 {
			sent = append(sent, sentOnce{method, target, key, body, answer.Body})
		}
		return answer
	}
	items := func() string {
		var lines []string
		for _, product := range products {
			if n := random.IntN(9); n > 0 {
				lines = append(lines, fmt.Sprintf(`{"product_id":%d,"quantity":%d}`, product, n))
			}
		}
		return "[" + strings.Join(lines, ",") + "]"
	}
	var ids []string
	for step := range 60 {
		if len(ids) < 4 {
			if created := call("POST", "/v1/orders",
				testkit.OrderJSON(fmt.Sprintf("R-%d", step), items())); created.Status == 201 {
				ids = append(ids, created.Text("order_id"))
			}
			continue
		}
		id := ids[random.IntN(len(ids))]
		before := p.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
		switch random.IntN(8) {
		case 0:
			o.Move(t, id, []string{"accepted", "courier_assigned"}[random.IntN(2)])
		case 1:
			if cancelled := call("POST", "/v1/orders/"+id+"/cancel", []byte(`{}`)); cancelled.Status == 200 {
				ids = append(ids[:0], lessOne(ids, id)...)
			}
		default:
			patch := []string{
				`{"items":` + items() + `}`, `{"items":` + items() + `,"cod":{"amount_cents":` +
					fmt.Sprint(random.IntN(90000)) + `,"currency":"CAD"}}`,
				`{"service_level":"` + []string{"standard", "express"}[random.IntN(2)] + `"}`,
				`{"dropoff":{"phone":"+1416555` + fmt.Sprintf("%04d", random.IntN(10000)) + `","address":{"postal_code":"` +
					[]string{"M5H 2N2", "V6B 1A1", "H2X 1Y4"}[random.IntN(3)] + `"}}}`,
				`{"dropoff":{"phone":""}}`, `{"metadata":{ "n":` + fmt.Sprint(random.IntN(3)) + `.0 }}`,
			}[random.IntN(6)]
			edited := call("PATCH", "/v1/orders/"+id, []byte(patch))
			after := p.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
			switch {
			case edited.Status != 200 && !bytes.Equal(after.Body, before.Body):
				t.Fatalf("step %d: a refused edit %s has changed the order: got %s, want %s", step, patch, after.Body, before.Body)
			case edited.Status == 200 && edited.JSON("rate_cents") != before.JSON("rate_cents"):
				if want := freshRate(t, p, after); edited.JSON("rate_cents") != want {
					t.Fatalf("step %d: got the price %v after %s, want that of a new order, %v", step, edited.JSON("rate_cents"),
						patch, want)
				}
			}
		}
		again := sent[random.IntN(len(sent))]
		replay := p.Call(t, again.method, again.target, again.body, "Idempotency-Key", again.key)
		if !bytes.Equal(replay.Body, again.answer) {
			t.Fatalf("step %d: %s %s again: got %s, want %s", step, again.method, again.target, replay.Body, again.answer)
		}
		for _, product := range products {
			checkConserved(t, p, product, stocked, step)
		}
	}
}

func lessOne(ids []string, id string) (rest []string) {
	for _, other := range ids {
		if other != id {
			rest = append(rest, other)
		}
	}
	return rest
}

// freshRate returns the price of a new order like another one.
func freshRate(t *testing.T, p *apptest.Partner, order *apptest.Answer) any {
	t.Helper()
	var record map[string]any
	if err := json.Unmarshal(order.Body, &record); err != nil {
		t.Fatal(err)
	}
	for _, parcel := range record["parcels"].([]any) {
		fields := parcel.(map[string]any)
		for side, value := range fields["dimensions"].(map[string]any) {
			fields[side] = value
		}
	}
	delete(record, "items")
	body, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return p.Call(t, "POST", "/v1/rates/quote", body).Must(t, 200).JSON("rate_cents")
}

// checkConserved: what orders hold and what is on the shelf is what there was, and the movements
// add up to what is on the shelf.
func checkConserved(t *testing.T, p *apptest.Partner, product, stocked, step int) {
	t.Helper()
	var held, moved, shelf float64
	orders := p.Call(t, "GET", "/v1/orders?limit=500", nil).Must(t, 200)
	for i := range orders.Len("orders") {
		if orders.Text("orders", i, "status") == "cancelled" {
			continue
		}
		order := p.Call(t, "GET", "/v1/orders/"+orders.Text("orders", i, "order_id"), nil).Must(t, 200)
		for line := range order.Len("items") {
			if order.JSON("items", line, "product_id") == float64(product) {
				quantity, _ := order.JSON("items", line, "quantity").(float64)
				held += quantity
			}
		}
	}
	journal := p.Call(t, "GET", fmt.Sprintf("/v1/inventory/movements?product_id=%d&limit=100", product), nil).Must(t, 200)
	for i := range journal.Len("movements") {
		quantity, _ := journal.JSON("movements", i, "quantity").(float64)
		if journal.Text("movements", i, "type") == "OUT" {
			quantity = -quantity
		}
		moved += quantity
	}
	list := p.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	for i := range list.Len("products") {
		if list.JSON("products", i, "product_id") == float64(product) {
			shelf, _ = list.JSON("products", i, "quantity").(float64)
		}
	}
	if held+shelf != float64(stocked) || journal.Len("movements") < 100 && moved != shelf {
		t.Fatalf("step %d, product %d: got %v held and %v on the shelf, with movements of %v; want %d in all",
			step, product, held, shelf, moved, stocked)
	}
}

// TestEditsAndMovesAtOnce edits an order in several ways while it is moved along: each accepted
// edit has a version of its own and stays, and no move is refused for an edit.
func TestEditsAndMovesAtOnce(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, o := s.Register(t, "metro"), s.Operate(t)
	for round := range 5 {
		id := p.Create(t, testkit.OrderJSON(fmt.Sprintf("A-%d", round), "")).Must(t, 201).Text("order_id")
		moves := []string{"accepted", "courier_assigned", "picked_up", "in_transit"}
		answers := apptest.Together(5, func(i int) *apptest.Answer {
			if i > 0 {
				return edit(t, p, id, fmt.Sprintf(`{"reference":"by %d","instructions":"by %d"}`, i, i))
			}
			for _, status := range moves {
				o.Move(t, id, status).Must(t, 200)
			}
			return nil
		})
		read := p.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
		versions := map[any]bool{}
		for _, answer := range answers[1:] {
			answer.Must(t, 200)
			versions[answer.JSON("version")] = true
		}
		if len(versions) != 4 || read.Len("changes") != 4 || read.JSON("version") != float64(1+len(moves)+4) ||
			read.Len("status_history") != 1+len(moves) || read.Text("reference") != read.Text("instructions") {
			t.Errorf("got versions %v and %s, want each edit and move once", versions, read.Body)
		}
	}
}
