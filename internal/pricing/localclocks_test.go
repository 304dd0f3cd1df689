package pricing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/pricing"
)

// mountainInNunavut and centralInNunavut are the changes of clocks of a territory that has not
// ended them.
var (
	mountainInNunavut = []string{
		"-7h", "2025-03-09 09:00 -6h", "2025-11-02 08:00 -7h", "2026-03-08 09:00 -6h", "2026-11-01 08:00 -7h",
		"2027-03-14 09:00 -6h", "2027-11-07 08:00 -7h",
	}
	centralInNunavut = []string{
		"-6h", "2025-03-09 08:00 -5h", "2025-11-02 07:00 -6h", "2026-03-08 08:00 -5h", "2026-11-01 07:00 -6h",
		"2027-03-14 08:00 -5h", "2027-11-07 07:00 -6h",
	}
)

// TestLocalClocks: places with other clocks than the capital of their province have their own,
// and their neighbours those of the province.
func TestLocalClocks(t *testing.T) {
	t.Parallel()
	from := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(3, 0, 0)
	for _, place := range []struct {
		name, province, postalCode string
		law                        []string
	}{
		{"Cranbrook", "BC", "V1C 2H5", clockLaws["AB"]},
		{"Golden", "BC", "V0A 1H0", clockLaws["AB"]},
		{"Creston", "BC", "V0B 1G0", []string{"-7h"}},
		{"Fernie", "BC", "V0B 1M0", clockLaws["AB"]},
		{"Dawson Creek", "BC", "V1G 4P7", []string{"-7h"}},
		{"Fort Nelson", "BC", "v0c1r0", []string{"-7h"}},
		{"Vancouver", "BC", "V6B 1A1", clockLaws["BC"]},
		{"Lloydminster", "SK", "S9V 0A1", clockLaws["AB"]},
		{"Lloydminster", "AB", "T9V 0A1", clockLaws["AB"]},
		{"Regina", "SK", "S4P 3Y2", clockLaws["SK"]},
		{"Kenora", "ON", "P9N 1A1", clockLaws["MB"]},
		{"Dryden", "ON", "P8N 1A1", clockLaws["MB"]},
		{"Fort Frances", "ON", "P9A 1A1", clockLaws["MB"]},
		{"Atikokan", "ON", "P0T 1C0", []string{"-5h"}},
		{"Marathon", "ON", "P0T 2E0", clockLaws["ON"]},
		{"Thunder Bay", "ON", "P7B 1A1", clockLaws["ON"]},
		{"Magdalen Islands", "QC", "G4T 1A1", atlantic},
		{"Blanc-Sablon", "QC", "G0G 1C0", []string{"-4h"}},
		{"Havre-Saint-Pierre", "QC", "G0G 1P0", clockLaws["QC"]},
		{"Goose Bay", "NL", "A0P 1C0", atlantic},
		{"Labrador City", "NL", "A2V 1A1", atlantic},
		{"Mary's Harbour", "NL", "A0K 3P0", clockLaws["NL"]},
		{"St. John's", "NL", "A1C 5H1", clockLaws["NL"]},
		{"Rankin Inlet", "NU", "X0C 0G0", centralInNunavut},
		{"Resolute", "NU", "X0A 0V0", centralInNunavut},
		{"Cambridge Bay", "NU", "X0B 0C0", mountainInNunavut},
		{"Coral Harbour", "NU", "X0C 0C0", []string{"-5h"}},
		{"Iqaluit", "NU", "X0A 0H0", clockLaws["NU"]},
		{"a province without a postal code", "ON", "", clockLaws["ON"]},
	} {
		var want []zone.Shift
		for i, text := range place.law {
			want = append(want, shiftOf(t, text, i == 0, from))
		}
		clock := pricing.OwnCalendar.ClockAt(delivery.Address{Province: place.province, PostalCode: place.postalCode})
		if got := zone.Shifts(clock, from, until); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s, %s:\n got %v\nwant %v", place.name, place.province, got, want)
		}
	}
}

// TestEstimateOfLocalClocks: the cut-off is on the pickup's clocks, and the time of arrival on
// the dropoff's, also within a province.
func TestEstimateOfLocalClocks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		pickup, dropoff delivery.Address
		now, want       string
	}{
		"after the cut-off in Calgary": {
			delivery.Address{Province: "AB", PostalCode: "T2P 1J9"}, delivery.Address{Province: "AB", PostalCode: "T2P 1J9"},
			"2026-12-14T13:30:00-06:00", "2026-12-15T18:00:00-06:00",
		},
		"before the cut-off in Kenora": {
			delivery.Address{Province: "ON", PostalCode: "P9N 1A1"}, delivery.Address{Province: "ON", PostalCode: "P9N 1A1"},
			"2026-12-14T12:30:00-05:00", "2026-12-14T18:00:00-05:00",
		},
		"to Goose Bay": {
			delivery.Address{Province: "NL", PostalCode: "A1C 5H1"}, delivery.Address{Province: "NL", PostalCode: "A0P 1C0"},
			"2026-12-14T10:00:00-03:30", "2026-12-14T18:00:00-04:00",
		},
	} {
		shipment := delivery.Shipment{
			ServiceLevel: delivery.SameDay, Parcels: []delivery.Parcel{parcelOf(1, 1)},
			Pickup: delivery.Contact{Address: c.pickup}, Dropoff: delivery.Contact{Address: c.dropoff},
		}
		if got, want := priced(t, shipment, moment(t, c.now)).EstimatedDelivery, moment(t, c.want); !got.Equal(want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}
