package pricing_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
)

const partner = "par_01234567"

var quoter = pricing.NewQuoter([]byte("a key that only the tests know"))

// quotable returns a shipment of one parcel with sides and one without.
func quotable() delivery.Shipment {
	return delivery.Shipment{
		ServiceLevel: delivery.Express, Pickup: at("H2X 1Y4"), Dropoff: at("h3b2y5"),
		Parcels: []delivery.Parcel{
			{WeightKg: 2.4, LengthCm: 40, WidthCm: 30, HeightCm: 25},
			{WeightKg: 3.25, Fragile: true},
		},
		Insurance: &delivery.Money{AmountCents: 500_00, Currency: delivery.USD},
	}
}

func issued(t rapid.TB, s delivery.Shipment, now time.Time) pricing.Quote {
	t.Helper()
	return quoter.Issue(partner, s, priced(t, s, now), now)
}

func TestIssue(t *testing.T) {
	t.Parallel()
	s := quotable()
	quote := issued(t, s, monday)
	if len(quote.QuoteID) != 80 || !strings.HasPrefix(quote.QuoteID, "quo_") {
		t.Errorf("got quote_id %q, want quo_ and 76 characters", quote.QuoteID)
	}
	if quote.ServiceLevel != s.ServiceLevel || quote.RateCents != priced(t, s, monday).RateCents {
		t.Errorf("got %+v, want the service level and the rate of the shipment", quote)
	}
	if want := monday.Add(24 * time.Hour); !quote.ValidUntil.Equal(want) {
		t.Errorf("got ValidUntil %s, want %s", quote.ValidUntil, want)
	}
}

// TestHonour changes the shipment between the quote and the order.
func TestHonour(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change func(*delivery.Shipment)
		agrees bool
	}{
		{"nothing", func(*delivery.Shipment) {}, true},
		{"postal code in another spelling", func(s *delivery.Shipment) { s.Pickup.Address.PostalCode = "h2x1y4" }, true},
		{"fields that a quote does not need", func(s *delivery.Shipment) {
			s.Pickup.Name, s.Parcels[0].ValueCents = "A. Sender", 100
		}, true},
		{"cod of 0", func(s *delivery.Shipment) { s.COD = &delivery.Money{Currency: delivery.USD} }, true},
		{"small sides added", func(s *delivery.Shipment) { setSides(&s.Parcels[1], 25, 25, 26) }, true}, // 3.25 kg
		{"large sides added", func(s *delivery.Shipment) { setSides(&s.Parcels[1], 25, 25, 26.1) }, false},
		{"largest sides added", func(s *delivery.Shipment) { setSides(&s.Parcels[1], 300, 300, 300) }, false},
		{"service level", func(s *delivery.Shipment) { s.ServiceLevel = delivery.Standard }, false},
		{"pickup postal code", func(s *delivery.Shipment) { s.Pickup.Address.PostalCode = "H2X 1Y5" }, false},
		{"dropoff postal code", func(s *delivery.Shipment) { s.Dropoff.Address.PostalCode = "H3B 2Y6" }, false},
		{"city that makes another zone", func(s *delivery.Shipment) { s.Dropoff.Address.City = "Westmount" }, false},
		{"weight", func(s *delivery.Shipment) { s.Parcels[0].WeightKg = 2.5 }, false},
		{"one side", func(s *delivery.Shipment) { s.Parcels[0].LengthCm = 39 }, false},
		{"sides exchanged", func(s *delivery.Shipment) { setSides(&s.Parcels[0], 30, 40, 25) }, false},
		{"sides left out", func(s *delivery.Shipment) { setSides(&s.Parcels[0], 0, 0, 0) }, false},
		{"fragile", func(s *delivery.Shipment) { s.Parcels[0].Fragile = true }, false},
		{"order of parcels", func(s *delivery.Shipment) { slices.Reverse(s.Parcels) }, false},
		{"one parcel less", func(s *delivery.Shipment) { s.Parcels = s.Parcels[:1] }, false},
		{"one parcel more", func(s *delivery.Shipment) { s.Parcels = append(s.Parcels, s.Parcels[0]) }, false},
		{"insured amount", func(s *delivery.Shipment) { s.Insurance.AmountCents++ }, false},
		{"insured currency", func(s *delivery.Shipment) { s.Insurance.Currency = delivery.CAD }, false},
		{"no insurance", func(s *delivery.Shipment) { s.Insurance = nil }, false},
		{"cod for insurance", func(s *delivery.Shipment) { s.COD, s.Insurance = s.Insurance, nil }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			quote := issued(t, quotable(), monday)
			ordered := quotable()
			test.change(&ordered)
			rate, currency, err := quoter.Honour(quote.QuoteID, partner, ordered, monday.Add(time.Hour))
			if !test.agrees {
				checkRefused(t, err)
				return
			}
			if err != nil || rate != quote.RateCents || currency != delivery.CAD {
				t.Errorf("got %d %s, %v, want the quoted %d CAD", rate, currency, err, quote.RateCents)
			}
		})
	}
}

// TestHonourPartlyMeasured: a parcel that was quoted with two sides counts as one
// without sides.
func TestHonourPartlyMeasured(t *testing.T) {
	t.Parallel()
	s := quotable()
	setSides(&s.Parcels[1], 30, 30, 0)
	quote := issued(t, s, monday)
	for height, agrees := range map[float64]bool{0.1: true, 18: true, 19: false, 300: false} {
		ordered := quotable()
		setSides(&ordered.Parcels[1], 30, 30, height)
		if _, _, err := quoter.Honour(quote.QuoteID, partner, ordered, monday); (err == nil) != agrees {
			t.Errorf("%v cm high: got %v, want agreement = %v", height, err, agrees)
		}
	}
}

func setSides(p *delivery.Parcel, length, width, height float64) {
	p.LengthCm, p.WidthCm, p.HeightCm = length, width, height
}

func checkRefused(t rapid.TB, err error) {
	t.Helper()
	if got := faults(t, err); got != "quote_id" {
		t.Fatalf("got problems at %q, want quote_id", got)
	}
}

func TestHonourForgedQuote(t *testing.T) {
	t.Parallel()
	s, quote := quotable(), issued(t, quotable(), monday)
	for _, test := range []struct {
		name    string
		quoter  *pricing.Quoter
		id, par string
	}{
		{"another partner", quoter, quote.QuoteID, "par_76543210"},
		{"another key", pricing.NewQuoter([]byte("another key")), quote.QuoteID, partner},
		{"empty", quoter, "", partner},
		{"prefix alone", quoter, "quo_", partner},
		{"zeros", quoter, "quo_" + strings.Repeat("A", 76), partner},
		{"truncated", quoter, quote.QuoteID[:79], partner},
		{"line break inserted", quoter, quote.QuoteID[:40] + "\n" + quote.QuoteID[40:], partner},
		{"line breaks at the end", quoter, quote.QuoteID[:76] + "\n\n\n\n", partner},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, _, err := test.quoter.Honour(test.id, test.par, s, monday)
			checkRefused(t, err)
		})
	}
}

func TestQuoteExpires(t *testing.T) {
	t.Parallel()
	s, quote := quotable(), issued(t, quotable(), monday)
	if _, _, err := quoter.Honour(quote.QuoteID, partner, s, quote.ValidUntil); err != nil {
		t.Errorf("at valid_until: %v", err)
	}
	_, _, err := quoter.Honour(quote.QuoteID, partner, s, quote.ValidUntil.Add(time.Millisecond))
	checkRefused(t, err)
}

func TestEveryQuoteIsHonoured(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s, now := shipments().Draw(t, "shipment"), moments().Draw(t, "now")
		quote := issued(t, s, now)
		later := now.Add(time.Duration(rapid.Int64Range(0, int64(pricing.QuoteValidity)).Draw(t, "later")))
		rate, _, err := quoter.Honour(quote.QuoteID, partner, s, later.Truncate(time.Millisecond))
		if err != nil || rate != quote.RateCents {
			t.Fatalf("got %d, %v, want the quoted %d", rate, err, quote.RateCents)
		}
	})
}

// TestHonouredRateIsThePrice: the rate of an honoured quote is what the order
// costs by the card of the quote.
func TestHonouredRateIsThePrice(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s, now := shipments().Draw(t, "shipment"), moments().Draw(t, "now")
		ordered := s
		ordered.Parcels = slices.Clone(s.Parcels)
		enlarge(t, &ordered)
		rate, _, err := quoter.Honour(issued(t, s, now).QuoteID, partner, ordered, now)
		if price := priced(t, ordered, now).RateCents; err == nil && rate != price {
			t.Fatalf("got %d, want the price of the order, %d", rate, price)
		}
	})
}

func TestHonourChangedByte(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		s := quotable()
		id := []byte(issued(t, s, monday).QuoteID)
		id[rapid.IntRange(0, len(id)-1).Draw(t, "where")] ^= rapid.ByteRange(1, 255).Draw(t, "flip")
		_, _, err := quoter.Honour(string(id), partner, s, monday)
		checkRefused(t, err)
	})
}

func FuzzHonour(f *testing.F) {
	id := issued(f, quotable(), monday).QuoteID
	f.Add(id)
	f.Add("")
	f.Add("quo_")
	f.Add(strings.ToUpper(id))
	f.Fuzz(func(t *testing.T, text string) {
		_, _, err := quoter.Honour(text, partner, quotable(), monday)
		if text == id {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		checkRefused(t, err)
	})
}

func BenchmarkHonour(b *testing.B) {
	s := quotable()
	id := issued(b, s, monday).QuoteID
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := quoter.Honour(id, partner, s, monday); err != nil {
			b.Fatal(err)
		}
	}
}
