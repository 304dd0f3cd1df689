package contract_test

import (
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// driveTransfer hands parcels over to a hub.
func driveTransfer(t *testing.T, _ *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: "transferOrder", path: f.carriedOrder(t), body: []byte(`{"location":"HUB-1"}`)})
}

// driveReceive receives parcels that come back.
func driveReceive(t *testing.T, _ *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	order := f.carriedOrder(t)
	for _, status := range []string{"failed", "cancelled"} {
		f.move(t, order, status).Must(t, 200)
	}
	return f.send(t, call{operation: "receiveReturn", path: order, body: []byte(`{"location":"HUB-1"}`)})
}

// drivePick picks all items of an order.
func drivePick(t *testing.T, _ *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	order := f.fullOrder(t)
	listed := f.send(t, call{operation: "listPicks"}).Must(t, 200)
	if listed.Len("picks") != 1 || listed.JSON("picks", 0, "lines", 0, "in_stock") == nil {
		t.Errorf("got %s, want the order with what is in stock", listed.Body)
	}
	body := fmt.Appendf(nil, `{"location":%q,"lines":[{"product_id":%d,"quantity":1},{"product_id":%[2]d,"quantity":2}]}`,
		listed.Text("picks", 0, "lines", 0, "location"), f.product)
	f.send(t, call{operation: "pickOrder", path: f.carriedOrder(t), body: body}).Refused(t, 409, "conflict")
	return f.send(t, call{operation: "pickOrder", path: order, body: body})
}
