package app_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// TestCourierHandsOver hands an order over as the app does: to a colleague that the list of jobs
// names, later than it happened. The colleague has the stop, with nothing to confirm.
func TestCourierHandsOver(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r, next, gone := f.rider(t, "noor"), f.rider(t, "camille"), f.rider(t, "alex")
	f.operator.Call(t, "PATCH", "/ops/v1/couriers/"+gone.CourierID, []byte(`{"active":false}`)).Must(t, 200)
	id := f.carried(t, r, "A-1", delivery.StatusPickedUp)
	listed := r.Call(t, "GET", "/ops/v1/jobs", nil).Must(t, 200)
	names := map[string]bool{}
	for i := range listed.Len("colleagues") {
		names[listed.Text("colleagues", i, "name")] = true
	}
	if !names["camille"] || names["noor"] || names["alex"] {
		t.Errorf("got the colleagues %v, want the other active couriers", names)
	}
	edit(t, f.partner, id, `{"instructions":"Ring twice"}`).Must(t, 200)
	f.Clock.Advance(time.Minute)
	happened := f.Clock.Now().UTC().Format(time.RFC3339)
	before := f.Clock.Now().Add(-30 * time.Second).UTC().Format(time.RFC3339)
	f.Clock.Advance(time.Minute)
	transfer(t, r, id, `{"courier_id":"`+next.CourierID+`","occurred_at":"`+happened+`"}`).Must(t, 200)
	if left, got := jobs(t, r), jobs(t, next); len(left) != 0 || len(got) != 1 || got[0] != "A-1" {
		t.Errorf("got the jobs %v and %v, want the order with the colleague", left, got)
	}
	if got := changed(t, next); got != nil {
		t.Errorf("got %v, want nothing to confirm for the colleague", got)
	}
	transfer(t, r, id, `{"location":"HUB-1","occurred_at":"`+happened+`"}`).Refused(t, 404, "not_found")
	transfer(t, next, id, `{"location":"HUB-1","occurred_at":"`+before+`"}`).Refused(t, 409, "conflict")
	transfer(t, next, id, `{"location":"HUB-1"}`).Must(t, 200)
	if got := jobs(t, next); len(got) != 0 {
		t.Errorf("got the jobs %v, want none while a hub has the parcels", got)
	}
	f.Audit(t)
}
