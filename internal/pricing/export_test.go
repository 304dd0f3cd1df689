package pricing

import "time"

// IsBusinessDay lets the properties ask the calendar, which calendar_test.go
// holds to known answers.
func IsBusinessDay(province string, local time.Time) bool {
	return places[province].isBusinessDay(dayOf(local.Date()))
}

// Clocks is every province's time zone.
func Clocks() map[string]string {
	clocks := make(map[string]string, len(places))
	for province, place := range places {
		clocks[province] = place.clock.String()
	}
	return clocks
}

// HolidayRow is a row of the table of holidays.
type HolidayRow struct{ Name, Provinces string }

// Holidays is the table of holidays.
func Holidays() (rows []HolidayRow) {
	for _, holiday := range holidays {
		rows = append(rows, HolidayRow{holiday.name, holiday.provinces})
	}
	return rows
}
