package contract_test

import (
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
