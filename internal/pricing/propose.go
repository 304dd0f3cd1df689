package pricing

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// What a proposal assumes of working days: when they begin, how long a courier may take to come, and how long a window
// is.
const (
	dayBegins = clockTime(9 * 60)
	notice    = time.Hour
	wide      = 3 * time.Hour
)

// Propose returns the next windows for a shipment: hours of the first day on which it can still be picked up, unless it
// has a window of the pickup, and the day on which it is then estimated to arrive. It is not ok if the card does not
// offer the service level there.
func (c *Card) Propose(
	calendar *Calendar, s delivery.Shipment, now time.Time,
) (pickup, dropoff delivery.Window, ok bool) {
	service := c.levels[s.ServiceLevel]
	rate, ok := service.zones[ZoneOf(s.Pickup.Address, s.Dropoff.Address)]
	if !ok {
		return pickup, dropoff, false
	}
	from, to := calendar.at(s.Pickup.Address), calendar.at(s.Dropoff.Address)
	if pickup = s.Pickup.Window; pickup.End.IsZero() {
		pickup = service.nextPickup(from, now)
		s.Pickup.Window = pickup
	}
	dropoff.End = service.estimate(calendar, s, rate.transitDays, now).In(to.clock)
	dropoff.Start = dayBegins.on(dayOf(dropoff.End.Date()), to)
	if dropoff.Start.Before(pickup.End) {
		dropoff.Start = pickup.End.In(to.clock)
	}
	if !dropoff.End.After(dropoff.Start) {
		dropoff.End = dropoff.Start.Add(wide)
	}
	return pickup, dropoff, true
}

// nextPickup returns hours of the first day on which a shipment can still be picked up at a place.
func (l level) nextPickup(from *place, now time.Time) (pickup delivery.Window) {
	pickup.Start = nextHour(now.Add(notice).In(from.clock))
	if opening := dayBegins.on(dayOf(pickup.Start.Date()), from); pickup.Start.Before(opening) {
		pickup.Start = opening
	}
	if day := l.pickupDay(from, pickup.Start); day != dayOf(pickup.Start.Date()) {
		pickup.Start = dayBegins.on(day, from)
	}
	pickup.End = pickup.Start.Add(wide)
	return pickup
}

// nextHour returns the first full hour that is not before a time, by its clock.
func nextHour(at time.Time) time.Time {
	full := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), 0, 0, 0, at.Location())
	if full.Before(at) {
		full = full.Add(time.Hour)
	}
	return full
}
