package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// request requests the cancellation of an order.
func (f floor) request(t *testing.T, id, key string) *apptest.Answer {
	t.Helper()
	return f.partner.Call(t, "POST", "/v1/orders/"+id+"/cancellation-request", []byte(`{"reason":"sold in the shop"}`),
		"Idempotency-Key", key)
}

// answer answers the request to cancel an order.
func (f floor) answer(t *testing.T, id string, grant bool) *apptest.Answer {
	t.Helper()
	return f.operator.Call(t, "POST", "/ops/v1/orders/"+id+"/cancellation-request/answer",
		fmt.Appendf(nil, `{"grant":%t,"answer":"by the desk"}`, grant))
}

// TestCancellationRequest requests the cancellation of an order in each status, and answers
// each request in both ways.
func TestCancellationRequest(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for _, status := range delivery.Statuses {
		for _, granted := range []bool{true, false} {
			id := f.orderIn(t, fmt.Sprintf("%s-%t", status, granted), status)
			before := f.read(t, id)
			if !slices.Contains(delivery.RequestableStatuses, status) {
				got := f.request(t, id, uuid.NewString())
				f.refuses(t, before, got)
				canCancel := delivery.MayMove(status, delivery.StatusCancelled, delivery.ActorPartner)
				if strings.Contains(got.Text("error", "message"), "needs no request: cancel it") != canCancel {
					t.Errorf("%s: got %s, want the way out if there is one", status, got.Body)
				}
				f.refuses(t, before, f.answer(t, id, granted))
				continue
			}
			f.settles(t, before, granted)
		}
	}
	f.expect(t, "attention=cancellation_requested")
	f.Audit(t)
}

// refuses expects a conflict that has changed nothing.
func (f floor) refuses(t *testing.T, before, got *apptest.Answer) {
	t.Helper()
	got.Refused(t, 409, "conflict")
	if got.Text("error", "details", "status") != before.Text("status") {
		t.Errorf("%s: got %s, want its status", before.Text("status"), got.Body)
	}
	if after := f.read(t, before.Text("order_id")); string(after.Body) != string(before.Body) {
		t.Errorf("got %s\nwant it unchanged %s", after.Body, before.Body)
	}
}

// settles requests the cancellation of an order and answers it.
func (f floor) settles(t *testing.T, before *apptest.Answer, granted bool) {
	t.Helper()
	id, key, status := before.Text("order_id"), uuid.NewString(), before.Text("status")
	version := f.row(t, id).JSON("version").(float64)
	requested := f.request(t, id, key).Must(t, 202)
	if requested.Text("cancellation_request", "state") != "requested" || requested.Text("status") != status ||
		requested.Text("cancellation_request", "reason") != "sold in the shop" ||
		requested.Text("cancellation_request", "answer") != "" {
		t.Errorf("%s: got %s, want an open request", status, requested.Body)
	}
	if read := f.read(t, id); string(read.Body) != string(requested.Body) {
		t.Errorf("%s: got %s\nwant what was answered %s", status, read.Body, requested.Body)
	}
	if list := f.partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200); strings.Contains(string(list.Body),
		"cancellation_request") {
		t.Errorf("got %s, want no requests in lists", list.Body)
	}
	f.refuses(t, requested, f.request(t, id, uuid.NewString()))
	row := f.row(t, id)
	if row.JSON("version") != version+1 || fmt.Sprint(row.JSON("flags")) != "[cancellation_requested]" {
		t.Errorf("%s: got the row %s, want version %v and the flag", status, row.Body, version+1)
	}
	f.expect(t, "attention=cancellation_requested", before.Text("partner_order_id"))
	counts := f.operator.Call(t, "GET", "/ops/v1/attention", nil).Must(t, 200)
	if counts.JSON("reasons", "cancellation_requested") != 1.0 {
		t.Errorf("%s: got %s, want one order", status, counts.Body)
	}

	answered := f.answer(t, id, granted).Must(t, 200)
	want, state, event := status, "declined", "order.cancellation_declined"
	if granted {
		want, state, event = "cancelled", "granted", "order.cancelled"
	}
	if answered.Text("status") != want || answered.Text("cancellation_request", "state") != state ||
		answered.Text("cancellation_request", "answer") != "by the desk" {
		t.Errorf("%s: got %s, want it %s", status, answered.Body, state)
	}
	if granted && answered.Text("cancellation_reason") != "sold in the shop" {
		t.Errorf("%s: got %s, want the partner's reason", status, answered.Body)
	}
	after := f.read(t, id)
	f.refuses(t, after, f.answer(t, id, granted))
	f.refuses(t, after, f.request(t, id, uuid.NewString()))
	replayed := f.request(t, id, key).Must(t, 202)
	if string(replayed.Body) != string(requested.Body) || replayed.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%s: got %s, want the first answer again", status, replayed.Body)
	}
	events := f.partner.Call(t, "GET", "/v1/webhooks/events?order_id="+id+"&type="+event, nil).Must(t, 200)
	if events.Len("events") != 1 {
		t.Errorf("%s: got %s, want one %s", status, events.Body, event)
	}
	audited := f.operator.Call(t, "GET", "/ops/v1/audit?action=order.request_answered&object_id="+id, nil).Must(t, 200)
	if audited.Len("entries") != 1 || audited.JSON("entries", 0, "after", "granted") != granted ||
		strings.Contains(string(audited.Body), "by the desk") {
		t.Errorf("%s: got %s, want one entry without the text", status, audited.Body)
	}
}

// row returns what operators see of an order.
func (f floor) row(t *testing.T, id string) *apptest.Answer {
	t.Helper()
	return f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
}

// TestGrantReturnsStock grants the cancellation of an order that was not picked up.
func TestGrantReturnsStock(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	lamp := f.operator.Stock(t, f.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 3})
	id := f.partner.Create(t, testkit.OrderJSON("A-1", buying(lamp, 2))).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned"} {
		f.operator.Move(t, id, status).Must(t, 200)
	}
	f.request(t, id, uuid.NewString()).Must(t, 202)
	f.answer(t, id, true).Must(t, 200)
	products := f.partner.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	if products.JSON("products", 0, "quantity") != 3.0 {
		t.Errorf("got %s, want all three back", products.Body)
	}
	f.Audit(t)
}

// TestRequestOfAnEndedOrder leaves a request open whose order is delivered before the answer.
func TestRequestOfAnEndedOrder(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusOutForDelivery)
	f.request(t, id, uuid.NewString()).Must(t, 202)
	delivered := f.operator.Move(t, id, "delivered").Must(t, 200)
	if delivered.Text("cancellation_request", "state") != "requested" {
		t.Errorf("got %s, want the request still open", delivered.Body)
	}
	f.expect(t, "attention=any")
	f.refuses(t, f.read(t, id), f.answer(t, id, true))
	f.Audit(t)
}

// TestDeclineKeepsTheFailedAttempt: tracking goes on to say why the latest attempt has failed.
func TestDeclineKeepsTheFailedAttempt(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusOutForDelivery)
	move(t, f.operator, id, `{"status":"failed","failure_reason":"not_home"}`).Must(t, 200)
	f.request(t, id, uuid.NewString()).Must(t, 202)
	f.answer(t, id, false).Must(t, 200)
	tracked := f.Do(t, "GET", "/track/"+id, nil).Must(t, 200)
	if tracked.Text("failed_attempt", "reason") != "not_home" {
		t.Errorf("got %s, want the reason of the failed attempt", tracked.Body)
	}
}

// TestDeliveryAndGrant lets a courier deliver an order while the desk grants its
// cancellation: one of them wins, and the other is refused.
func TestDeliveryAndGrant(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for i := range 8 {
		id := f.orderIn(t, fmt.Sprint("A-", i), delivery.StatusOutForDelivery)
		f.request(t, id, uuid.NewString()).Must(t, 202)
		var delivered, granted *apptest.Answer
		var both sync.WaitGroup
		both.Go(func() { delivered = f.operator.Move(t, id, "delivered") })
		both.Go(func() { granted = f.answer(t, id, true) })
		both.Wait()
		want := "delivered"
		if granted.Status == 200 {
			want = "cancelled"
		}
		if delivered.Status+granted.Status != 200+409 || f.read(t, id).Text("status") != want {
			t.Errorf("got %d to the delivery, %d to the grant and %s, want one of them carried out", delivered.Status,
				granted.Status, f.read(t, id).Text("status"))
		}
	}
	f.Audit(t)
}

// TestErasureEmptiesRequests erases what partner and desk have written.
func TestErasureEmptiesRequests(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusCourierAssigned)
	key := uuid.NewString()
	f.request(t, id, key).Must(t, 202)
	f.answer(t, id, true).Must(t, 200)
	f.operator.Call(t, "POST", "/ops/v1/partners/"+f.partner.PartnerID+"/erasures",
		fmt.Appendf(nil, `{"order_ids":[%q]}`, id)).Must(t, 200)
	for name, answer := range map[string]*apptest.Answer{
		"the record": f.read(t, id), "the answer that is kept": f.request(t, id, key),
		"what operators see": f.row(t, id),
		"the events":         f.partner.Call(t, "GET", "/v1/webhooks/events?order_id="+id, nil),
	} {
		if text := string(answer.Body); strings.Contains(text, "sold in the shop") || strings.Contains(text, "by the desk") {
			t.Errorf("%s: got %s, want neither reason nor answer", name, text)
		}
	}
	if erased := f.read(t, id); erased.Text("cancellation_request", "state") != "granted" {
		t.Errorf("got %s, want its state", erased.Body)
	}
}

// TestRequestInSession requests a cancellation as a person, whose role must allow it.
func TestRequestInSession(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusPickedUp)
	for role, status := range map[string]int{"reader": 403, "clerk": 202} {
		got := f.Do(t, "POST", "/v1/orders/"+id+"/cancellation-request", []byte(`{"reason":"sold"}`),
			"Cookie", f.partner.As(t, role).Cookie, "Idempotency-Key", uuid.NewString())
		if got.Status != status {
			t.Errorf("%s: got %d %s, want %d", role, got.Status, got.Body, status)
		}
	}
}

// TestSimulationAnswersRequests requests the cancellation of test orders, which the simulation
// answers.
func TestSimulationAnswersRequests(t *testing.T) {
	t.Parallel()
	watched := newSimulation()
	s := apptest.Start(t, watched.testsOnly())
	test := s.Register(t, "metro").InTest(t)
	id := test.Create(t, withReference("A-1", "sim:deliver", "")).Must(t, 201).Text("order_id")
	other := test.Create(t, withReference("A-2", "sim:deliver", "")).Must(t, 201).Text("order_id")
	test.Create(t, withReference("A-3", "sim:slow", "")).Must(t, 201) // keeps the simulation from resting
	assigned := "SELECT count(*) FROM orders WHERE status = 'courier_assigned'"
	watched.pass(t, s, assigned, "2")
	for order, reason := range map[string]string{id: "sim:decline", other: "sold"} {
		test.Call(t, "POST", "/v1/orders/"+order+"/cancellation-request", fmt.Appendf(nil, `{"reason":%q}`, reason),
			"Idempotency-Key", uuid.NewString()).Must(t, 202)
	}
	s.Clock.Advance(look)
	watched.pass(t, s, "SELECT count(*) FROM orders WHERE status IN ('delivered', 'cancelled')", "2")
	for order, want := range map[string][2]string{id: {"delivered", "declined"}, other: {"cancelled", "granted"}} {
		got := test.Call(t, "GET", "/v1/orders/"+order, nil).Must(t, 200)
		if got.Text("status") != want[0] || got.Text("cancellation_request", "state") != want[1] {
			t.Errorf("got %s, want it %v", got.Body, want)
		}
	}
	s.Audit(t)
}
