package contract_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

const (
	returnBody = `{"reason":"too large","to":"sender","location":"MTL-1","partner_order_id":"R-1","service_level":"express",
"pickup":{"time_window":{"start":"2026-03-10T13:00:00-05:00","end":"2026-03-10T17:00:00-05:00"}}}`
	locationBody = `{"name":"Dépôt Nord","phone":"+15145550199","email":"depot@example.com",
"address":{"line1":"9000 Boulevard Saint-Laurent","city":"Montréal","province":"QC","postal_code":"H2N 1M5","country":"CA"}}`
)

// deliveredOrder returns an order that was delivered.
func (f *fixture) deliveredOrder(t testing.TB) map[string]string {
	t.Helper()
	order := f.carriedOrder(t)
	for _, status := range []string{"out_for_delivery", "delivered"} {
		f.move(t, order, status).Must(t, 200)
	}
	return order
}

// driveReturn brings goods back that were delivered.
func driveReturn(t *testing.T, _ *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: "createReturn", path: f.deliveredOrder(t), body: []byte(returnBody)})
}

// driveNotDelivered requests a return of what was not delivered.
func driveNotDelivered(t *testing.T, _ *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: "createReturn", path: f.newOrder(t), body: []byte(returnBody)})
}
