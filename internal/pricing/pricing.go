// Package pricing answers what a delivery costs and when it arrives: the rate
// card, the zones, business days, estimates, and quotes that are not stored.
//
// It is pure: the time and the card are arguments. One function, [Card.Price],
// serves quotes and orders, so the same input costs the same in both.
// docs/rates.md tells the rules in prose, with an example worked by hand.
package pricing

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// Price is what one shipment costs on one card, and when it would arrive.
type Price struct {
	RateCents         int64             // the sum of Charges
	Currency          delivery.Currency // always CAD
	EstimatedDelivery time.Time         // UTC, whole minutes
	TransitDays       int               // business days stated for the zone; 0 for same_day
	Zone              Zone
	CardVersion       string
	Charges           []Charge // none is zero, except that base always leads
}

// Charge is one line of a price's breakdown.
type Charge struct {
	Name  string // base, parcels, weight, fragile, fuel, insurance or cod
	Cents int64  // CAD
}

// Price prices a shipment that has passed delivery's field rules, as of now.
// Where the card does not offer the service level in the shipment's zone, the
// error is the validation error at service_level.
func (c *Card) Price(s delivery.Shipment, now time.Time) (Price, error) {
	zone := ZoneOf(s.Pickup.Address, s.Dropoff.Address)
	service := c.levels[s.ServiceLevel]
	rate, offered := service.zones[zone]
	if !offered {
		return Price{}, c.notOffered(s.ServiceLevel, zone)
	}
	charges := c.charges(s, rate)
	return Price{
		RateCents:         sum(charges),
		Currency:          delivery.CAD,
		EstimatedDelivery: service.estimate(s, rate.transitDays, now),
		TransitDays:       rate.transitDays,
		Zone:              zone,
		CardVersion:       c.Version,
		Charges:           charges,
	}, nil
}

func (c *Card) notOffered(asked delivery.ServiceLevel, zone Zone) error {
	var offered []string
	for _, level := range delivery.ServiceLevels {
		if _, ok := c.levels[level].zones[zone]; ok {
			offered = append(offered, string(level))
		}
	}
	expected := fmt.Sprintf("a service level offered in the %s zone: %s", zone, strings.Join(offered, ", "))
	if len(offered) == 0 {
		expected = fmt.Sprintf("a shipment outside of the %s zone, where nothing is offered", zone)
	}
	return form.Fault("service_level", string(asked), expected)
}

// charges is the breakdown. Fuel is a percentage of carrying (base, parcels,
// weight), not of handling, cover and collection.
func (c *Card) charges(s delivery.Shipment, rate zoneRate) []Charge {
	excess, fragile := c.load(s.Parcels)
	charges := append(make([]Charge, 0, 7), Charge{"base", rate.baseCents})
	add := func(name string, cents int64) {
		if cents != 0 {
			charges = append(charges, Charge{name, cents})
		}
	}
	add("parcels", c.parcelCents*int64(len(s.Parcels)))
	add("weight", share(excess, rate.perKgCents, unitsPerKg))
	add("fuel", share(sum(charges), c.fuelBasisPoints, wholeBasisPoints))
	add("fragile", c.fragileCents*fragile)
	add("insurance", c.onAmount(c.insurance, s.Insurance))
	add("cod", c.onAmount(c.cod, s.COD))
	return charges
}

// load adds up what the parcels weigh beyond the included weight, in units,
// and how many of them are fragile.
func (c *Card) load(parcels []delivery.Parcel) (excess, fragile int64) {
	for i := range parcels {
		excess += max(0, billable(&parcels[i])-c.includedGrams*unitsPerGram)
		if parcels[i].Fragile {
			fragile++
		}
	}
	return excess, fragile
}

// onAmount charges for an insured or collected amount. Conversion and
// percentage are one fraction, so that there is one rounding.
func (c *Card) onAmount(fee percentage, amount *delivery.Money) int64 {
	if amount == nil || amount.AmountCents == 0 {
		return 0
	}
	cadPer10000 := int64(10_000)
	if amount.Currency == delivery.USD {
		cadPer10000 = c.cadPer10000USD
	}
	cents := share(amount.AmountCents, cadPer10000*fee.basisPoints, 10_000*wholeBasisPoints)
	return max(cents, fee.minimumCents)
}

func sum(charges []Charge) (cents int64) {
	for _, charge := range charges {
		cents += charge.Cents
	}
	return cents
}

// Billable weight is counted in the volume that it stands for, at 5000 cm³ to
// the kilogram, in cubes of a tenth of a millimetre. In that unit both weight
// (to the gram) and volume (to a tenth of a millimetre a side) are integers,
// so that max(actual, L*W*H/5000) needs no division and no float.
const (
	unitsPerCm   = 100
	unitsPerKg   = 5000 * unitsPerCm * unitsPerCm * unitsPerCm
	unitsPerGram = unitsPerKg / 1000
)

const wholeBasisPoints = 10_000 // 100 %

// billable is a parcel's billable weight in units. A side that was not told is
// 0, and then only the actual weight counts. The largest parcel has 2.7e13.
func billable(p *delivery.Parcel) int64 {
	length, width, height := sides(p)
	return max(grams(p)*unitsPerGram, length*width*height)
}

// grams is a parcel's actual weight to the gram, half up.
func grams(p *delivery.Parcel) int64 { return int64(math.Round(p.WeightKg * 1000)) }

// sides are a parcel's three sides in tenths of a millimetre, half up.
func sides(p *delivery.Parcel) (length, width, height int64) {
	units := func(cm float64) int64 { return int64(math.Round(cm * unitsPerCm)) }
	return units(p.LengthCm), units(p.WidthCm), units(p.HeightCm)
}

// share is amount * numerator / denominator, rounded half up: the one place
// where cents are rounded. The product has 128 bits; a card's limits keep the
// result far inside of an int64. No argument may be negative.
func share(amount, numerator, denominator int64) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(numerator))
	low, carry := bits.Add64(low, uint64(denominator)/2, 0)
	quotient, _ := bits.Div64(high+carry, low, uint64(denominator))
	return int64(quotient)
}
