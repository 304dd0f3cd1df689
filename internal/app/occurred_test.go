package app_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// TestOccurredAt sends moves hours after they happened. The history, the events and the
// couriers' deliveries have the time of the act; operators also see when it was recorded.
func TestOccurredAt(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "noor")
	id := f.carried(t, r, "late", delivery.StatusCourierAssigned)
	begun := f.Clock.Now()
	f.Clock.Advance(30 * time.Hour)
	acts := []struct {
		status string
		at     time.Duration
	}{{"picked_up", time.Hour}, {"out_for_delivery", 2 * time.Hour}, {"delivered", 3 * time.Hour}}
	for _, act := range acts {
		at := timestamp.Format(begun.Add(act.at))
		moved := move(t, r, id, fmt.Sprintf(`{"status":%q,"occurred_at":%q}`, act.status, at)).Must(t, 200)
		last := moved.Len("status_history") - 1
		if moved.Text("updated_at") != at || moved.Text("status_history", last, "timestamp") != at ||
			moved.Text("status_history", last, "recorded_at") != timestamp.Format(f.Clock.Now()) {
			t.Errorf("%s: got %s, want it at %s and recorded at %s", act.status, moved.Body, at, timestamp.Format(f.Clock.Now()))
		}
		seen := f.read(t, id)
		if seen.Text("status_history", last, "timestamp") != at || seen.JSON("status_history", last, "recorded_at") != nil {
			t.Errorf("%s: the partner got %s, want the time of the act only", act.status, seen.Body)
		}
		if read := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t,
			200); read.JSON("order", "status_history", last, "recorded_at") == nil {
			t.Errorf("%s: got %s, want recorded_at", act.status, read.Body)
		}
		f.Clock.Advance(time.Second)
	}
	delivered := r.Call(t, "GET", "/ops/v1/jobs?since="+timestamp.Format(begun), nil).Must(t, 200)
	if got, want := delivered.Text("delivered", "latest", 0, "delivered_at"),
		timestamp.Format(begun.Add(3*time.Hour)); got != want {
		t.Errorf("got the delivery at %s, want %s", got, want)
	}
	events := f.partner.Call(t, "GET", "/v1/webhooks/events?order_id="+id+"&type=order.delivered", nil).Must(t, 200)
	if got, want := events.Text("events", 0, "created_at"), timestamp.Format(begun.Add(3*time.Hour)); got != want {
		t.Errorf("got the event at %s, want %s", got, want)
	}
}

// TestOccurredAtRefused refuses times that cannot be, and acts that happened before the
// order's latest move.
func TestOccurredAtRefused(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusPending)
	f.Clock.Advance(50 * time.Hour)
	now := f.Clock.Now()
	at := func(by time.Duration) string {
		return fmt.Sprintf(`{"status":"accepted","occurred_at":%q}`, timestamp.Format(now.Add(by)))
	}
	for _, by := range []time.Duration{2*time.Minute + time.Millisecond, -48*time.Hour - time.Millisecond} {
		refused := move(t, f.operator, id, at(by)).Refused(t, 422, "validation_error")
		if refused.Text("error", "details", "field") != "occurred_at" {
			t.Errorf("%v: got %s, want a fault of occurred_at", by, refused.Body)
		}
	}
	move(t, f.operator, id, at(-48*time.Hour)).Must(t, 200)
	f.operator.Move(t, id, "courier_assigned").Must(t, 200)
	picked := fmt.Sprintf(`{"status":"picked_up","occurred_at":%q,"version":3}`, timestamp.Format(now.Add(-time.Minute)))
	refused := move(t, f.operator, id, picked).Refused(t, 409, "conflict")
	if refused.Text("error", "details", "status") != "courier_assigned" ||
		refused.Text("error", "details", "updated_at") != timestamp.Format(now) ||
		refused.Text("error", "details", "changed_by", "operator_id") != f.operator.OperatorID {
		t.Errorf("got %s, want who assigned the courier, and when", refused.Body)
	}
	bulk := f.operator.Call(t, "POST", "/ops/v1/orders/status", fmt.Appendf(nil,
		`{"order_ids":[%q],"status":"picked_up","occurred_at":%q}`, id, timestamp.Format(now.Add(-time.Minute)))).Must(t, 200)
	if bulk.Text("results", 0, "error", "code") != "conflict" ||
		bulk.JSON("results", 0, "error", "details", "changed_by") == nil {
		t.Errorf("got %s, want a conflict", bulk.Body)
	}
	move(t, f.operator, id,
		fmt.Sprintf(`{"status":"picked_up","occurred_at":%q}`, timestamp.Format(now.Add(2*time.Minute)))).Must(t, 200)
	// The phone's clock was ahead; the desk's next move does not turn time back.
	moved := f.operator.Move(t, id, "failed").Must(t, 200)
	if got, want := moved.Text("updated_at"), timestamp.Format(now.Add(2*time.Minute)); got != want {
		t.Errorf("got updated_at %s, want %s", got, want)
	}
}

// TestProofOccurredAt adds pictures hours after they were taken.
func TestProofOccurredAt(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "noor")
	id := f.carried(t, r, "A-1", delivery.StatusOutForDelivery)
	taken := f.Clock.Now().Add(time.Hour)
	late := "photo&occurred_at=" + timestamp.Format(taken)
	f.Clock.Advance(40 * time.Hour)
	added := prove(t, r, id, late, picture(1)).Must(t, 201)
	if added.Text("at") != timestamp.Format(taken) || added.Text("recorded_at") != timestamp.Format(f.Clock.Now()) {
		t.Errorf("got %s, want it at %s and recorded at %s", added.Body, timestamp.Format(taken),
			timestamp.Format(f.Clock.Now()))
	}
	move(t, r, id,
		fmt.Sprintf(`{"status":"delivered","occurred_at":%q}`, timestamp.Format(taken.Add(time.Minute)))).Must(t, 200)
	refused := prove(t, r, id, late, picture(2)).Refused(t, 409, "conflict")
	if refused.Text("error", "details", "status") != "delivered" ||
		refused.Text("error", "details", "changed_by", "operator_id") != r.OperatorID {
		t.Errorf("got %s, want who delivered the order, and when", refused.Body)
	}
	if again := prove(t, r, id, late, picture(1)).Must(t, 201); !bytes.Equal(again.Body, added.Body) {
		t.Errorf("got %s for the same picture, want %s", again.Body, added.Body)
	}
	// The courier's day to add proofs begins when the delivery was recorded.
	f.Clock.Advance(20 * time.Hour)
	prove(t, r, id, "photo", picture(2)).Must(t, 201)
	prove(t, r, id, "photo&occurred_at=yesterday", picture(3)).Refused(t, 422, "validation_error")
	prove(t, r, id, "photo&occurred_at="+timestamp.Format(taken.Add(-9*time.Hour)), picture(3)).Refused(t, 422,
		"validation_error")
}
