package contract_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// carriedOrder creates an order that the fixture's courier has picked up.
func (f *fixture) carriedOrder(t testing.TB) map[string]string {
	t.Helper()
	order := f.newOrder(t)
	for _, status := range []string{"accepted", "courier_assigned", "picked_up"} {
		f.move(t, order, status).Must(t, 200)
	}
	return order
}

// editedOrder creates an order that was edited into version 5 while a courier carries it.
func (f *fixture) editedOrder(t testing.TB) map[string]string {
	t.Helper()
	order := f.carriedOrder(t)
	f.send(t, call{operation: "editOrder", path: order, body: []byte(`{"instructions":"Ring twice"}`)}).Must(t, 200)
	return order
}

// driveJobs lists jobs of every kind: pickups, dropoffs, failed and delivered ones.
func driveJobs(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.move(t, f.newOrder(t), "accepted").Must(t, 200)
	for _, further := range [][]string{{}, {"failed"}, {"in_transit"}, {"out_for_delivery", "delivered"}} {
		order := f.editedOrder(t)
		for _, status := range further {
			f.move(t, order, status).Must(t, 200)
		}
	}
	waiting := f.fullOrder(t)
	f.move(t, waiting, "accepted").Must(t, 200)
	f.move(t, waiting, "courier_assigned").Must(t, 200)
	answer := f.send(t,
		call{operation: o.id, query: "?courier_id=" + f.operator.CourierID + "&since=2026-01-14T00:00:00-05:00"})
	if answer.Len("jobs") != 4 || answer.Len("delivered", "latest") != 1 {
		t.Errorf("got %s, want 4 jobs and 1 delivered order", answer.Body)
	}
	return answer
}

// driveSequence puts a pickup and a dropoff in order, the same order once more, and
// sends the operation.
func driveSequence(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	pickup, dropoff := f.newOrder(t), f.carriedOrder(t)
	f.move(t, pickup, "accepted").Must(t, 200)
	f.move(t, pickup, "courier_assigned").Must(t, 200)
	path := map[string]string{"courier_id": f.operator.CourierID}
	put := call{operation: "putCourierSequence", path: path, body: fmt.Appendf(nil, `{"order_ids":[%q,%q],"version":0}`,
		dropoff["order_id"], pickup["order_id"])}
	if set := f.send(t, put).Must(t, 200); set.Len("order_ids") != 2 {
		t.Errorf("got %s, want two orders", set.Body)
	}
	put.body = bytes.Replace(put.body, []byte(`"version":0`), []byte(`"version":1`), 1)
	again := f.send(t, put).Must(t, 200)
	if o.id == put.operation {
		return again
	}
	answer := f.send(t, call{operation: o.id, path: path})
	if answer.Len("order_ids") != 2 {
		t.Errorf("got %s, want two orders", answer.Body)
	}
	return answer
}

func driveNoCourier(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, query: "?courier_id=cou_none"})
}

func driveScan(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	order := f.carriedOrder(t)
	f.send(t, call{operation: o.id, query: "?code=" + order["order_id"]}).Must(t, 200)
	return f.send(t, call{operation: o.id, query: "?code=LAMP-2"})
}

// driveProof adds a proof twice, and reads it with its order.
func driveProof(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	request := call{operation: o.id, path: f.prepare(t, o), body: validBody(o)}
	f.send(t, request).Must(t, 201)
	if read := f.send(t, call{operation: "getOrderRecord", path: request.path}).Must(t, 200); read.Len("proofs") != 1 {
		t.Errorf("got %s, want one proof", read.Body)
	}
	return f.send(t, request)
}

func driveBadQuery(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, query: "?kind=%zz", body: validBody(o)})
}

func driveEarlyProof(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: o.id, path: f.newOrder(t), body: validBody(o)})
}

// TestTooLate picks up an order a minute before its courier was assigned, and adds a
// proof from a minute before the pickup.
func TestTooLate(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	order, at := f.carriedOrder(t), timestamp.Format(f.Clock.Now().Add(-time.Minute))
	f.send(t, call{operation: "changeOrderStatus", path: order, body: fmt.Appendf(nil,
		`{"status":"in_transit","occurred_at":%q}`, at)}).
		Refused(t, 409, "conflict")
	f.send(t, call{operation: "addProof", path: order, query: "?kind=photo&occurred_at=" + at, body: drawing()}).Refused(t,
		409, "conflict")
}
