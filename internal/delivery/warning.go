package delivery

import "time"

// Warning is something about a shipment that is allowed, but probably not meant.
type Warning struct {
	Code    WarningCode `json:"code"`
	Field   string      `json:"field"`   // its path in the request
	Message string      `json:"message"` // for people
}

// WarningCode is a kind of warning.
type WarningCode string

// The kinds of warnings.
const (
	WarningDropoffBeforePickup WarningCode = "dropoff_before_pickup" // the dropoff's window ends before the pickup's begins
	WarningLate                WarningCode = "late"                  // the estimated delivery is after the dropoff's window
)

// WarningCodes lists the kinds of warnings.
var WarningCodes = []WarningCode{WarningDropoffBeforePickup, WarningLate}

const windowPath = "dropoff.time_window"

// Warnings returns what is probably not meant about a shipment that is estimated to
// arrive at a time; nil if nothing is. A window that was not given causes none.
func (s *Shipment) Warnings(estimate time.Time) (warnings []Warning) {
	pickup, dropoff := s.Pickup.Window, s.Dropoff.Window
	if dropoff.End.IsZero() {
		return nil
	}
	if !pickup.Start.IsZero() && !dropoff.End.After(pickup.Start) {
		warnings = append(warnings, Warning{WarningDropoffBeforePickup, windowPath, "the time window of the dropoff ends before that of the pickup begins"})
	}
	if estimate.After(dropoff.End) {
		warnings = append(warnings, Warning{WarningLate, windowPath, "the estimated delivery is after the end of the dropoff's time window"})
	}
	return warnings
}
