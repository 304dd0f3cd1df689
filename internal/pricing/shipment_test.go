package pricing_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/pricing"
)

// town is a real place whose province and postal code agree.
type town struct{ city, province, code string }

var towns = []town{
	{"Montréal", "QC", "H2X 1Y4"}, {"Montreal", "QC", "h3b2y5"}, {"Québec", "QC", "G1R 4P5"},
	{"Toronto", "ON", "M5V 2T6"}, {"Windsor", "ON", "N9A 1B2"}, {"Windsor", "NS", "B9N 1A1"},
	{"Vancouver", "BC", "V6B 1A1"}, {"Calgary", "AB", "T2P 1J9"}, {"Regina", "SK", "S4P 3Y2"},
	{"Winnipeg", "MB", "R3C 0V8"}, {"Moncton", "NB", "E1C 1A1"}, {"Halifax", "NS", "B3J 1S9"},
	{"Charlottetown", "PE", "C1A 4P3"}, {"St. John's", "NL", "A1C 5H1"}, {"Iqaluit", "NU", "X0A 0H0"},
	{"Yellowknife", "NT", "X1A 2N4"}, {"Whitehorse", "YT", "Y1A 1C4"}, {"Pond Inlet", "NU", "X0A 0S0"},
	{"Rural", "ON", "K0A 1A0"},
}

func (t town) contact() delivery.Contact {
	return delivery.Contact{Address: delivery.Address{
		City: t.city, Province: t.province, PostalCode: t.code, Country: delivery.Country,
	}}
}

// at returns the contact of the town with a postal code.
func at(code string) delivery.Contact {
	for _, t := range towns {
		if t.code == code {
			return t.contact()
		}
	}
	panic("no town has the postal code " + code)
}

// parcelOf returns a cubic parcel.
func parcelOf(kg, side float64) delivery.Parcel {
	return delivery.Parcel{WeightKg: kg, LengthCm: side, WidthCm: side, HeightCm: side}
}

func contacts() *rapid.Generator[delivery.Contact] {
	return rapid.Custom(func(t *rapid.T) delivery.Contact {
		return rapid.SampledFrom(towns).Draw(t, "town").contact()
	})
}

// decimals generates numbers of two decimals between two bounds, inclusive.
func decimals(least, most float64) *rapid.Generator[float64] {
	return rapid.Map(rapid.IntRange(int(math.Round(least*100)), int(most*100)), func(n int) float64 {
		return float64(n) / 100
	})
}

func parcels() *rapid.Generator[delivery.Parcel] {
	side := decimals(0.1, 300)
	return rapid.Custom(func(t *rapid.T) delivery.Parcel {
		parcel := delivery.Parcel{WeightKg: decimals(0.01, 70).Draw(t, "kg"), Fragile: rapid.Bool().Draw(t, "fragile")}
		if rapid.Bool().Draw(t, "measured") {
			parcel.LengthCm, parcel.WidthCm, parcel.HeightCm = side.Draw(t, "l"), side.Draw(t, "w"), side.Draw(t, "h")
		}
		return parcel
	})
}

func moneys() *rapid.Generator[*delivery.Money] {
	return rapid.Ptr(rapid.Custom(func(t *rapid.T) delivery.Money {
		return delivery.Money{
			AmountCents: rapid.Int64Range(0, delivery.MaxCents).Draw(t, "cents"),
			Currency:    rapid.SampledFrom([]delivery.Currency{delivery.CAD, delivery.USD}).Draw(t, "currency"),
		}
	}), true)
}

func shipments() *rapid.Generator[delivery.Shipment] {
	return rapid.Custom(func(t *rapid.T) delivery.Shipment {
		s := delivery.Shipment{
			ServiceLevel: rapid.SampledFrom(delivery.ServiceLevels).Draw(t, "level"),
			Pickup:       contacts().Draw(t, "pickup"),
			Dropoff:      contacts().Draw(t, "dropoff"),
			Parcels:      rapid.SliceOfN(parcels(), 1, 6).Draw(t, "parcels"),
			COD:          moneys().Draw(t, "cod"),
			Insurance:    moneys().Draw(t, "insurance"),
		}
		if rapid.Bool().Draw(t, "window") {
			start := moments().Draw(t, "window start")
			s.Pickup.Window = delivery.Window{Start: start, End: start.Add(time.Hour)}
		}
		return s
	})
}

// moments generates times in the years for which the holidays were checked.
func moments() *rapid.Generator[time.Time] {
	first := time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	last := time.Date(2035, time.December, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	return rapid.Map(rapid.Int64Range(first, last), func(ms int64) time.Time {
		return time.UnixMilli(ms).UTC()
	})
}

// priced returns the price by the default card.
func priced(t rapid.TB, s delivery.Shipment, now time.Time) pricing.Price {
	t.Helper()
	price, err := pricing.DefaultCard().Price(pricing.OwnCalendar, s, now)
	if err != nil {
		t.Fatal(err)
	}
	return price
}

// faults returns the fields that a validation error names, in order. Any other
// error fails the test.
func faults(t rapid.TB, err error) string {
	t.Helper()
	var refused *refusal.Error
	if !errors.As(err, &refused) || refused.Code != refusal.CodeValidation {
		t.Fatalf("got %v, want a validation error", err)
	}
	written, err := json.Marshal(refused.Details)
	if err != nil {
		t.Fatal(err)
	}
	var details struct{ Errors []struct{ Field string } }
	if err := json.Unmarshal(written, &details); err != nil {
		t.Fatal(err)
	}
	var fields []string
	for _, problem := range details.Errors {
		fields = append(fields, problem.Field)
	}
	return strings.Join(fields, " ")
}
