package app_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestOrderLife goes from registration to a delivered order, as the README does.
func TestOrderLife(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3, "TOR-1": 5})

	quote := partner.Call(t, "POST", "/v1/rates/quote", testkit.OrderJSON("ignored", "")).Must(t, 200)
	order := partner.Create(t, testkit.OrderJSON("A-1", fmt.Sprintf(`[{"product_id":%d,"quantity":6}]`, lamp))).Must(t,
		201)
	if order.JSON("rate_cents") != quote.JSON("rate_cents") || order.Text("status") != "pending" {
		t.Errorf("order: got %s, want the rate of the quote %s and status pending", order.Body, quote.Body)
	}
	id := order.Text("order_id")

	path := []string{"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered"}
	for _, status := range path {
		operator.Move(t, id, status).Must(t, 200)
	}
	got := partner.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, 200)
	var states []string
	for i := 0; got.JSON("status_history", i) != nil; i++ {
		states = append(states, got.Text("status_history", i, "status"))
	}
	if want := append([]string{"pending"}, path...); !slices.Equal(states, want) {
		t.Errorf("history: got %v, want %v", states, want)
	}
	if got.Text("courier", "name") != "Camille Tremblay" || got.Text("status") != "delivered" {
		t.Errorf("order: got %s, want it delivered by Camille Tremblay", got.Body)
	}
	tracked := service.Do(t, "GET", "/track/"+id, nil).Must(t, 200)
	if tracked.Text("status") != "delivered" || tracked.Text("courier", "first_name") != "Camille" ||
		tracked.Text("destination", "city") != "Toronto" {
		t.Errorf("tracking: got %s, want it delivered by Camille in Toronto", tracked.Body)
	}
	partner.Cancel(t, id, "too late").Must(t, 409)
	list := partner.Call(t, "GET", "/v1/orders?status=delivered", nil).Must(t, 200)
	if list.JSON("count") != 1.0 || list.Text("orders", 0, "order_id") != id {
		t.Errorf("list: got %s, want order %s", list.Body, id)
	}
}

// TestCancelReturnsStock cancels an order. Its units return to where they were.
func TestCancelReturnsStock(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3, "TOR-1": 5})
	body := testkit.OrderJSON("A-1",
		fmt.Sprintf(`[{"product_id":%d,"quantity":2},{"product_id":%d,"quantity":5}]`, lamp, lamp))

	order := partner.Create(t, body).Must(t, 201)
	if left := partner.Call(t, "GET", "/v1/inventory/products", nil); left.JSON("products", 0, "quantity") != 1.0 {
		t.Errorf("after ordering: got %s, want 1 unit left", left.Body)
	}
	short := partner.Create(t, testkit.OrderJSON("A-2", fmt.Sprintf(`[{"product_id":%d,"quantity":2}]`, lamp))).Must(t,
		422)
	if short.Code() != "insufficient_stock" || short.JSON("error", "details", "items", 0, "available") != 1.0 {
		t.Errorf("shortage: got %s, want insufficient_stock, 1 available", short.Body)
	}
	cancelled := partner.Cancel(t, order.Text("order_id"), "changed my mind").Must(t, 200)
	if cancelled.Text("status") != "cancelled" || cancelled.Text("cancellation_reason") != "changed my mind" ||
		cancelled.Text("cancelled_at") == "" {
		t.Errorf("cancel: got %s, want status cancelled, the reason and the time", cancelled.Body)
	}
	if left := partner.Call(t, "GET", "/v1/inventory/products", nil); left.JSON("products", 0, "quantity") != 8.0 {
		t.Errorf("after cancelling: got %s, want 8 units left", left.Body)
	}
	sums := map[string]float64{}
	moves := partner.Call(t, "GET", "/v1/inventory/movements", nil).Must(t, 200)
	for i := 0; moves.JSON("movements", i) != nil; i++ {
		quantity, _ := moves.JSON("movements", i, "quantity").(float64)
		if moves.Text("movements", i, "type") == "OUT" {
			quantity = -quantity
		}
		sums[moves.Text("movements", i, "location")] += quantity
	}
	if sums["MTL-1"] != 3 || sums["TOR-1"] != 5 {
		t.Errorf("ledger: got %v, want 3 in MTL-1 and 5 in TOR-1: %s", sums, moves.Body)
	}
}

// TestRetryReplaysResponse repeats a request under its key.
func TestRetryReplaysResponse(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	key, body := uuid.NewString(), testkit.OrderJSON("A-1", "")

	first := partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	again := partner.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", key).Must(t, 201)
	if string(first.Body) != string(again.Body) || again.Header.Get("Idempotent-Replayed") != "true" ||
		first.Header.Get("Idempotent-Replayed") != "" {
		t.Errorf("replay: got %v %s\nwant %s", again.Header, again.Body, first.Body)
	}
	other := partner.Call(t, "POST", "/v1/orders", testkit.OrderJSON("A-2", ""), "Idempotency-Key", key).Must(t, 422)
	if other.Code() != "idempotency_key_reused" {
		t.Errorf("another body: got %s, want idempotency_key_reused", other.Body)
	}
	if duplicate := partner.Create(t, body).Must(t, 409); duplicate.Code() != "conflict" {
		t.Errorf("another key: got %s, want conflict", duplicate.Body)
	}
}
