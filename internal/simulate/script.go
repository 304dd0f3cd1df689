package simulate

import (
	"hash/fnv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// The references by which a partner chooses the outcome of an order. Of the orders
// with any other reference most are delivered; the order's id decides which fail.
const (
	Deliver   = "sim:deliver"    // delivered at the first attempt
	Fail      = "sim:fail"       // every attempt fails, and the order is given up
	FailTwice = "sim:fail-twice" // two attempts fail, the third succeeds
	Slow      = "sim:slow"       // delivered, at a tenth of the pace
	Cancel    = "sim:cancel"     // cancelled by the service after it was accepted
	HandOver  = "sim:hand-over"  // delivered by another courier than the one who picked it up
	Hold      = "sim:hold"       // stays with the courier it was assigned to, until its cancellation is requested
)

// Decline is the reason of a request to cancel an order that is declined. All others are
// granted.
const Decline = "sim:decline"

// answer returns the answer to a request to cancel an order.
func answer(reason string) (granted bool, text string) {
	if reason == Decline {
		return false, "the courier is at the door (simulated)"
	}
	return true, "the courier brings it back (simulated)"
}

const (
	// attempts is how many times a delivery is tried before it is given up.
	attempts = 3
	// slowness is how much longer each step of a slow order takes.
	slowness = 10
	// patience is how much longer an order that is held stays with its courier: for days.
	patience = 100_000
	// Of a thousand orders failOnce fail once and failForGood fail at every
	// attempt.
	failOnce    = 60
	failForGood = 10
)

// dueAt returns the time of an order's next step.
func dueAt(o Order, pace time.Duration) time.Time {
	switch {
	case o.Reference == Slow:
		pace *= slowness
	case o.Reference == Hold && o.Status == delivery.StatusCourierAssigned && !o.Requested:
		pace *= patience
	}
	return o.UpdatedAt.Add(pace)
}

// failuresOf returns how many attempts to deliver the order fail.
func failuresOf(o Order) int {
	switch o.Reference {
	case Fail:
		return attempts
	case FailTwice:
		return 2
	case Deliver, Slow, Cancel, Hold, HandOver:
		return 0
	}
	switch drawn := hashOf(o.OrderID, "failures") % 1000; {
	case drawn < failForGood:
		return attempts
	case drawn < failForGood+failOnce:
		return 1
	default:
		return 0
	}
}

// handsOver reports whether the next step of an order is that another courier gets its parcels.
func handsOver(o Order) bool {
	return o.Reference == HandOver && o.Status == delivery.StatusPickedUp && !o.HandedOver
}

// next returns the next step of an order. If that is a failed attempt, nextAttempt
// is announced as the time of the next one.
func next(o Order, nextAttempt time.Time) Move {
	switch o.Status {
	case delivery.StatusPending:
		return Move{To: delivery.StatusAccepted}
	case delivery.StatusAccepted:
		if o.Reference == Cancel {
			return Move{To: delivery.StatusCancelled, Reason: "the service cannot carry this order (simulated)"}
		}
		return Move{To: delivery.StatusCourierAssigned}
	case delivery.StatusCourierAssigned:
		return Move{To: delivery.StatusPickedUp}
	case delivery.StatusPickedUp:
		return Move{To: delivery.StatusInTransit}
	case delivery.StatusInTransit:
		return Move{To: delivery.StatusOutForDelivery}
	case delivery.StatusOutForDelivery:
		return attempt(o, nextAttempt)
	default: // failed
		if o.Failures >= attempts {
			return Move{To: delivery.StatusCancelled, Reason: "returned after three attempts (simulated)"}
		}
		return Move{To: delivery.StatusOutForDelivery, Notes: "next attempt (simulated)"}
	}
}

// attempt returns the result of an attempt to deliver: delivered or failed.
func attempt(o Order, nextAttempt time.Time) Move {
	if o.Failures >= failuresOf(o) {
		return Move{To: delivery.StatusDelivered}
	}
	move := Move{To: delivery.StatusFailed, FailureReason: "nobody was there (simulated)"}
	if o.Failures+1 < attempts {
		at := timestamp.Truncate(nextAttempt)
		move.NextAttempt = &at
	}
	return move
}

// hashOf returns a random number for a purpose, which is always the same for the
// same order.
func hashOf(orderID, purpose string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(purpose + orderID))
	return h.Sum64()
}
