// Package pricing computes what a delivery costs and when it arrives. It holds
// the rate card, zones, business days, estimates, and quotes, which are not
// stored.
//
// It is pure: the time, the card and the calendar are arguments. One function, [Card.Price],
// serves quotes and orders, so that the same input costs the same in both.
// docs/rates.md describes the rules, with an example computed by hand.
package pricing

import (
	"math"
	"math/bits"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// Price is what a shipment costs by a rate card, and when it would arrive.
type Price struct {
	RateCents         int64             // the sum of Charges
	Currency          delivery.Currency // always CAD
	EstimatedDelivery time.Time         // UTC, whole minutes
	TransitDays       int               // in business days, as the card states for the zone; 0 for same_day
	Zone              Zone
	CardVersion       string
	Charges           []Charge // base first, even if it is 0; others only if they are not
}

// Charge is one line of a price's breakdown.
type Charge struct {
	Name  string // base, parcels, weight, fragile, fuel, insurance or cod
	Cents int64  // CAD
}

// Price returns the price of a valid shipment at a time. If the card does not
// offer the service level in the shipment's zone, the error is a validation error
// at service_level.
func (c *Card) Price(calendar *Calendar, s delivery.Shipment, now time.Time) (Price, error) {
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
		EstimatedDelivery: service.estimate(calendar, s, rate.transitDays, now),
		TransitDays:       rate.transitDays,
		Zone:              zone,
		CardVersion:       c.Version,
		Charges:           charges,
	}, nil
}

var (
	offeredLevel = form.Define("offered_level", "a service level offered in the {zone} zone: {levels}")
	otherZone    = form.Define("other_zone", "a shipment outside of the {zone} zone, where nothing is offered")
)

func (c *Card) notOffered(asked delivery.ServiceLevel, zone Zone) error {
	var offered []string
	for _, level := range delivery.ServiceLevels {
		if _, ok := c.levels[level].zones[zone]; ok {
			offered = append(offered, string(level))
		}
	}
	rule := offeredLevel.With("zone", string(zone), "levels", offered)
	if len(offered) == 0 {
		rule = otherZone.With("zone", string(zone))
	}
	return form.Fault("service_level", string(asked), rule)
}

// charges returns the lines of the price. Fuel is a percentage of base, parcels
// and weight, not of fragile, insurance and cod.
func (c *Card) charges(s delivery.Shipment, rate zoneRate) []Charge {
	excess, fragile := c.load(s.Parcels)
	charges := append(make([]Charge, 0, 7), Charge{"base", rate.baseCents})
	add := func(name string, cents int64) {
		if cents != 0 {
			charges = append(charges, Charge{name, cents})
		}
	}
	add("parcels", c.parcelCents*int64(len(s.Parcels)))
	add("weight", MulDiv(excess, rate.perKgCents, unitsPerKg))
	add("fuel", MulDiv(sum(charges), c.fuelBasisPoints, wholeBasisPoints))
	add("fragile", c.fragileCents*fragile)
	add("insurance", c.onAmount(c.insurance, s.Insurance))
	add("cod", c.onAmount(c.cod, s.COD))
	return charges
}

// load returns the billable weight of the parcels beyond what is included, in
// units, and the number of fragile parcels.
func (c *Card) load(parcels []delivery.Parcel) (excess, fragile int64) {
	for i := range parcels {
		excess += max(0, billable(&parcels[i])-c.includedGrams*unitsPerGram)
		if parcels[i].Fragile {
			fragile++
		}
	}
	return excess, fragile
}

// onAmount returns the charge for an insured or collected amount, in cents CAD.
// Conversion and percentage are one fraction, so that it is rounded once.
func (c *Card) onAmount(fee percentage, amount *delivery.Money) int64 {
	if amount == nil || amount.AmountCents == 0 {
		return 0
	}
	cadPer10000 := int64(10_000)
	if amount.Currency == delivery.USD {
		cadPer10000 = c.cadPer10000USD
	}
	cents := MulDiv(amount.AmountCents, cadPer10000*fee.basisPoints, 10_000*wholeBasisPoints)
	return max(cents, fee.minimumCents)
}

func sum(charges []Charge) (cents int64) {
	for _, charge := range charges {
		cents += charge.Cents
	}
	return cents
}

// The unit of billable weight is a cube with sides of a tenth of a millimetre;
// 5000 cm³ are a kilogram. In this unit weights (in grams) and volumes (with
// sides in tenths of a millimetre) are integers, so that max(actual, L*W*H/5000)
// needs neither division nor floats.
const (
	unitsPerCm   = 100
	unitsPerKg   = 5000 * unitsPerCm * unitsPerCm * unitsPerCm
	unitsPerGram = unitsPerKg / 1000
)

const wholeBasisPoints = 10_000 // 100 %

// billable returns a parcel's billable weight in units, at most 2.7e13. A side
// that was not given is 0, and then only the actual weight counts.
func billable(p *delivery.Parcel) int64 {
	length, width, height := sides(p)
	return max(grams(p)*unitsPerGram, length*width*height)
}

// grams returns a parcel's actual weight in grams, rounded half up.
func grams(p *delivery.Parcel) int64 { return int64(math.Round(p.WeightKg * 1000)) }

// sides returns a parcel's three sides in tenths of a millimetre, rounded half up.
func sides(p *delivery.Parcel) (length, width, height int64) {
	units := func(cm float64) int64 { return int64(math.Round(cm * unitsPerCm)) }
	return units(p.LengthCm), units(p.WidthCm), units(p.HeightCm)
}

// MulDiv returns amount * numerator / denominator, rounded half up. It is the only
// place where cents are rounded. The product has 128 bits, and the bounds of a
// card keep the result far below the limit of an int64. No argument may be
// negative.
func MulDiv(amount, numerator, denominator int64) int64 {
	high, low := bits.Mul64(uint64(amount), uint64(numerator))
	low, carry := bits.Add64(low, uint64(denominator)/2, 0)
	quotient, _ := bits.Div64(high+carry, low, uint64(denominator))
	return int64(quotient)
}
