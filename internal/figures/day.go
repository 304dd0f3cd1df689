package figures

import (
	"time"

	"github.com/dropyard/dropyard/internal/foundation/date"
)

// Clock returns the time zone of a province, and UTC if there is no such province. Nil has
// no province.
type Clock func(province string) *time.Location

// DayOf returns the local date of a time in a province.
func DayOf(clock Clock, at time.Time, province string) date.Day {
	if clock == nil {
		return date.Of(at, time.UTC)
	}
	return date.Of(at, clock(province))
}

// Today returns the latest date that has begun in any province.
func Today(clock Clock, now time.Time) date.Day { return DayOf(clock, now, easternmost) }

const easternmost = "NL"

// Filter selects rows to be summed up.
type Filter struct {
	PartnerID   string   // empty for all
	CourierID   string   // empty for all
	First, Last date.Day // both included
	ByCourier   bool     // a sum for each courier, and one for what no courier did
}
