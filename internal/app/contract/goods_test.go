package contract_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// pickedUp returns an order that its courier has picked up.
func (f *fixture) pickedUp(t testing.TB) map[string]string {
	t.Helper()
	order := f.newOrder(t)
	for _, status := range []string{"accepted", "courier_assigned", "picked_up"} {
		f.move(t, order, status).Must(t, 200)
	}
	return order
}

// driveTransfer hands parcels over to a hub.
func driveTransfer(t *testing.T, _ *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: "transferOrder", path: f.pickedUp(t), body: []byte(`{"location":"HUB-1"}`)})
}

// driveReceive receives parcels that come back.
func driveReceive(t *testing.T, _ *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	order := f.pickedUp(t)
	for _, status := range []string{"failed", "cancelled"} {
		f.move(t, order, status).Must(t, 200)
	}
	return f.send(t, call{operation: "receiveReturn", path: order, body: []byte(`{"location":"HUB-1"}`)})
}
