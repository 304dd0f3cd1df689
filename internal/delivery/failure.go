package delivery

import (
	"slices"
	"time"
)

// FailureReason is why an attempt at a delivery has failed, in one of a few words
// that its recipient may read. Any other text of an operator or courier is shown to
// the partner only.
type FailureReason string

// The reasons of failed attempts.
const (
	FailureNotHome   FailureReason = "not_home"      // the recipient was not there
	FailureAddress   FailureReason = "wrong_address" // the address does not exist, or is another's
	FailureNoAccess  FailureReason = "no_access"     // the door could not be reached
	FailureDeclined  FailureReason = "declined"      // the recipient did not take the parcels
	FailureDamaged   FailureReason = "damaged"       // a parcel was damaged on the way
	FailureUndefined FailureReason = "other"
)

// FailureReasons lists the reasons of failed attempts.
var FailureReasons = []FailureReason{
	FailureNotHome, FailureAddress, FailureNoAccess, FailureDeclined, FailureDamaged, FailureUndefined,
}

// FailureReasonOf returns the reason that a text is, and FailureUndefined for any
// other text.
func FailureReasonOf(text string) FailureReason {
	if reason := FailureReason(text); slices.Contains(FailureReasons, reason) {
		return reason
	}
	return FailureUndefined
}

// FailedAttempt is an attempt at a delivery that has failed, as its recipient may
// know it.
type FailedAttempt struct {
	Reason FailureReason
	Next   *time.Time // when the next attempt is planned; nil if none is
}

// Failed returns the attempt that an event of the type order.failed reports.
func (f *EventFacts) Failed() FailedAttempt {
	return FailedAttempt{Reason: FailureReasonOf(f.FailureReason), Next: f.NextAttempt}
}
