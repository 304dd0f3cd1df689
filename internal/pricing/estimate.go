package pricing

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// lastStart is the latest start of a pickup that an estimate considers, so that
// the year of every estimate has the four digits that RFC 3339 allows.
var lastStart = time.Date(9999, time.December, 1, 0, 0, 0, 0, time.UTC)

// estimate returns when the shipment is expected to arrive: on the last transit
// day, at the level's time of day at the dropoff. It is after now.
func (l level) estimate(calendar *Calendar, s delivery.Shipment, transitDays int, now time.Time) time.Time {
	pickup, dropoff := calendar.at(s.Pickup.Address), calendar.at(s.Dropoff.Address)
	start := startOf(s.Pickup.Window, now)
	arrival := dropoff.addBusinessDays(l.pickupDay(pickup, start), transitDays)
	estimate := l.deliverBy.on(arrival, dropoff)
	// Far to the east of the pickup, the level's time of day may have passed
	// while it is still before the cut-off at the pickup.
	for !estimate.After(start) {
		arrival = dropoff.addBusinessDays(arrival, 1)
		estimate = l.deliverBy.on(arrival, dropoff)
	}
	return estimate.UTC()
}

// startOf returns the earliest time of a pickup: now, or the start of the pickup
// window if that is later.
func startOf(window delivery.Window, now time.Time) time.Time {
	start := now
	if window.Start.After(start) {
		start = window.Start
	}
	if start.After(lastStart) {
		start = lastStart
	}
	return start
}

// pickupDay returns the first business day on which the shipment can be picked
// up. A start exactly at the cut-off is not too late for that day.
func (l level) pickupDay(pickup *place, start time.Time) day {
	local := start.In(pickup.clock)
	year, month, date := local.Date()
	today := dayOf(year, month, date)
	if local.After(l.cutOff.on(today, pickup)) {
		today++
	}
	return pickup.businessDayFrom(today)
}

// clockTime is a local time of day, in minutes since midnight.
type clockTime int

func (c clockTime) on(d day, p *place) time.Time {
	year, month, date := d.midnight().Date()
	return time.Date(year, month, date, 0, int(c), 0, 0, p.clock)
}
