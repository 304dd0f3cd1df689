package pricing_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
)

func defaultJSON(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile("default_card.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func parsed(t testing.TB, data string) *pricing.Card {
	t.Helper()
	card, err := pricing.ParseCard([]byte(data))
	if err != nil {
		t.Fatal(err)
	}
	return card
}

func TestParseInvalidCard(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, old, replacement string // what is replaced in the default card
		want                   string // the invalid fields
		message                string // a part of the error message
	}{
		{"missing price", `"parcel_cents": 150,`, ``, "parcel_cents", "an integer from 0 to 100000000"},
		{"null price", `"parcel_cents": 150`, `"parcel_cents": null`, "parcel_cents", ""},
		{"negative price", `"base_cents": 795`, `"base_cents": -1`, "levels.standard.zones.local.base_cents", ""},
		{"price too high", `"fragile_cents": 250`, `"fragile_cents": 100000001`, "fragile_cents", ""},
		{
			"negative addition", `"version"`, `"attempt_cents": -1, "version"`, "attempt_cents",
			"an integer from 0 to 100000000",
		},
		{"addition too high", `"version"`, `"return_cents": 100000001, "version"`, "return_cents", ""},
		{
			"text for an addition", `"version"`, `"late_cancellation_cents": "400", "version"`, "late_cancellation_cents",
			"an integer",
		},
		{"fraction of an addition", `"version"`, `"attempt_cents": 3.5, "version"`, "attempt_cents", "an integer"},
		{"misspelt addition", `"version"`, `"attempts_cents": 300, "version"`, "attempts_cents", "no such member"},
		{
			"transit outside of the contract", `"transit_days": 4`, `"transit_days": 6`,
			"levels.standard.zones.adjacent.transit_days", "3 to 5",
		},
		{
			"text for a number", `"base_cents": 795`, `"base_cents": "795"`, "levels.standard.zones.local.base_cents",
			"an integer from 0",
		},
		{"number for a text", `"version": "default-1"`, `"version": 1`, "version", "a string of 1 to 64"},
		{
			"list for an object", `"insurance": {"basis_points": 100, "minimum_cents": 200}`, `"insurance": []`, "insurance",
			"an object",
		},
		{
			"fraction of a cent", `"base_cents": 795`, `"base_cents": 7.95`, "levels.standard.zones.local.base_cents",
			"an integer",
		},
		{"not a time of day", `"cut_off": "13:00"`, `"cut_off": "25:00"`, "levels.standard.cut_off", "13:00"},
		{"date without time", `"2020-01-01T00:00:00Z"`, `"2020-01-01"`, "effective_from", "RFC 3339"},
		{"empty version", `"default-1"`, `""`, "version", ""},
		{"missing level", `"express": {`, `"expres": {`, "levels.expres levels.express", "no such member"},
		{"missing percentage", `"cod": {"basis_points": 150, "minimum_cents": 450},`, ``, "cod", "an object"},
		{"unknown member", `"version"`, `"discount": 5, "version"`, "discount", "no such member"},
		{"name in another case", `"version"`, `"Version"`, "Version version", "and 1 more"},
		{"name given twice", `"version"`, `"version": "x", "version"`, "", "named twice"},
		{"clock of one digit", `"cut_off": "13:00"`, `"cut_off": "9:00"`, "levels.standard.cut_off", "13:00"},
		{
			"fault in a zone", `"per_kg_cents":`, `"per_kilo_cents":`,
			"levels.standard.zones.local.per_kilo_cents levels.standard.zones.local.per_kg_cents", "",
		},
		{
			"unknown zone", `"local":    {"base_cents": 795`, `"lunar": {"base_cents": 795`, "levels.standard.zones.lunar",
			"no such member",
		},
		{"not JSON", `"version":`, `"version"`, "", "can't be read"},
		{
			"trailing value", `"cad_per_10000_usd": 13750` + "\n}", `"cad_per_10000_usd": 13750}{}`, "",
			"more than one JSON value",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(defaultJSON(t), test.old, test.replacement, 1)
			if changed == defaultJSON(t) {
				t.Fatalf("the default card does not hold %s", test.old)
			}
			_, err := pricing.ParseCard([]byte(changed))
			if got := faults(t, err); got != test.want {
				t.Errorf("got problems at %q, want %q", got, test.want)
			}
			if !strings.Contains(err.Error(), test.message) {
				t.Errorf("got message %q, want %q in it", err, test.message)
			}
		})
	}
}

// TestAdditions reads the additions of cards that are uploaded and stored. They are not part of a price.
func TestAdditions(t *testing.T) {
	t.Parallel()
	s := delivery.Shipment{
		ServiceLevel: delivery.Standard, Pickup: at("V6B 1A1"), Dropoff: at("B3J 1S9"),
		Parcels: []delivery.Parcel{parcelOf(1, 1)},
	}
	for _, test := range []struct {
		members string
		want    pricing.Additions
	}{
		{``, pricing.Additions{}}, // as in cards of the first release
		{`"attempt_cents": null, "return_cents": null, "late_cancellation_cents": null,`, pricing.Additions{}},
		{`"attempt_cents": 300,`, pricing.Additions{AttemptCents: 300}},
		{`"return_cents": 450,`, pricing.Additions{ReturnCents: 450}},
		{`"late_cancellation_cents": 400,`, pricing.Additions{LateCancellationCents: 400}},
		{
			`"attempt_cents": 0, "return_cents": 100000000, "late_cancellation_cents": 1,`,
			pricing.Additions{ReturnCents: 100_000_000, LateCancellationCents: 1},
		},
	} {
		document := strings.Replace(defaultJSON(t), `"version"`, test.members+`"version"`, 1)
		stored, err := pricing.ReadStoredCard([]byte(document), monday)
		if err != nil {
			t.Fatal(err)
		}
		for how, card := range map[string]*pricing.Card{"uploaded": parsed(t, document), "stored": stored} {
			if card.Additions != test.want {
				t.Errorf("%s with %s: got %+v, want %+v", how, test.members, card.Additions, test.want)
			}
			price, err := card.Price(pricing.OwnCalendar, s, monday)
			if want := priced(t, s, monday).RateCents; err != nil || price.RateCents != want {
				t.Errorf("%s with %s: got a price of %d, %v, want %d", how, test.members, price.RateCents, err, want)
			}
		}
	}
	if got := pricing.DefaultCard().Additions; got != (pricing.Additions{}) {
		t.Errorf("the default card: got %+v, want no additions", got)
	}
}

func TestDefaultCardOffersEverything(t *testing.T) {
	t.Parallel()
	var zones []pricing.Zone
	for _, from := range towns {
		for _, to := range towns {
			for _, level := range delivery.ServiceLevels {
				s := delivery.Shipment{
					ServiceLevel: level, Pickup: from.contact(), Dropoff: to.contact(),
					Parcels: []delivery.Parcel{parcelOf(1, 1)},
				}
				zones = append(zones, priced(t, s, monday).Zone)
			}
		}
	}
	for _, zone := range pricing.Zones {
		if !slices.Contains(zones, zone) {
			t.Errorf("no pair of towns is in the %s zone", zone)
		}
	}
}

// FuzzParseCard: a card that can be parsed prices the largest shipment without a
// panic or a negative rate.
func FuzzParseCard(f *testing.F) {
	f.Add([]byte(defaultJSON(f)))
	f.Add([]byte(`{}`))
	f.Add([]byte(`null`))
	f.Add([]byte(strings.ReplaceAll(defaultJSON(f), `_cents": `, `_cents": 100000`)))
	most := delivery.Money{AmountCents: delivery.MaxCents, Currency: delivery.USD}
	s := delivery.Shipment{
		ServiceLevel: delivery.Standard, Pickup: at("V6B 1A1"), Dropoff: at("B3J 1S9"),
		Parcels: slices.Repeat([]delivery.Parcel{parcelOf(70, 300)}, delivery.MaxParcels),
		COD:     &most, Insurance: &most,
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		card, err := pricing.ParseCard(data)
		if err != nil {
			faults(t, err)
			return
		}
		price, err := card.Price(pricing.OwnCalendar, s, monday)
		if err == nil && (price.RateCents < 0 || !price.EstimatedDelivery.After(monday)) {
			t.Fatalf("got %+v, want a rate of 0 or more and an estimate after %v", price, monday)
		}
	})
}
