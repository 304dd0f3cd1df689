package simulate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// play moves an order to its end and returns the statuses on the way, and the time
// in units of the pace. It fails the test unless the service may make every move.
func play(t *testing.T, o Order) (steps []string, took int) {
	t.Helper()
	for o.Status = delivery.StatusPending; len(delivery.NextStatuses(o.Status)) > 0; {
		if handsOver(o) {
			o.HandedOver = true
			took++
			continue
		}
		move := next(o, time.Unix(0, 0))
		if !delivery.MayMove(o.Status, move.To, delivery.ActorService) {
			t.Fatalf("reference %q: got a move from %s to %s, which the service may not make", o.Reference, o.Status, move.To)
		}
		if move.To == delivery.StatusFailed {
			if o.Failures++; (move.NextAttempt != nil) != (o.Failures < attempts) {
				t.Errorf("reference %q, failure %d of at most %d: got next attempt %v", o.Reference, o.Failures, attempts,
					move.NextAttempt)
			}
		}
		took += int(dueAt(o, 1).Sub(o.UpdatedAt))
		o.Status = move.To
		steps = append(steps, string(move.To))
	}
	return steps, took
}

func TestReferencesDecideOutcome(t *testing.T) {
	t.Parallel()
	const begin = "accepted courier_assigned picked_up in_transit out_for_delivery "
	for reference, want := range map[string]string{
		Fail:      begin + "failed out_for_delivery failed out_for_delivery failed cancelled",
		FailTwice: begin + "failed out_for_delivery failed out_for_delivery delivered",
		Slow:      begin + "delivered",
		Cancel:    "accepted cancelled",
		Hold:      begin + "delivered",
		HandOver:  begin + "delivered",
	} {
		steps, took := play(t, Order{OrderID: "ord_any", Reference: reference})
		if got := strings.Join(steps, " "); got != want {
			t.Errorf("reference %q: got %s, want %s", reference, got, want)
		}
		wantTook := len(steps)
		switch reference {
		case Slow:
			wantTook *= slowness
		case Hold:
			wantTook += patience - 1
		case HandOver:
			wantTook++
		}
		if took != wantTook {
			t.Errorf("reference %q: took %d times the pace, want %d", reference, took, wantTook)
		}
	}
}

// TestShareOfFailures expects the documented shares within a tolerance, and the
// same steps whenever an order is played.
func TestShareOfFailures(t *testing.T) {
	t.Parallel()
	ends := map[string]int{}
	for i := range 10_000 {
		o := Order{OrderID: fmt.Sprint("ord_", i), Reference: "sim:other"}
		steps, _ := play(t, o)
		again, _ := play(t, o)
		if fmt.Sprint(steps) != fmt.Sprint(again) {
			t.Fatalf("%s: got %v, then %v", o.OrderID, steps, again)
		}
		ends[fmt.Sprint(len(steps), steps[len(steps)-1])]++
	}
	if once, forGood := ends["8delivered"], ends["11cancelled"]; once < 450 || once > 750 || forGood < 50 ||
		forGood > 160 || len(ends) != 3 {
		t.Errorf("got ends %v, want about 600 delivered after 8 steps, 100 cancelled after 11, and all others alike", ends)
	}
}
