package pricing

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Warnings returns a warning for each time window of a shipment that has no business day at its
// place: every service level picks up and delivers on business days.
func (c *Calendar) Warnings(s *delivery.Shipment) (warnings []delivery.Warning) {
	for _, end := range []struct {
		path    string
		contact *delivery.Contact
	}{{"pickup.time_window", &s.Pickup}, {"dropoff.time_window", &s.Dropoff}} {
		if w := end.contact.Window; !w.End.IsZero() && !c.at(end.contact.Address).hasBusinessDay(w) {
			warnings = append(warnings, delivery.NewWarning(delivery.WarningNoBusinessDay, end.path))
		}
	}
	return warnings
}

// hasBusinessDay reports whether a part of a window is on a business day.
func (p *place) hasBusinessDay(w delivery.Window) bool {
	dayAt := func(at time.Time) day { return dayOf(at.In(p.clock).Date()) }
	first := dayAt(w.Start)
	next := p.businessDayFrom(first)
	// The end itself is not in the window: one until midnight has nothing of the next day. Most
	// windows begin on a business day.
	return next == first || next <= dayAt(w.End.Add(-time.Millisecond))
}
