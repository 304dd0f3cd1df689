package pricing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/pricing"
)

// clockLaws has the changes of the clocks of every jurisdiction from 2025 to 2027 by the law
// of November 2026: how they are on 1 January 2025, and the changes in UTC. British Columbia,
// Alberta, Manitoba and the Northwest Territories have stayed on the time of summer since 8
// March 2026. A test that fails after renew.py was run names a province whose law has changed.
var clockLaws = map[string][]string{
	"AB": {"-7h", "2025-03-09 09:00 -6h", "2025-11-02 08:00 -7h", "2026-03-08 09:00 -6h"},
	"BC": {"-8h", "2025-03-09 10:00 -7h", "2025-11-02 09:00 -8h", "2026-03-08 10:00 -7h"},
	"MB": {"-6h", "2025-03-09 08:00 -5h", "2025-11-02 07:00 -6h", "2026-03-08 08:00 -5h"},
	"NT": {"-7h", "2025-03-09 09:00 -6h", "2025-11-02 08:00 -7h", "2026-03-08 09:00 -6h"},
	"SK": {"-6h"},
	"YT": {"-7h"},
	"NB": atlantic, "NS": atlantic, "PE": atlantic,
	"ON": eastern, "QC": eastern, "NU": eastern,
	"NL": {
		"-3h30m", "2025-03-09 05:30 -2h30m", "2025-11-02 04:30 -3h30m", "2026-03-08 05:30 -2h30m", "2026-11-01 04:30 -3h30m",
		"2027-03-14 05:30 -2h30m", "2027-11-07 04:30 -3h30m",
	},
}

var (
	atlantic = []string{
		"-4h", "2025-03-09 06:00 -3h", "2025-11-02 05:00 -4h", "2026-03-08 06:00 -3h", "2026-11-01 05:00 -4h",
		"2027-03-14 06:00 -3h", "2027-11-07 05:00 -4h",
	}
	eastern = []string{
		"-5h", "2025-03-09 07:00 -4h", "2025-11-02 06:00 -5h", "2026-03-08 07:00 -4h", "2026-11-01 06:00 -5h",
		"2027-03-14 07:00 -4h", "2027-11-07 06:00 -5h",
	}
)

func TestClocksFollowTheLaw(t *testing.T) {
	t.Parallel()
	from, until := time.Date(2025, time.January, 1, 0, 0, 0, 0,
		time.UTC), time.Date(2028, time.January, 1, 0, 0, 0, 0, time.UTC)
	if got := len(clockLaws); got != len(delivery.Provinces) {
		t.Errorf("got the laws of %d jurisdictions, want %d", got, len(delivery.Provinces))
	}
	for _, province := range delivery.Provinces {
		var want []zone.Shift
		for i, text := range clockLaws[province] {
			want = append(want, shiftOf(t, text, i == 0, from))
		}
		got := zone.Shifts(pricing.OwnCalendar.Clock(province), from, until)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n got %v\nwant %v", province, got, want)
		}
	}
}

// shiftOf reads an entry of clockLaws. The first is how the clocks are at the beginning.
func shiftOf(t *testing.T, text string, first bool, from time.Time) zone.Shift {
	t.Helper()
	east, at := text, from
	if !first {
		var err error
		if at, err = time.Parse("2006-01-02 15:04", text[:16]); err != nil {
			t.Fatal(err)
		}
		east = text[17:]
	}
	offset, err := time.ParseDuration(east)
	if err != nil {
		t.Fatal(err)
	}
	return zone.Shift{At: at, East: offset}
}
