package simulate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// way plays an order to its end, and fails the test unless every step is in the
// table of transitions.
func way(t *testing.T, o Order) (steps []string, took int) {
	t.Helper()
	for o.Status = delivery.StatusPending; len(delivery.NextStatuses(o.Status)) > 0; {
		move := next(o, time.Unix(0, 0))
		if !delivery.MayMove(o.Status, move.To, delivery.ActorService) {
			t.Fatalf("%s: from %s to %s", o.Reference, o.Status, move.To)
		}
		if move.To == delivery.StatusFailed {
			if o.Failures++; (move.NextAttempt != nil) != (o.Failures < attempts) {
				t.Errorf("%s: after %d failures, the next attempt is at %v", o.Reference, o.Failures, move.NextAttempt)
			}
		}
		took += int(dueAt(o, 1).Sub(o.UpdatedAt))
		o.Status = move.To
		steps = append(steps, string(move.To))
	}
	return steps, took
}

func TestEachMagicReferenceHasItsOutcome(t *testing.T) {
	t.Parallel()
	const begin = "accepted courier_assigned picked_up in_transit out_for_delivery "
	for reference, want := range map[string]string{
		Fail:      begin + "failed out_for_delivery failed out_for_delivery failed cancelled",
		FailTwice: begin + "failed out_for_delivery failed out_for_delivery delivered",
		Slow:      begin + "delivered",
		Cancel:    "accepted cancelled",
	} {
		steps, took := way(t, Order{OrderID: "ord_any", Reference: reference})
		if got := strings.Join(steps, " "); got != want {
			t.Errorf("%s: %s", reference, got)
		}
		if slow := reference == Slow; took != len(steps) && !slow || slow && took != slowness*len(steps) {
			t.Errorf("%s took %d", reference, took)
		}
	}
}

// TestAShareFails, the same of every order at every time, and close to what is
// documented.
func TestAShareFails(t *testing.T) {
	t.Parallel()
	ends := map[string]int{}
	for i := range 10_000 {
		o := Order{OrderID: fmt.Sprint("ord_", i), Reference: "sim:other"}
		steps, _ := way(t, o)
		again, _ := way(t, o)
		if fmt.Sprint(steps) != fmt.Sprint(again) {
			t.Fatalf("%v, then %v", steps, again)
		}
		ends[fmt.Sprint(len(steps), steps[len(steps)-1])]++
	}
	if once, gone := ends["8delivered"], ends["11cancelled"]; once < 450 || once > 750 || gone < 50 || gone > 160 || len(ends) != 3 {
		t.Errorf("ends: %v", ends)
	}
}
