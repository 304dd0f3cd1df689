package pricing_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPropose proposes windows by the default card: before and after the cut-off, at night, before a weekend, and for a
// place far to the east.
func TestPropose(t *testing.T) {
	t.Parallel()
	montreal := delivery.Address{Province: "QC", City: "Montréal", PostalCode: "H2W 2M5"}
	toronto := delivery.Address{Province: "ON", City: "Toronto", PostalCode: "M5H 2N2"}
	clock := testkit.Calendar().Clock("QC")
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 1, day, hour, minute, 0, 0, clock) }
	const layout = "Mon 15:04"
	for name, c := range map[string]struct {
		level                  delivery.ServiceLevel
		to                     delivery.Address
		now                    time.Time
		pickup, until, dropoff string
	}{
		"in the morning":    {delivery.SameDay, montreal, at(14, 8, 10), "Wed 10:00", "Wed 13:00", "Wed"},
		"after the cut-off": {delivery.SameDay, montreal, at(14, 17, 0), "Thu 09:00", "Thu 12:00", "Thu"},
		"at night":          {delivery.Express, toronto, at(14, 2, 0), "Wed 09:00", "Wed 12:00", "Fri"},
		"before a weekend":  {delivery.Express, toronto, at(16, 21, 0), "Mon 09:00", "Mon 12:00", "Wed"},
	} {
		s := delivery.Shipment{
			ServiceLevel: c.level, Pickup: delivery.Contact{Address: montreal}, Dropoff: delivery.Contact{Address: c.to},
		}
		pickup, dropoff, ok := pricing.DefaultCard().Propose(testkit.Calendar(), s, c.now)
		if got := pickup.Start.Format(layout); !ok || got != c.pickup {
			t.Errorf("%s: got a pickup from %s, %t, want %s", name, got, ok, c.pickup)
		}
		if got := pickup.End.Format(layout); got != c.until {
			t.Errorf("%s: got a pickup until %s, want %s", name, got, c.until)
		}
		if got := dropoff.Start.Format("Mon"); got != c.dropoff || !dropoff.End.After(dropoff.Start) ||
			dropoff.Start.Before(pickup.End) {
			t.Errorf("%s: got a delivery from %s until %s, want on %s after the pickup", name, dropoff.Start, dropoff.End,
				c.dropoff)
		}
	}
}
