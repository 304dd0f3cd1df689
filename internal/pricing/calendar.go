package pricing

import (
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // so that a bare container knows the time zones

	"github.com/dropyard/dropyard/internal/delivery"
)

// day is a date, counted in days from 1 January 1970.
type day int64

const secondsPerDay = 24 * 60 * 60

func dayOf(year int, month time.Month, date int) day {
	return day(time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Unix() / secondsPerDay)
}

func (d day) midnight() time.Time   { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }
func (d day) weekday() time.Weekday { return d.midnight().Weekday() }

// place is a province as the calendar sees it.
type place struct {
	clock    *time.Location
	holidays []rule
}

// places has every province. Where a province spans several time zones, its
// clock is that of its capital; so is the Northwest Territories' and Nunavut's.
var places = openPlaces(map[string]string{
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
})

func openPlaces(zones map[string]string) map[string]*place {
	opened := make(map[string]*place, len(zones))
	for _, province := range delivery.Provinces {
		clock, err := time.LoadLocation(zones[province])
		if err != nil {
			panic("pricing: " + err.Error()) // cannot be: time/tzdata is linked in
		}
		opened[province] = &place{clock: clock, holidays: holidaysOf(province)}
	}
	return opened
}

func holidaysOf(province string) (rules []rule) {
	for _, holiday := range holidays {
		if slices.Contains(strings.Fields(holiday.provinces), province) {
			rules = append(rules, holiday.rule)
		}
	}
	return rules
}

// isBusinessDay is false at weekends and on the province's statutory holidays.
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

// businessDayFrom is the given day if it is a business day, or else the next
// one that is.
func (p *place) businessDayFrom(d day) day {
	for !p.isBusinessDay(d) {
		d++
	}
	return d
}

// after is so many business days after the given day, which need not be one
// itself. After no days at all it is the first business day from that day on.
func (p *place) after(d day, businessDays int) day {
	d = p.businessDayFrom(d + min(1, day(businessDays)))
	for range businessDays - 1 {
		d = p.businessDayFrom(d + 1)
	}
	return d
}
