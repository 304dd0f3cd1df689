package pricing

import "time"

// IsBusinessDay exports the calendar, which calendar_test.go tests, for property
// tests.
func IsBusinessDay(province string, local time.Time) bool {
	return places[province].isBusinessDay(dayOf(local.Date()))
}

// Clocks returns the time zone of every province.
func Clocks() map[string]string {
	clocks := make(map[string]string, len(places))
	for province, place := range places {
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
