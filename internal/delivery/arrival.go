package delivery

import "time"

// Arrival says when the recipient of an order may expect it. An order has a window, which its sender
// has planned, and an estimate; a recipient who reads both does not know which one to believe.
type Arrival struct {
	From  time.Time // zero if only the end is known
	Until time.Time
	Late  bool // later than the window that was planned
}

// ArrivalOf returns when an order is expected, with the times in the zone of its dropoff. It is in the
// window if that is on one day, and by the estimate otherwise. An estimate after the window makes the
// order late, except one on the day of the window that is still as promised: service levels promise a
// day, and name the end of it. The order does not arrive before its window either.
func ArrivalOf(window Window, promised, estimate time.Time, clock *time.Location) Arrival {
	start, end := window.Start.In(clock), window.End.In(clock)
	estimate = estimate.In(clock)
	isInTime := !estimate.After(end) || estimate.Equal(promised) && sameDay(estimate, end)
	switch {
	case !isInTime:
		return Arrival{Until: estimate, Late: true}
	case sameDay(start, end):
		return Arrival{From: start, Until: end}
	case estimate.Before(start) || estimate.After(end):
		return Arrival{Until: end}
	default:
		return Arrival{Until: estimate}
	}
}

// Due returns when an order is due: at the end of its dropoff's window, or at its estimate if that is earlier.
// The board, the courier's app and the pages of operators mean this by the word.
func Due(window Window, estimate time.Time) time.Time {
	if window.End.Before(estimate) {
		return window.End
	}
	return estimate
}

func sameDay(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }

// ToCollect returns the amount that the courier collects at the dropoff of an order; nil if there is none.
func ToCollect(cod *Money, isReturn bool) *Money {
	if cod == nil || cod.AmountCents == 0 || isReturn {
		return nil
	}
	return cod
}
