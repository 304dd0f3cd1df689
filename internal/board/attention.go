package board

import (
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Reason is why an order needs a dispatcher's attention.
type Reason string

// The reasons.
const (
	ReasonLate         Reason = "late"          // it was due: see Row.Due
	ReasonFailedTwice  Reason = "failed_twice"  // two attempts or more have failed
	ReasonWindowMissed Reason = "window_missed" // a window has passed in which a courier was expected
	ReasonNoCourier    Reason = "no_courier"    // the pickup's window has begun and no courier is assigned
	ReasonCourierGone  Reason = "courier_gone"  // the courier is no longer active

	ReasonCancellationRequested Reason = "cancellation_requested" // the partner's request awaits its answer
	ReasonEditedAfterPickup     Reason = "edited_after_pickup"    // see editedAfterPickup
	ReasonShortPick             Reason = "short_pick"             // the warehouse found fewer units than the order takes
)

// Reasons lists them.
var Reasons = []Reason{
	ReasonLate, ReasonFailedTwice, ReasonWindowMissed, ReasonNoCourier, ReasonCourierGone, ReasonCancellationRequested,
	ReasonEditedAfterPickup, ReasonShortPick,
}

// Flags are reasons that no time and no courier brings about, and how far the warehouse is: an
// order's row holds them, as bits.
type Flags int64

// The flags.
const (
	FlagCancellationRequested Flags = 1 << iota
	FlagEditedAfterPickup
	FlagShortPick
	// FlagPicked is not a reason: all items that the order takes from stock are picked. Rows of
	// earlier releases do not have it, and nothing of their orders is picked.
	FlagPicked
	// FlagFragile is not a reason either: a parcel of the order is fragile. Rows of earlier releases do not have it.
	FlagFragile
)

// FlagOf holds the flag of each reason that has one.
var FlagOf = map[Reason]Flags{
	ReasonCancellationRequested: FlagCancellationRequested,
	ReasonEditedAfterPickup:     FlagEditedAfterPickup,
	ReasonShortPick:             FlagShortPick,
}

// HasReasons reports whether any flag is a reason for attention.
func (f Flags) HasReasons() bool { return f&^(FlagPicked|FlagFragile) != 0 }

// AppendReasons appends the reasons of the flags to a slice, in the order of Reasons.
func (f Flags) AppendReasons(reasons []Reason) []Reason {
	if f == 0 {
		return reasons
	}
	for _, reason := range Reasons {
		if f&FlagOf[reason] != 0 {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// flagsOf returns the flags of an order, whose history must be complete.
func flagsOf(o *delivery.Order) (flags Flags) {
	if o.Course.RequestOpen() {
		flags |= FlagCancellationRequested
	}
	if editedAfterPickup(o) {
		flags |= FlagEditedAfterPickup
	}
	if slices.ContainsFunc(o.Parcels, func(p delivery.Parcel) bool { return p.Fragile }) {
		flags |= FlagFragile
	}
	switch o.PickState() {
	case delivery.PickShort:
		flags |= FlagShortPick
	case delivery.PickDone, delivery.PickPacked:
		flags |= FlagPicked
	default: // something is left to pick, or nothing is taken from stock
	}
	return flags
}

// editedAfterPickup reports whether an order was edited while its goods were already on the
// way, although the service learned of that only after the edit: the courier was without a
// connection. It is so until the courier has confirmed the edit.
func editedAfterPickup(o *delivery.Order) bool {
	return slices.ContainsFunc(o.Course.Edits, func(edit delivery.Edit) bool {
		return edit.Unseen && slices.ContainsFunc(o.History, func(entry delivery.HistoryEntry) bool {
			return delivery.PicksUp(entry.Status) && entry.At.Before(edit.At) && !entry.RecordedAt.Before(edit.At)
		})
	})
}

// TooManyFailures is how many failed attempts need attention.
const TooManyFailures = 2

// Unassigned lists the states in which no courier is assigned yet, and AtPickup
// those in which nothing has been picked up yet.
var (
	Unassigned = []delivery.Status{delivery.StatusPending, delivery.StatusAccepted}
	AtPickup   = delivery.PickableStatuses
)

// Reasons returns why the order needs attention at a time, in the order of
// Reasons; none if it does not. courierActive reports whether its courier is
// active, and is ignored if it has none. An order that has ended never needs
// attention. The store asks the same in SQL.
func (r *Row) Reasons(now time.Time, courierActive bool) []Reason {
	return r.AppendReasons([]Reason{}, now, courierActive)
}

// AppendReasons appends what Reasons returns to a slice.
func (r *Row) AppendReasons(reasons []Reason, now time.Time, courierActive bool) []Reason {
	if !IsOpen(r.Status) {
		return reasons
	}
	if r.Due().Before(now) {
		reasons = append(reasons, ReasonLate)
	}
	if r.Failures >= TooManyFailures {
		reasons = append(reasons, ReasonFailedTwice)
	}
	if r.Dropoff.End.Before(now) || r.Pickup.End.Before(now) && slices.Contains(AtPickup, r.Status) {
		reasons = append(reasons, ReasonWindowMissed)
	}
	if slices.Contains(Unassigned, r.Status) && !r.Pickup.Start.After(now) {
		reasons = append(reasons, ReasonNoCourier)
	}
	if r.CourierID != "" && !courierActive {
		reasons = append(reasons, ReasonCourierGone)
	}
	return r.Flags.AppendReasons(reasons)
}
