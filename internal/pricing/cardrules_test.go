package pricing_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/pricing"
)

// TestReadStoredCard reads cards that an upload would be refused for: those of
// earlier releases, with laxer rules, and of later ones, with more members.
func TestReadStoredCard(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, old, replacement string // what is replaced in the default card
		readable               bool
	}{
		{"as it is", ``, ``, true},
		{"without effective_from", `"effective_from": "2020-01-01T00:00:00Z",`, ``, true},
		{"another form of effective_from", `"2020-01-01T00:00:00Z"`, `"2020-01-01"`, true},
		{"a number of a later release", `"version"`, `"winter_cents": 5, "version"`, true},
		{"a level of another release", `"express": {`, `"drone": {"zones": {}}, "express": {`, true},
		{"a zone of another release", `"zones": {`, `"zones": {"lunar": {"base_cents": 1},`, true},
		{"a level fewer", `"express": {`, `"formerly_express": {`, true},
		{"a greater price", `"base_cents": 795`, `"base_cents": 900000000`, true},
		{"a longer transit", `"transit_days": 4`, `"transit_days": 9`, true},
		{"a greater addition", `"version"`, `"attempt_cents": 900000000, "version"`, true},
		{"a longer version", `"default-1"`, `"` + strings.Repeat("v", 100) + `"`, true},

		{"a price fewer", `"parcel_cents": 150,`, ``, false},
		{"a negative price", `"base_cents": 795`, `"base_cents": -1`, false},
		{"a text for a price", `"base_cents": 795`, `"base_cents": "795"`, false},
		{"a price that overflows", `"base_cents": 795`, `"base_cents": 10000000001`, false},
		{"a negative addition", `"version"`, `"return_cents": -1, "version"`, false},
		{"a text for an addition", `"version"`, `"return_cents": "450", "version"`, false},
		{"no levels", `"levels"`, `"lovels"`, false},
		{"no time of day", `"cut_off": "13:00"`, `"cut_off": "25:00"`, false},
		{"not JSON", `"version":`, `"version"`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(defaultJSON(t), test.old, test.replacement, 1)
			if test.old != "" && changed == defaultJSON(t) {
				t.Fatalf("the default card does not hold %s", test.old)
			}
			card, err := pricing.ReadStoredCard([]byte(changed), monday)
			if test.readable != (err == nil) {
				t.Fatalf("got %v, want it readable: %t", err, test.readable)
			}
			if err == nil && !card.EffectiveFrom.Equal(monday) {
				t.Errorf("got effective from %v, want %v", card.EffectiveFrom, monday)
			}
			var refused *refusal.Error
			if errors.As(err, &refused) {
				t.Errorf("got the refusal %v, want an error of no request", refused)
			}
		})
	}
}

// TestStoredCardWithoutLevel: a service level that a stored card lacks is not
// offered, the others cost what they did.
func TestStoredCardWithoutLevel(t *testing.T) {
	t.Parallel()
	card, err := pricing.ReadStoredCard([]byte(strings.Replace(defaultJSON(t), `"express": {`, `"drone": {`, 1)),
		time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	s := delivery.Shipment{
		ServiceLevel: delivery.Standard, Pickup: at("V6B 1A1"), Dropoff: at("B3J 1S9"), Parcels: []delivery.Parcel{parcelOf(1,
			1)},
	}
	got, err := card.Price(pricing.OwnCalendar, s, monday)
	if want := priced(t, s, monday); err != nil || got.RateCents != want.RateCents ||
		!got.EstimatedDelivery.Equal(want.EstimatedDelivery) {
		t.Errorf("standard: got %+v, %v, want %+v", got, err, want)
	}
	s.ServiceLevel = delivery.Express
	_, err = card.Price(pricing.OwnCalendar, s, monday)
	if got := faults(t, err); got != "service_level" {
		t.Errorf("express: got faults at %q, want service_level", got)
	}
}

// FuzzReadStoredCard: a card that can be uploaded can be read when it is stored,
// and has the same prices. A stored card that can be read prices the largest
// shipment without a panic or a negative rate.
func FuzzReadStoredCard(f *testing.F) {
	f.Add([]byte(defaultJSON(f)))
	f.Add([]byte(strings.ReplaceAll(defaultJSON(f), `_cents": `, `_cents": 1000000`)))
	f.Add([]byte(strings.ReplaceAll(defaultJSON(f), `"basis_points": `, `"basis_points": 99`)))
	most := delivery.Money{AmountCents: delivery.MaxCents, Currency: delivery.USD}
	s := delivery.Shipment{
		ServiceLevel: delivery.Standard, Pickup: at("V6B 1A1"), Dropoff: at("B3J 1S9"),
		Parcels: slices.Repeat([]delivery.Parcel{parcelOf(70, 300)}, delivery.MaxParcels),
		COD:     &most, Insurance: &most,
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		uploaded, uploadErr := pricing.ParseCard(document)
		stored, err := pricing.ReadStoredCard(document, monday)
		if err != nil {
			if uploadErr == nil {
				t.Fatalf("an upload is accepted and then not read: %v", err)
			}
			return
		}
		price, err := stored.Price(pricing.OwnCalendar, s, monday)
		if err == nil && (price.RateCents < 0 || !price.EstimatedDelivery.After(monday)) {
			t.Fatalf("got %+v, want a rate of 0 or more and an estimate after %v", price, monday)
		}
		if uploadErr != nil {
			return
		}
		want, wantErr := uploaded.Price(pricing.OwnCalendar, s, monday)
		if (err == nil) != (wantErr == nil) || price.RateCents != want.RateCents {
			t.Fatalf("got %+v, %v, want %+v, %v", price, err, want, wantErr)
		}
	})
}
