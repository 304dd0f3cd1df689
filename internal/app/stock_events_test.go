package app_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// nameEvents sets which events the first endpoint of a partner takes.
func nameEvents(t *testing.T, partner *apptest.Partner, events string) {
	t.Helper()
	partner.Call(t, "PATCH", "/v1/webhooks/endpoints/first", fmt.Appendf(nil, `{"events":%s}`, events)).Must(t, 200)
}

// TestStockEvents moves stock by orders and in the warehouse: an endpoint gets the events that it names, in the order
// of the product, and lists have what was recorded.
func TestStockEvents(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.Webhooks())
	partner := service.Register(t, "metro")
	operator := service.Operate(t)
	lamp := operator.Stock(t, partner.PartnerID, "Lamp", map[string]int{"MTL-1": 8}) // its stock_min is 5
	receiver := apptest.NewReceiver(t)
	partner.SetEndpoint(t, receiver.URL)
	listed := func() (types []string) {
		t.Helper()
		all := partner.Call(t, "GET", "/v1/webhooks/events", nil).Must(t, 200)
		for i := range all.Len("events") {
			if all.JSON("events", i, "order_id") != nil {
				t.Errorf("got %s, want events without an order", all.Body)
			}
			types = append(types, fmt.Sprint(all.Text("events", i, "type"), " ", all.JSON("events", i, "sequence")))
		}
		slices.Reverse(types)
		return types
	}
	next := func(kind string, sequence float64, data map[string]any) {
		t.Helper()
		event := receiver.Next(t)
		if event.Text("type") != kind || event.JSON("sequence") != sequence {
			t.Errorf("got %s, want %s %v", event.Body, kind, sequence)
		}
		for name, want := range data {
			if got := event.JSON("data", name); got != want {
				t.Errorf("%s: got %s %v, want %v", kind, name, got, want)
			}
		}
	}

	order := partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, 3))).Must(t, 201)
	if got := listed(); !slices.Equal(got, []string{"stock.low 1"}) {
		t.Errorf("got %v, want the event that no endpoint names", got)
	}
	nameEvents(t, partner, `["stock.low","stock.changed"]`)
	partner.Create(t, testkit.OrderJSON("A-2", buying(lamp, 1))).Must(t, 201) // it stays low
	next("stock.changed", 2, map[string]any{
		"product_id": float64(lamp), "name": "Lamp", "location": "MTL-1", "quantity": 4.0, "change": -1.0, "total": 4.0,
		"movement_id": 3.0, "type": "OUT",
	})
	partner.Cancel(t, order.Text("order_id"), "test").Must(t, 200)
	next("stock.changed", 3, map[string]any{
		"quantity": 7.0, "change": 3.0, "type": "IN", "order_id": order.Text("order_id"),
	})
	base := "/ops/v1/partners/" + partner.PartnerID
	movements, product := base+"/movements", base+"/products/"
	operator.Call(t, "POST", movements, fmt.Appendf(nil,
		`{"type":"TRANSFER","product_id":%d,"quantity":7,"location":"MTL-1","to_location":"TOR-1"}`, lamp)).Must(t, 201)
	next("stock.changed", 4, map[string]any{
		"location": "MTL-1", "quantity": 0.0, "total": 0.0, "change": -7.0, "order_id": nil,
	})
	next("stock.changed", 5, map[string]any{"location": "TOR-1", "quantity": 7.0, "change": 7.0, "total": 7.0})
	operator.Call(t, "PATCH", product+fmt.Sprint(lamp), []byte(`{"stock_min":7}`)).Must(t, 200)
	next("stock.low", 6, map[string]any{
		"product_id": float64(lamp), "name": "Lamp", "quantity": 7.0, "threshold": 7.0,
	})
	nameEvents(t, partner, `["order.cancelled"]`)
	operator.Call(t, "POST", movements,
		fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":1,"location":"TOR-1"}`, lamp)).Must(t, 201)
	operator.Call(t, "POST", movements,
		fmt.Appendf(nil, `{"type":"ADJUSTMENT","product_id":%d,"quantity":-2,"location":"TOR-1"}`, lamp)).Must(t, 201)
	service.Until(t, "SELECT count(*) FROM events WHERE state = 'pending'", "0")
	all := partner.Call(t, "GET", "/v1/webhooks/events?type=stock.low", nil).Must(t, 200)
	if all.Len("events") != 3 || all.JSON("events", 0, "sequence") != 7.0 || all.Text("events", 0, "state") != "skipped" {
		t.Errorf("got %s, want three events, the last of which was not sent", all.Body)
	}
	receiver.NoneLeft(t)
}
