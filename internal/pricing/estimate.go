package pricing

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// lastStart bounds how far ahead a pickup window may push an estimate, so that
// the estimate keeps the four-digit year that RFC 3339 allows.
var lastStart = time.Date(9999, time.December, 1, 0, 0, 0, 0, time.UTC)

// estimate is when the shipment will have arrived: the level's hour, at the
// dropoff, of the last transit day. It lies after now.
func (l level) estimate(s delivery.Shipment, transitDays int, now time.Time) time.Time {
	pickup, dropoff := places[s.Pickup.Address.Province], places[s.Dropoff.Address.Province]
	start := startOf(s.Pickup.Window, now)
	arrival := dropoff.after(l.pickupDay(pickup, start), transitDays)
	estimate := l.deliverBy.on(arrival, dropoff)
	// The level's hour may already have struck at a dropoff far to the east
	// when the pickup is still before its cut-off.
	for !estimate.After(start) {
		arrival = dropoff.after(arrival, 1)
		estimate = l.deliverBy.on(arrival, dropoff)
	}
	return estimate.UTC()
}

// startOf is when the shipment can first be picked up: now, or later if the
// pickup window opens later.
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

// pickupDay is the first business day at the pickup on which a courier still
// comes. A start exactly at the cut-off is in time.
func (l level) pickupDay(pickup *place, start time.Time) day {
	local := start.In(pickup.clock)
	year, month, date := local.Date()
	today := dayOf(year, month, date)
	if local.After(l.cutOff.on(today, pickup)) {
		today++
	}
	return pickup.businessDayFrom(today)
}

// clockTime is a time of day: minutes since midnight, by the clocks of a place.
type clockTime int

func (c clockTime) on(d day, p *place) time.Time {
	year, month, date := d.midnight().Date()
	return time.Date(year, month, date, 0, int(c), 0, 0, p.clock)
}
