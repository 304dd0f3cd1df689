package pricing

import (
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/zone"
)

// day is a date: the number of days since 1 January 1970.
type day int64

const secondsPerDay = 24 * 60 * 60

func dayOf(year int, month time.Month, date int) day {
	return day(time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

func (d day) midnight() time.Time   { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }
func (d day) weekday() time.Weekday { return d.midnight().Weekday() }

// place is what the calendar knows of a province.
type place struct {
	clock    *time.Location
	holidays []rule
}

// zones names the time zone of every province and territory, or that of its capital if it
// spans several (see localZones).
var zones = map[string]string{
	"AB": "America/Edmonton",
	"BC": "America/Vancouver",
	"MB": "America/Winnipeg",
	"NB": "America/Moncton",
	"NL": "America/St_Johns",
	"NS": "America/Halifax",
	"NT": "America/Yellowknife",
	"NU": "America/Iqaluit",
	"ON": "America/Toronto",
	"PE": "America/Halifax",
	"QC": "America/Toronto",
	"SK": "America/Regina",
	"YT": "America/Whitehorse",
}

// Calendar knows the local time and the business days of every province. It is not
// changed, so many goroutines may use it.
type Calendar struct {
	places map[string]*place
	local  map[string]*time.Location // by the names of localZones
}

// NewCalendar returns a calendar that goes by the given time zones.
func NewCalendar(data *zone.Database) *Calendar {
	c := &Calendar{make(map[string]*place, len(zones)), make(map[string]*time.Location)}
	for _, province := range delivery.Provinces {
		c.places[province] = &place{clock: mustLocation(data, zones[province]), holidays: holidaysOf(province)}
	}
	for _, name := range localZones {
		c.local[name] = mustLocation(data, name)
	}
	return c
}

func mustLocation(data *zone.Database, name string) *time.Location {
	clock := data.Location(name)
	if clock == nil {
		panic("pricing: there is no time zone " + name) // cannot happen: every database has it
	}
	return clock
}

// Clock returns the time zone of a province, or UTC if there is no such province. A nil
// calendar has no province; it serves callers that need no prices.
func (c *Calendar) Clock(province string) *time.Location {
	if c != nil && c.places[province] != nil {
		return c.places[province].clock
	}
	return time.UTC
}

func holidaysOf(province string) (rules []rule) {
	for _, holiday := range holidays {
		if slices.Contains(strings.Fields(holiday.provinces), province) {
			rules = append(rules, holiday.rule)
		}
	}
	return rules
}

// isBusinessDay reports whether a day is neither on a weekend nor a statutory
// holiday of the province.
func (p *place) isBusinessDay(d day) bool {
	midnight := d.midnight()
	if weekday := midnight.Weekday(); weekday == time.Saturday || weekday == time.Sunday {
		return false
	}
	year, month, _ := midnight.Date()
	for _, rule := range p.holidays {
		if rule.mayFallIn(month) && rule.in(year) == d {
			return false
		}
	}
	return true
}

// businessDayFrom returns the first business day that is not before d.
func (p *place) businessDayFrom(d day) day {
	for !p.isBusinessDay(d) {
		d++
	}
	return d
}

// addBusinessDays returns the n-th business day after d, which need not be a
// business day itself. For n = 0 it is the first business day not before d.
func (p *place) addBusinessDays(d day, n int) day {
	d = p.businessDayFrom(d + min(1, day(n)))
	for range n - 1 {
		d = p.businessDayFrom(d + 1)
	}
	return d
}
