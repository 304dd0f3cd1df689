package simulate

import (
	"hash/fnv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// What an order's reference may say, to get an outcome for certain. Any other
// order is delivered, but for a share that fails by its id.
const (
	Fail      = "sim:fail"       // every attempt fails, and the order is given up
	FailTwice = "sim:fail-twice" // two attempts fail, the third succeeds
	Slow      = "sim:slow"       // delivered, at a tenth of the pace
	Cancel    = "sim:cancel"     // cancelled by the service once it was accepted
)

const (
	// attempts is how many times a delivery is tried before it is given up.
	attempts = 3
	// slowness is how much longer each step of a slow order takes.
	slowness = 10
	// Of a thousand orders, so many fail once, and so many fail for good.
	failOnce  = 60
	failAgain = 10
)

// dueAt is when the next step of an order is to be made.
func dueAt(o Order, pace time.Duration) time.Time {
	if o.Reference == Slow {
		pace *= slowness
	}
	return o.UpdatedAt.Add(pace)
}

// failuresOf is how many attempts at an order fail.
func failuresOf(o Order) int {
	switch o.Reference {
	case Fail:
		return attempts
	case FailTwice:
		return 2
	case Slow, Cancel:
		return 0
	}
	switch drawn := hashOf(o.OrderID, "failures") % 1000; {
	case drawn < failAgain:
		return attempts
	case drawn < failAgain+failOnce:
		return 1
	default:
		return 0
	}
}

// next is the next step of an order. A failed attempt is told when the next one
// will be.
func next(o Order, then time.Time) Move {
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
		return attempt(o, then)
	default: // failed
		if o.Failures >= attempts {
			return Move{To: delivery.StatusCancelled, Reason: "returned after three attempts (simulated)"}
		}
		return Move{To: delivery.StatusOutForDelivery, Notes: "next attempt (simulated)"}
	}
}

// attempt is the end of an order on its way: delivered, or failed once more.
func attempt(o Order, then time.Time) Move {
	if o.Failures >= failuresOf(o) {
		return Move{To: delivery.StatusDelivered}
	}
	move := Move{To: delivery.StatusFailed, FailureReason: "nobody was there (simulated)"}
	if o.Failures+1 < attempts {
		at := timestamp.Truncate(then)
		move.NextAttempt = &at
	}
	return move
}

// hashOf draws a number that is always the same for an order.
func hashOf(orderID, what string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what + orderID))
	return h.Sum64()
}
