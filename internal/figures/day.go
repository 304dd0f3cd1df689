package figures

import "time"

// Day is a date: the number of days since 1 January 1970.
type Day int64

const secondsPerDay = 24 * 60 * 60

// Clock returns the time zone of a province, and UTC if there is no such province. Nil has
// no province.
type Clock func(province string) *time.Location

// DayOf returns the local date of a time in a province.
func DayOf(clock Clock, at time.Time, province string) Day {
	east := 0
	if clock != nil {
		_, east = at.In(clock(province)).Zone()
	}
	return Day((at.Unix() + int64(east)) / secondsPerDay)
}

// Today returns the latest date that has begun in any province.
func Today(clock Clock, now time.Time) Day { return DayOf(clock, now, easternmost) }

const easternmost = "NL"

// ParseDay reads a date such as 2026-11-21. It is false for any other text, and for
// dates until 1 January 1970, so that 0 can stand for none.
func ParseDay(text string) (day Day, ok bool) {
	at, err := time.Parse(time.DateOnly, text)
	return Day(at.Unix() / secondsPerDay), err == nil && at.Unix() > 0
}

// String returns the date as ParseDay reads it.
func (d Day) String() string { return time.Unix(int64(d)*secondsPerDay, 0).UTC().Format(time.DateOnly) }

// Filter selects rows to be summed up.
type Filter struct {
	PartnerID   string // empty for all
	CourierID   string // empty for all
	First, Last Day    // both included
	ByCourier   bool   // a sum for each courier, and one for what no courier did
}
