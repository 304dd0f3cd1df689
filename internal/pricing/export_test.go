package pricing

import (
	"time"

	"github.com/dropyard/dropyard/internal/foundation/zone"
)

// OwnCalendar goes by the time zones that the program carries.
var OwnCalendar = NewCalendar(zone.Own())

// IsBusinessDay exports the calendar, which calendar_test.go tests, for property
// tests.
func IsBusinessDay(province string, local time.Time) bool {
	return OwnCalendar.places[province].isBusinessDay(dayOf(local.Date()))
}

// Clocks returns the time zone of every province.
func Clocks() map[string]string {
	clocks := make(map[string]string, len(OwnCalendar.places))
	for province, place := range OwnCalendar.places {
		clocks[province] = place.clock.String()
	}
	return clocks
}

// HolidayRow is a row of the table of holidays.
type HolidayRow struct{ Name, Provinces string }

// Holidays returns the table of holidays.
func Holidays() (rows []HolidayRow) {
	for _, holiday := range holidays {
		rows = append(rows, HolidayRow{holiday.name, holiday.provinces})
	}
	return rows
}
