package pricing_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
)

func TestEstimates(t *testing.T) {
	t.Parallel()
	const montreal, toronto, vancouver, stJohns, regina = "H2X 1Y4", "M5V 2T6", "V6B 1A1", "A1C 5H1", "S4P 3Y2"
	for _, test := range []struct {
		name      string
		level     delivery.ServiceLevel
		from, to  string
		now       string
		window    string // start of the pickup window
		want      string
		transited int
	}{
		{
			"standard to a neighbour", delivery.Standard, montreal, toronto, "2026-03-02T10:00:00-05:00", "",
			"2026-03-06T18:00:00-05:00", 4,
		},
		{
			"over a weekend and into summer time", delivery.Standard, montreal, toronto, "2026-03-04T10:00:00-05:00", "",
			"2026-03-10T18:00:00-04:00", 4,
		},
		{
			"across the country", delivery.Standard, vancouver, stJohns, "2026-03-02T10:00:00-08:00", "",
			"2026-03-09T18:00:00-02:30", 5,
		},
		{"express", delivery.Express, montreal, montreal, "2026-03-02T10:00:00-05:00", "", "2026-03-03T18:00:00-05:00", 1},
		{"same day", delivery.SameDay, montreal, montreal, "2026-03-02T10:00:00-05:00", "", "2026-03-02T18:00:00-05:00", 0},
		{
			"at the cut-off", delivery.SameDay, montreal, montreal, "2026-03-02T13:00:00-05:00", "", "2026-03-02T18:00:00-05:00",
			0,
		},
		{
			"past the cut-off", delivery.SameDay, montreal, montreal, "2026-03-02T13:00:00.001-05:00", "",
			"2026-03-03T18:00:00-05:00", 0,
		},
		{
			"cut-off by the pickup's clock", delivery.Express, vancouver, vancouver, "2026-03-02T15:30:00-05:00", "",
			"2026-03-03T18:00:00-08:00", 1,
		},
		{
			"on a Saturday", delivery.SameDay, montreal, montreal, "2026-03-07T09:00:00-05:00", "", "2026-03-09T18:00:00-04:00",
			0,
		},
		{
			"late on a Friday", delivery.Express, montreal, montreal, "2026-03-06T14:00:00-05:00", "",
			"2026-03-10T18:00:00-04:00", 1,
		},
		{
			"holiday at pickup", delivery.Express, montreal, toronto, "2026-06-24T09:00:00-04:00", "",
			"2026-06-29T18:00:00-04:00", 2,
		},
		{
			"holiday at dropoff", delivery.Express, toronto, montreal, "2026-06-23T09:00:00-04:00", "",
			"2026-06-26T18:00:00-04:00", 2,
		},
		{
			"same day into a holiday", delivery.SameDay, toronto, montreal, "2026-06-24T09:00:00-04:00", "",
			"2026-06-25T18:00:00-04:00", 0,
		},
		{
			"no summer time", delivery.Standard, regina, regina, "2026-07-06T10:00:00-06:00", "", "2026-07-09T18:00:00-06:00", 3,
		},
		{
			"later window", delivery.Express, montreal, montreal, "2026-03-02T10:00:00-05:00", "2026-03-05T09:00:00-05:00",
			"2026-03-06T18:00:00-05:00", 1,
		},
		{
			"later window past the cut-off", delivery.Express, montreal, montreal, "2026-03-02T10:00:00-05:00",
			"2026-03-05T16:00:00-05:00", "2026-03-09T18:00:00-04:00", 1,
		},
		{
			"window that has begun", delivery.Express, montreal, montreal, "2026-03-02T10:00:00-05:00",
			"2025-03-02T10:00:00-05:00", "2026-03-03T18:00:00-05:00", 1,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := delivery.Shipment{
				ServiceLevel: test.level, Pickup: at(test.from), Dropoff: at(test.to),
				Parcels: []delivery.Parcel{parcelOf(1, 1)},
			}
			if test.window != "" {
				s.Pickup.Window.Start = moment(t, test.window)
			}
			got := priced(t, s, moment(t, test.now))
			if want := moment(t, test.want); !got.EstimatedDelivery.Equal(want) {
				t.Errorf("got estimate %s, want %s", got.EstimatedDelivery, want.UTC())
			}
			if got.TransitDays != test.transited {
				t.Errorf("got %d transit days, want %d", got.TransitDays, test.transited)
			}
		})
	}
}

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestSameDayTooFarEast: at 17:00 in Vancouver it is 21:30 in St. John's, too
// late for that day.
func TestSameDayTooFarEast(t *testing.T) {
	t.Parallel()
	card := parsed(t, strings.ReplaceAll(defaultJSON(t), `"cut_off": "13:00"`, `"cut_off": "17:30"`))
	s := delivery.Shipment{
		ServiceLevel: delivery.SameDay, Pickup: at("V6B 1A1"), Dropoff: at("A1C 5H1"),
		Parcels: []delivery.Parcel{parcelOf(1, 1)},
	}
	price, err := card.Price(pricing.OwnCalendar, s, moment(t, "2026-01-16T17:00:00-08:00")) // a Friday
	if want := moment(t, "2026-01-19T18:00:00-03:30"); err != nil || !price.EstimatedDelivery.Equal(want) {
		t.Errorf("got estimate %s, %v, want %s", price.EstimatedDelivery, err, want.UTC())
	}
}

// TestEstimateKeepsFourDigitYears: however late a window opens, RFC 3339 can
// write the estimate.
func TestEstimateKeepsFourDigitYears(t *testing.T) {
	t.Parallel()
	s := delivery.Shipment{
		ServiceLevel: delivery.Standard, Pickup: at("V6B 1A1"), Dropoff: at("B3J 1S9"),
		Parcels: []delivery.Parcel{parcelOf(1, 1)},
	}
	s.Pickup.Window.Start = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
	if _, err := priced(t, s, monday).EstimatedDelivery.MarshalText(); err != nil {
		t.Errorf("the estimate for a window in 9999: %v", err)
	}
}

func TestEstimateIsInBusinessHoursAndLater(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s, now := shipments().Draw(t, "shipment"), moments().Draw(t, "now")
		estimate := priced(t, s, now).EstimatedDelivery
		if !estimate.After(now) || estimate.Before(s.Pickup.Window.Start) {
			t.Fatalf("got estimate %s, want it after %s and the window's start %s", estimate, now, s.Pickup.Window.Start)
		}
		local := estimate.In(pricing.OwnCalendar.Clock(s.Dropoff.Address.Province))
		if local.Hour() != 18 || local.Minute() != 0 || estimate.Location() != time.UTC {
			t.Fatalf("got estimate %s, local %s, want 18:00 there, in UTC", estimate, local)
		}
		if !pricing.IsBusinessDay(s.Dropoff.Address.Province, local) {
			t.Fatalf("got estimate %s, want a business day in %s", local, s.Dropoff.Address.Province)
		}
	})
}

func TestFasterIsNoLater(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s, now := shipments().Draw(t, "shipment"), moments().Draw(t, "now")
		var slower time.Time
		for _, level := range delivery.ServiceLevels { // slowest first
			s.ServiceLevel = level
			estimate := priced(t, s, now).EstimatedDelivery
			if !slower.IsZero() && estimate.After(slower) {
				t.Fatalf("%s: got estimate %s, want at most that of the slower level, %s", level, estimate, slower)
			}
			slower = estimate
		}
	})
}
