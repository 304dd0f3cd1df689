package contract_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// request requests the cancellation of an order.
func (f *fixture) request(t testing.TB, order map[string]string) {
	t.Helper()
	f.send(t, call{
		operation: "requestCancellation", path: order, body: []byte(`{"reason":"The customer changed their mind."}`),
	}).Must(t, 202)
}

// requestedOrder returns the path parameter of an order whose cancellation is requested.
func (f *fixture) requestedOrder(t testing.TB) map[string]string {
	t.Helper()
	order := f.carriedOrder(t)
	f.request(t, order)
	return order
}

// driveTooEarly requests the cancellation of an order that its partner may still cancel, or
// answers a request that was not made, or whose order has ended.
func driveTooEarly(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	if o.ofOperators() {
		order := f.requestedOrder(t)
		for _, status := range []string{"out_for_delivery", "delivered"} {
			f.move(t, order, status).Must(t, 200)
		}
		f.send(t, call{operation: o.id, path: order, body: validBody(o)}).Must(t, 409)
	}
	return f.send(t, call{operation: o.id, path: f.newOrder(t), body: validBody(o)})
}
