package demo

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// outcome is what becomes of an order.
type outcome int

const (
	delivered outcome = iota
	failsOnce         // the first attempt fails, the second succeeds
	cancelled         // before a courier has it
	tomorrow          // it is picked up and delivered on the next day
	dragging          // delivered hours later than others
)

// outcomeOf decides by the number, so that every day has orders of each kind.
func outcomeOf(number int) outcome {
	switch {
	case number%40 == 7:
		return failsOnce
	case number%50 == 11:
		return cancelled
	case number%48 == 5, number%12 == 5 && number <= Orders:
		return tomorrow
	default:
		return delivered
	}
}

// pastOutcome decides for a day of the history, all of which has ended. Its numbers go on from one day
// to the next.
func pastOutcome(number int) outcome {
	switch {
	case number%40 == 7:
		return failsOnce
	case number%40 == 11:
		return cancelled
	case number%20 == 4:
		return dragging
	default:
		return delivered
	}
}

// The times that a course adds: again is from a failed attempt to the next one, drag what a dragging
// order takes longer, and lag what the courier takes longer who is behind.
const (
	again = 2 * time.Hour
	drag  = 5 * time.Hour
	lag   = 4*time.Hour + 20*time.Minute
)

// PhotoEvery is of how many deliveries one has a picture.
const PhotoEvery = 8

// course returns the moves of an order.
func course(random *rand.Rand, o *Order, ends outcome) (steps []Step) {
	at := o.CreatedAt
	next := func(least, most time.Duration, step Step) {
		at = at.Add(least + time.Duration(random.Int64N(int64(most-least)))).Truncate(time.Second)
		step.At = at
		steps = append(steps, step)
	}
	const minute = time.Minute
	next(2*minute, 6*minute, Step{Status: delivery.StatusAccepted})
	if ends == cancelled {
		next(minute, 4*minute, Step{Status: delivery.StatusCancelled, Reason: "ordered twice"})
		return steps
	}
	courier := drawCourier(random, Shops[o.Shop].Place, o.Number)
	if ends == tomorrow {
		at = morningAfter(o.CreatedAt, Shops[o.Shop].Place).Add(-time.Hour)
	}
	next(3*minute, 8*minute, Step{Status: delivery.StatusCourierAssigned, Courier: courier})
	next(12*minute, 25*minute, Step{Status: delivery.StatusPickedUp})
	next(2*minute, 4*minute, Step{Status: delivery.StatusInTransit})
	next(5*minute, 15*minute, Step{Status: delivery.StatusOutForDelivery})
	switch {
	case ends == failsOnce:
		next(10*minute, 25*minute, Step{Status: delivery.StatusFailed, Reason: absences[random.IntN(len(absences))]})
		next(again, again+5*minute, Step{Status: delivery.StatusOutForDelivery})
	case ends == dragging:
		at = at.Add(drag)
	case courier == Behind:
		at = at.Add(lag)
	default: // it is delivered without delay
	}
	last := Step{Status: delivery.StatusDelivered, Collected: o.collected()}
	if o.Number%PhotoEvery == 3 {
		last.Photo = 1 + random.IntN(Photos)
	}
	next(10*minute, 25*minute, last)
	return steps
}

var absences = []string{"No answer at the door", "Not at home", "The entrance was locked"}

// drawCourier returns a courier of a place for the order with a number. The one who is behind has been
// given too many of the day's orders, and gets few of those that are created later.
func drawCourier(random *rand.Rand, place, number int) int {
	if number <= Orders && number%6 == 0 && place == Couriers[Behind].Place {
		return Behind
	}
	var there []int
	for i := range Couriers {
		if Couriers[i].Place == place && (i != Behind || number <= Orders || number%4 == 0) {
			there = append(there, i)
		}
	}
	return there[random.IntN(len(there))]
}

// What couriers hear from the desk.
const (
	DispatchPhone = "+15145550199"
	Message       = "Rue Saint-Denis is closed between Rachel and Duluth until noon. Park on Rue Rivard."
)

// Behind is the index of the courier who has fallen behind.
var Behind = slices.IndexFunc(Couriers, func(c Courier) bool { return c.Name == "Mathieu Gagnon" })

// morningAfter returns 9:00 at a place on the day after a time.
func morningAfter(at time.Time, place int) time.Time {
	zone := zones()[place]
	year, month, day := at.In(zone).Date()
	return time.Date(year, month, day+1, 9, 0, 0, 0, zone)
}
