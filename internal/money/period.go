package money

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/date"
)

// Period is a month of the calendar: the number of months since January of the year 0. 0 can stand for none.
type Period int64

const monthsPerYear = 12

// PeriodOf returns the month of a date.
func PeriodOf(day date.Day) Period {
	at := day.Midnight()
	return Period(at.Year()*monthsPerYear + int(at.Month()) - 1)
}

// periodLayout is how a month is written, such as 2026-11.
const periodLayout = "2006-01"

// ParsePeriod reads a month such as 2026-11. It is false for any other text, and for months before February 1970,
// whose days no date has.
func ParsePeriod(text string) (p Period, ok bool) {
	at, err := time.Parse(periodLayout, text)
	if err != nil || at.Unix() <= 0 {
		return 0, false
	}
	return PeriodOf(date.On(at.Year(), at.Month(), 1)), true
}

// String returns the month as ParsePeriod reads it.
func (p Period) String() string {
	return fmt.Sprintf("%04d-%02d", p/monthsPerYear, p%monthsPerYear+1)
}

// First returns the first day of the month.
func (p Period) First() date.Day {
	return date.On(int(p/monthsPerYear), time.Month(p%monthsPerYear+1), 1)
}

// Last returns the last day of the month.
func (p Period) Last() date.Day { return (p + 1).First() - 1 }

// MarshalText returns the month as ParsePeriod reads it; nothing for 0.
func (p Period) MarshalText() ([]byte, error) {
	if p == 0 {
		return []byte{}, nil
	}
	return []byte(p.String()), nil
}

// UnmarshalText reads what MarshalText returns.
func (p *Period) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = 0
		return nil
	}
	read, ok := ParsePeriod(string(text))
	if !ok {
		return fmt.Errorf("%q is not a month", text)
	}
	*p = read
	return nil
}
