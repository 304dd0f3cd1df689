package pricing

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

func TestEaster(t *testing.T) {
	t.Parallel()
	for _, want := range []string{
		"2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2028-04-16", "2029-04-01", "2030-04-21",
		"2031-04-13", "2032-03-28", "2033-04-17", "2034-04-09", "2035-03-25", "2038-04-25", "2285-03-22",
	} {
		at := mustDate(t, want)
		if got := easter(at.Year()).midnight(); !got.Equal(at) {
			t.Errorf("easter(%d): got %s, want %s", at.Year(), got.Format(time.DateOnly), want)
		}
	}
}

// TestHolidaysOfAYear compares with a table that was written by hand, from each
// province's list and a calendar. All provinces and years were once compared with
// the Python package holidays; holidays.go gives the reasons for the differences.
// The table holds weekdays only: a holiday on a weekend changes nothing.
func TestHolidaysOfAYear(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		province string
		year     int
		weekdays string // month-day
	}{
		{"ON", 2025, "01-01 02-17 04-18 05-19 07-01 09-01 10-13 12-25 12-26"},
		{"ON", 2027, "01-01 02-15 03-26 05-24 07-01 09-06 10-11"}, // Christmas on a weekend
		{"QC", 2026, "01-01 04-03 05-18 06-24 07-01 09-07 10-12 12-25"},
		{"QC", 2029, "01-01 03-30 05-21 06-25 07-02 09-03 10-08 12-25"}, // June 24, July 1 on Sunday
		{"QC", 2028, "04-14 05-22 09-04 10-09 12-25"},                   // both on Saturday
		{"BC", 2026, "01-01 02-16 04-03 05-18 07-01 08-03 09-07 09-30 10-12 11-11 12-25"},
		{"AB", 2025, "01-01 02-17 04-18 05-19 07-01 09-01 10-13 11-11 12-25"},
		{"SK", 2033, "02-21 04-15 05-23 07-01 08-01 09-05 10-10 11-11 12-26"}, // January 1 on Saturday
		{"SK", 2034, "01-02 02-20 04-07 05-22 08-07 09-04 10-09 12-25"},       // January 1 on Sunday
		{"MB", 2025, "01-01 02-17 04-18 05-19 07-01 09-01 09-30 10-13 12-25"},
		{"NB", 2025, "01-01 02-17 04-18 07-01 08-04 09-01 11-11 12-25"},
		{"NS", 2030, "01-01 02-18 04-19 07-01 09-02 12-25"},
		{"PE", 2026, "01-01 02-16 04-03 07-01 09-07 09-30 11-11 12-25"},
		{"NL", 2035, "01-01 03-23 07-02 09-03 12-25"}, // July 1, November 11 on Sunday
		{"NT", 2027, "01-01 03-26 05-24 06-21 07-01 08-02 09-06 09-30 10-11 11-11"},
		{"NU", 2031, "01-01 04-11 05-19 07-01 07-09 08-04 09-01 09-30 10-13 11-11 12-25"},
		{"YT", 2032, "01-01 03-26 05-24 06-21 07-01 08-16 09-06 09-30 10-11 11-11"},
	} {
		if got := weekdayHolidays(test.province, test.year); got != test.weekdays {
			t.Errorf("%s in %d:\n got %s\nwant %s", test.province, test.year, got, test.weekdays)
		}
	}
}

func weekdayHolidays(province string, year int) string {
	var found []string
	for d := dayOf(year, time.January, 1); d < dayOf(year+1, time.January, 1); d++ {
		weekday := d.weekday()
		if weekday != time.Saturday && weekday != time.Sunday && !OwnCalendar.places[province].isBusinessDay(d) {
			found = append(found, d.midnight().Format("01-02"))
		}
	}
	return strings.Join(found, " ")
}

func TestAddBusinessDays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		province, from string
		days           int
		want           string
	}{
		{"ON", "2026-03-02", 0, "2026-03-02"}, // a Monday
		{"ON", "2026-03-02", 3, "2026-03-05"},
		{"ON", "2026-03-05", 3, "2026-03-10"}, // over a weekend
		{"ON", "2026-03-07", 0, "2026-03-09"}, // a Saturday
		{"ON", "2026-03-07", 1, "2026-03-09"},
		{"ON", "2026-04-02", 1, "2026-04-06"}, // over Good Friday
		{"QC", "2026-06-23", 1, "2026-06-25"}, // over the National Holiday
		{"ON", "2026-06-23", 1, "2026-06-24"},
		{"ON", "2026-12-24", 1, "2026-12-28"}, // over Christmas and the weekend
	} {
		got := OwnCalendar.places[test.province].addBusinessDays(dateOf(t, test.from), test.days)
		if got != dateOf(t, test.want) {
			t.Errorf("%s, %d business days after %s: got %s, want %s", test.province, test.days, test.from,
				got.midnight().Format(time.DateOnly), test.want)
		}
	}
}

func TestHolidayTableNamesProvinces(t *testing.T) {
	t.Parallel()
	for _, holiday := range holidays {
		for province := range strings.FieldsSeq(holiday.provinces) {
			if !slices.Contains(delivery.Provinces, province) {
				t.Errorf("%s: %q is not a province", holiday.name, province)
			}
		}
	}
}

func TestMulDivRoundsHalfUp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ amount, numerator, denominator, want int64 }{
		{0, 5, 10, 0},
		{1, 49, 100, 0},
		{1, 50, 100, 1},
		{3, 50, 100, 2},
		{1, 1, 3, 0},
		{2, 1, 3, 1},
		{delivery.MaxCents, uploadRules.cadPer10000USD * wholeBasisPoints, 10_000 * wholeBasisPoints, 100 *
			delivery.MaxCents},
		{1 << 46, uploadRules.cents, unitsPerKg, 1_407_374_883_553}, // 2^46 * 1e8 / 5e9 = …553.28
	} {
		if got := MulDiv(test.amount, test.numerator, test.denominator); got != test.want {
			t.Errorf("MulDiv(%d, %d, %d): got %d, want %d", test.amount, test.numerator, test.denominator, got, test.want)
		}
	}
}

func dateOf(t *testing.T, text string) day {
	t.Helper()
	return dayOf(mustDate(t, text).Date())
}

func mustDate(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
