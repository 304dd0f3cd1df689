package pricing_test

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
)

// TestWindowsOfBusinessDays: a window needs a business day by the clock and the holidays of its
// place.
func TestWindowsOfBusinessDays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		province, start, end string
		warned               bool
	}{
		"a Thursday":              {"QC", "2026-01-15T09:00:00-05:00", "2026-01-15T17:00:00-05:00", false},
		"a Saturday":              {"QC", "2026-01-17T09:00:00-05:00", "2026-01-17T17:00:00-05:00", true},
		"a weekend until Monday":  {"QC", "2026-01-17T09:00:00-05:00", "2026-01-19T00:00:00-05:00", true},
		"a weekend and a Monday":  {"QC", "2026-01-17T09:00:00-05:00", "2026-01-19T09:00:00-05:00", false},
		"a Friday until midnight": {"QC", "2026-01-16T20:00:00-05:00", "2026-01-17T00:00:00-05:00", false},
		"Saturday in the west":    {"BC", "2026-01-18T22:00:00-08:00", "2026-01-18T23:30:00-08:00", true},
		"a holiday of Quebec":     {"QC", "2026-06-24T09:00:00-04:00", "2026-06-24T17:00:00-04:00", true},
		"the same day in Ontario": {"ON", "2026-06-24T09:00:00-04:00", "2026-06-24T17:00:00-04:00", false},
	} {
		contact := delivery.Contact{Address: delivery.Address{Province: c.province}}
		contact.Window = delivery.Window{Start: moment(t, c.start), End: moment(t, c.end)}
		dropoff := delivery.Contact{Address: contact.Address}
		got := pricing.OwnCalendar.Warnings(&delivery.Shipment{Pickup: contact, Dropoff: dropoff})
		want := []delivery.Warning(nil)
		if c.warned {
			want = append(want, delivery.NewWarning(delivery.WarningNoBusinessDay, "pickup.time_window"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, want a warning: %t", name, got, c.warned)
		}
	}
}
