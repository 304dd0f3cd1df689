// Package date has days without a time.
package date

import (
	"fmt"
	"time"
)

// Day is a date: the number of days since 1 January 1970. 0 can stand for none.
type Day int64

const secondsPerDay = 24 * 60 * 60

// Of returns the date of a time in a zone.
func Of(at time.Time, zone *time.Location) Day {
	_, east := at.In(zone).Zone()
	return Day((at.Unix() + int64(east)) / secondsPerDay)
}

// On returns a date by its parts, which are brought into their ranges as time.Date does.
func On(year int, month time.Month, day int) Day {
	return Day(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

// Parse reads a date such as 2026-11-21. It is false for any other text, and for
// dates until 1 January 1970.
func Parse(text string) (day Day, ok bool) {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil || at.Unix() <= 0 {
		return 0, false
	}
	return Day(at.Unix() / secondsPerDay), true
}

// String returns the date as Parse reads it.
func (d Day) String() string { return d.Midnight().Format(time.DateOnly) }

// Midnight returns the time at which the date begins in UTC.
func (d Day) Midnight() time.Time { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }

// MarshalText returns the date as Parse reads it; nothing for 0.
func (d Day) MarshalText() ([]byte, error) {
	if d == 0 {
		return []byte{}, nil
	}
	return []byte(d.String()), nil
}

// UnmarshalText reads what MarshalText returns.
func (d *Day) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = 0
		return nil
	}
	day, ok := Parse(string(text))
	if !ok {
		return fmt.Errorf("%q is not a date", text)
	}
	*d = day
	return nil
}
