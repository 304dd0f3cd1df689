package pricing_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/pricing"
)

// zoneLaws has the changes of the clocks of every time zone that places have, from 2025 to 2027,
// as clockLaws has those of provinces.
var zoneLaws = map[string][]string{
	"America/St_Johns":      clockLaws["NL"],
	"America/Goose_Bay":     atlantic,
	"America/Halifax":       atlantic,
	"America/Moncton":       atlantic,
	"America/Blanc-Sablon":  {"-4h"},
	"America/Toronto":       eastern,
	"America/Iqaluit":       eastern,
	"America/Atikokan":      {"-5h"},
	"America/Winnipeg":      clockLaws["MB"],
	"America/Rankin_Inlet":  centralInNunavut,
	"America/Resolute":      centralInNunavut,
	"America/Regina":        {"-6h"},
	"America/Edmonton":      clockLaws["AB"],
	"America/Yellowknife":   clockLaws["NT"],
	"America/Cambridge_Bay": mountainInNunavut,
	"America/Creston":       {"-7h"},
	"America/Dawson_Creek":  {"-7h"},
	"America/Fort_Nelson":   {"-7h"},
	"America/Whitehorse":    {"-7h"},
	"America/Vancouver":     clockLaws["BC"],
}

// TestEveryZoneFollowsTheLaw: the clocks of every time zone change when the law says so, and at no
// other time.
func TestEveryZoneFollowsTheLaw(t *testing.T) {
	t.Parallel()
	used := map[string]*time.Location{}
	for _, clock := range pricing.OwnCalendar.Clocks() {
		used[clock.String()] = clock
	}
	if got, want := sorted(used), sorted(zoneLaws); !slices.Equal(got, want) {
		t.Errorf("got the time zones %v, want laws of the same, not of %v", got, want)
	}
	from := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	for name, clock := range used {
		want := map[string]bool{}
		for i, text := range zoneLaws[name] {
			want[written(shiftOf(t, text, i == 0, from))] = true
		}
		got := map[string]bool{}
		for _, shift := range zone.Shifts(clock, from, from.AddDate(3, 0, 0)) {
			got[written(shift)] = true
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s: got beyond the law %v, and not what it says: %v", name, without(got, want), without(want, got))
		}
	}
}

func written(s zone.Shift) string {
	return s.At.Format("2006-01-02 15:04") + " UTC to " + s.East.String()
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// without returns the texts of one set that are not in another.
func without(one, other map[string]bool) string {
	only := slices.DeleteFunc(sorted(one), func(text string) bool { return other[text] })
	return strings.Join(only, ", ")
}
