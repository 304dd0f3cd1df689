package pricing_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
)

// monday is 2 March 2026 at 10:00 in Montréal, far from any holiday.
var monday = time.Date(2026, time.March, 2, 15, 0, 0, 0, time.UTC)

func TestZones(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name                           string
		fromCity, from, toCity, toCode string
		want                           pricing.Zone
	}{
		{"same FSA", "Montréal", "H2X 1Y4", "elsewhere", "h2x3k9", pricing.Local},
		{"same city, other FSA", "Montréal", "H2X 1Y4", " montreal ", "H3B 2Y5", pricing.Local},
		{"same city, accent composed or not", "Québec", "G1R 4P5", "Que\u0301bec", "G2J 1A1", pricing.Local},
		{"same city, hyphens", "Trois-Rivières", "G8T 1A1", "TROIS RIVIERES", "G9A 1A1", pricing.Local},
		{"same city, every accent", "Àâäçéèêëîïôöùûü’", "G8T 1A1", "aaaceeeeiioouuu'", "G9A 1A1", pricing.Local},
		{"same first letter", "Toronto", "M5V 2T6", "Scarborough", "M1P 4P5", pricing.Regional},
		{"same province, other letter", "Montréal", "H2X 1Y4", "Québec", "G1R 4P5", pricing.Regional},
		{"namesakes in two provinces", "Windsor", "N9A 1B2", "Windsor", "B9N 1A1", pricing.National},
		{"neighbours", "Montréal", "H2X 1Y4", "Toronto", "M5V 2T6", pricing.Adjacent},
		{"neighbours by bridge", "Moncton", "E1C 1A1", "Charlottetown", "C1A 4P3", pricing.Adjacent},
		{"across the country", "Vancouver", "V6B 1A1", "Halifax", "B3J 1S9", pricing.National},
		{"rural dropoff", "Toronto", "M5V 2T6", "Almonte", "K0A 1A0", pricing.Remote},
		{"rural pickup", "Almonte", "K0A 1A0", "Toronto", "M5V 2T6", pricing.Remote},
		{"rural, same FSA", "Iqaluit", "X0A 0H0", "Pond Inlet", "X0A 0S0", pricing.Remote},
		{"Yukon", "Vancouver", "V6B 1A1", "Whitehorse", "Y1A 1C4", pricing.Remote},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pickup := delivery.Address{City: test.fromCity, PostalCode: test.from}
			dropoff := delivery.Address{City: test.toCity, PostalCode: test.toCode}
			if got := pricing.ZoneOf(pickup, dropoff); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
			if got := pricing.ZoneOf(dropoff, pickup); got != test.want {
				t.Errorf("in the other direction: got %s, want %s", got, test.want)
			}
		})
	}
}

func TestCharges(t *testing.T) {
	t.Parallel()
	within := delivery.Shipment{ // Montréal, standard: base 795, 25 a kg
		ServiceLevel: delivery.Standard, Pickup: at("H2X 1Y4"), Dropoff: at("h3b2y5"),
	}
	cad := func(cents int64) *delivery.Money { return &delivery.Money{AmountCents: cents, Currency: delivery.CAD} }
	for _, test := range []struct {
		name    string
		parcels []delivery.Parcel
		insured *delivery.Money
		charge  string
		want    int64 // cents of that charge
	}{
		{"included weight", []delivery.Parcel{parcelOf(1, 10)}, nil, "weight", 0},
		{"beyond it", []delivery.Parcel{parcelOf(3, 10)}, nil, "weight", 50},
		{"half a cent, up", []delivery.Parcel{parcelOf(1.02, 10)}, nil, "weight", 1},
		{"less than half a cent", []delivery.Parcel{parcelOf(1.019, 10)}, nil, "weight", 0},
		{"rounded once over parcels", []delivery.Parcel{parcelOf(1.019, 1), parcelOf(1.019, 1)}, nil, "weight", 1},
		{"by volume", []delivery.Parcel{parcelOf(1, 30)}, nil, "weight", 110}, // 27000/5000 = 5.4 kg
		{"without a height", []delivery.Parcel{{WeightKg: 1, LengthCm: 300, WidthCm: 300}}, nil, "weight", 0},
		{"largest volume", []delivery.Parcel{parcelOf(1, 300)}, nil, "weight", 134_975},
		{"parcels", []delivery.Parcel{parcelOf(1, 1), parcelOf(1, 1)}, nil, "parcels", 300},
		{"fragile ones", []delivery.Parcel{{WeightKg: 1, Fragile: true}, {WeightKg: 1}}, nil, "fragile", 250},
		{"fuel", []delivery.Parcel{parcelOf(1, 1)}, nil, "fuel", 118}, // 12.5 % of 945
		{"insurance of 0", []delivery.Parcel{parcelOf(1, 1)}, cad(0), "insurance", 0},
		{"least insurance", []delivery.Parcel{parcelOf(1, 1)}, cad(1), "insurance", 200},
		{"insurance", []delivery.Parcel{parcelOf(1, 1)}, cad(123_450), "insurance", 1235},
		{"most insurance", []delivery.Parcel{parcelOf(1, 1)}, cad(delivery.MaxCents), "insurance", delivery.MaxCents / 100},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := within
			s.Parcels, s.Insurance = test.parcels, test.insured
			if got := chargeOf(priced(t, s, monday), test.charge); got != test.want {
				t.Errorf("%s: got %d, want %d", test.charge, got, test.want)
			}
		})
	}
}

func chargeOf(p pricing.Price, name string) int64 {
	for _, charge := range p.Charges {
		if charge.Name == name {
			return charge.Cents
		}
	}
	return 0
}

func TestLargestShipmentDoesNotOverflow(t *testing.T) {
	t.Parallel()
	most := delivery.Money{AmountCents: delivery.MaxCents, Currency: delivery.USD}
	s := delivery.Shipment{
		ServiceLevel: delivery.SameDay, Pickup: at("X0A 0H0"), Dropoff: at("Y1A 1C4"),
		Parcels: make([]delivery.Parcel, delivery.MaxParcels), COD: &most, Insurance: &most,
	}
	for i := range s.Parcels {
		s.Parcels[i] = parcelOf(70, 300)
	}
	// COD is 2.5 % of 1.375e11; 50 parcels have 5399 kg beyond what is included, at 12.95 a kg.
	weight := int64(50 * 5399 * 1295)
	carrying := 39_995 + 50*150 + weight
	want := carrying + (carrying*125+500)/1000 + 3_437_500_000
	if got := priced(t, s, monday).RateCents; got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestLevelNotOffered(t *testing.T) {
	t.Parallel()
	card := parsed(t, strings.Replace(defaultJSON(t),
		`"national": {"base_cents": 24995, "per_kg_cents": 895,  "transit_days": 0}`, `"national": null`, 1))
	s := delivery.Shipment{
		ServiceLevel: delivery.SameDay, Pickup: at("V6B 1A1"), Dropoff: at("B3J 1S9"),
		Parcels: []delivery.Parcel{parcelOf(1, 1)},
	}
	_, err := card.Price(pricing.OwnCalendar, s, monday)
	if got := faults(t, err); got != "service_level" {
		t.Errorf("got problems at %q, want service_level", got)
	}
	if !strings.Contains(err.Error(), "national zone: standard, express") {
		t.Errorf("got %v, want the levels that are offered", err)
	}
	s.ServiceLevel = delivery.Express
	if _, err := card.Price(pricing.OwnCalendar, s, monday); err != nil {
		t.Errorf("express: %v", err)
	}
}

func TestNothingOffered(t *testing.T) {
	t.Parallel()
	remote := regexp.MustCompile(`"remote": .*`)
	card := parsed(t, remote.ReplaceAllString(defaultJSON(t), `"remote": null`))
	s := delivery.Shipment{
		ServiceLevel: delivery.Standard, Pickup: at("V6B 1A1"), Dropoff: at("X0A 0H0"),
		Parcels: []delivery.Parcel{parcelOf(1, 1)},
	}
	_, err := card.Price(pricing.OwnCalendar, s, monday)
	if got := faults(t, err); got != "service_level" {
		t.Errorf("got problems at %q, want service_level", got)
	}
}

func TestChargesAddUp(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		price := priced(t, shipments().Draw(t, "shipment"), moments().Draw(t, "now"))
		var total int64
		for i, charge := range price.Charges {
			total += charge.Cents
			if charge.Cents < 0 || charge.Cents == 0 && i > 0 {
				t.Fatalf("got charge %+v, want more than 0 cents, or 0 for base", charge)
			}
		}
		if total != price.RateCents {
			t.Fatalf("got a rate of %d, want the sum of the charges, %d", price.RateCents, total)
		}
	})
}

// TestPriceIsMonotone: a heavier, larger or better insured shipment never costs
// less.
func TestPriceIsMonotone(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		less, now := shipments().Draw(t, "shipment"), moments().Draw(t, "now")
		more := less
		more.Parcels = append([]delivery.Parcel(nil), less.Parcels...)
		enlarge(t, &more)
		if a, b := priced(t, less, now).RateCents, priced(t, more, now).RateCents; a > b {
			t.Fatalf("got %d for the larger shipment, want at least %d", b, a)
		}
	})
}

func enlarge(t *rapid.T, s *delivery.Shipment) {
	parcel := &s.Parcels[rapid.IntRange(0, len(s.Parcels)-1).Draw(t, "which")]
	switch rapid.SampledFrom([]string{"weight", "length", "width", "height", "insurance"}).Draw(t, "what") {
	case "weight":
		parcel.WeightKg = decimals(parcel.WeightKg, 70).Draw(t, "more")
	case "length":
		parcel.LengthCm = decimals(parcel.LengthCm, 300).Draw(t, "more")
	case "width":
		parcel.WidthCm = decimals(parcel.WidthCm, 300).Draw(t, "more")
	case "height":
		parcel.HeightCm = decimals(parcel.HeightCm, 300).Draw(t, "more")
	case "insurance":
		more := delivery.Money{Currency: delivery.CAD}
		if s.Insurance != nil {
			more = *s.Insurance
		}
		more.AmountCents = rapid.Int64Range(more.AmountCents, delivery.MaxCents).Draw(t, "more")
		s.Insurance = &more
	}
}

// TestQuoteAndOrderCostTheSame: the fields that only an order has do not change
// the price.
func TestQuoteAndOrderCostTheSame(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		quoted, now := shipments().Draw(t, "shipment"), moments().Draw(t, "now")
		ordered := quoted
		ordered.Pickup.Name, ordered.Dropoff.Phone = "A. Sender", "+15145550100"
		ordered.Dropoff.Address.Line1, ordered.Dropoff.Address.Notes = "1 Main St", "ring twice"
		ordered.Dropoff.Window = delivery.Window{Start: now, End: now.Add(time.Hour)}
		ordered.Parcels = append([]delivery.Parcel(nil), quoted.Parcels...)
		for i := range ordered.Parcels {
			ordered.Parcels[i].Description, ordered.Parcels[i].ValueCents = "books", 100_00
		}
		a, b := priced(t, quoted, now), priced(t, ordered, now)
		if a.RateCents != b.RateCents || !a.EstimatedDelivery.Equal(b.EstimatedDelivery) {
			t.Fatalf("got %+v for the order, want %+v as quoted", b, a)
		}
	})
}

func BenchmarkPrice(b *testing.B) {
	s := delivery.Shipment{
		ServiceLevel: delivery.Standard, Pickup: at("V6B 1A1"), Dropoff: at("B3J 1S9"),
		Parcels:   []delivery.Parcel{parcelOf(3, 30), parcelOf(1, 20)},
		Insurance: &delivery.Money{AmountCents: 500_00, Currency: delivery.USD},
	}
	card := pricing.DefaultCard()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := card.Price(pricing.OwnCalendar, s, monday); err != nil {
			b.Fatal(err)
		}
	}
}
