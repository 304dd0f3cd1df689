package pricing

import (
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// The bounds of a card's numbers. Within them the most expensive shipment that
// the rules of delivery allow costs less than 1e15 cents, so that nothing
// overflows.
const (
	maxCardCents = 100_000_000 // a million dollars
	maxGrams     = 70_000      // the heaviest parcel
	maxCADPer    = 1_000_000   // for 10,000 USD
	maxVersion   = 64
)

// transitBounds holds the least and the greatest transit time of each service
// level, in business days, as the interface states them.
var transitBounds = map[delivery.ServiceLevel][2]int64{
	delivery.Standard: {3, 5},
	delivery.Express:  {1, 2},
	delivery.SameDay:  {0, 0},
}

// ParseCard reads and validates a rate card in JSON. The error is a validation
// error that names every invalid field.
func ParseCard(data []byte) (*Card, error) {
	root, err := strictjson.Parse(data)
	if err != nil {
		return nil, unreadable(err)
	}
	var problems form.Problems
	card := ReadCard(form.New(root, &problems), form.Required)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return card, nil
}

// unreadable turns the bad_request of a body that is not JSON into a validation
// error of the card.
func unreadable(err error) error {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return err
	}
	return refusal.New(refusal.CodeValidation, "the rate card can't be read: "+refused.Message)
}

// ReadCard reads a rate card, whose fields docs/rates.md describes. It adds every
// fault to the form's problems: fields that are missing, of the wrong type, out
// of bounds, or unknown. dated says whether effective_from is required.
func ReadCard(f *form.Form, dated form.Presence) *Card {
	f.Only("version", "effective_from", "levels", "parcel_cents", "included_grams", "fragile_cents",
		"insurance", "cod", "fuel_basis_points", "cad_per_10000_usd")
	card := &Card{
		Version:       f.Text("version", form.Required, versionRule),
		EffectiveFrom: f.Time("effective_from", dated),
		levels:        map[delivery.ServiceLevel]level{},
	}
	levels := f.Object("levels", form.Required)
	levels.Only(string(delivery.Standard), string(delivery.Express), string(delivery.SameDay))
	for _, name := range delivery.ServiceLevels {
		card.levels[name] = readLevel(levels.Object(string(name), form.Required), transitBounds[name])
	}
	card.parcelCents = required(f, "parcel_cents", 0, maxCardCents)
	card.includedGrams = required(f, "included_grams", 0, maxGrams)
	card.fragileCents = required(f, "fragile_cents", 0, maxCardCents)
	card.insurance = readPercentage(f.Object("insurance", form.Required))
	card.cod = readPercentage(f.Object("cod", form.Required))
	card.fuelBasisPoints = required(f, "fuel_basis_points", 0, wholeBasisPoints)
	card.cadPer10000USD = required(f, "cad_per_10000_usd", 1, maxCADPer)
	return card
}

// EffectiveAt returns a copy of the card that takes effect at another time.
func (c *Card) EffectiveAt(at time.Time) *Card {
	dated := *c
	dated.EffectiveFrom = at
	return &dated
}

func readLevel(f *form.Form, transit [2]int64) level {
	f.Only("cut_off", "deliver_by", "zones")
	return level{
		cutOff:    clockOf(f.Text("cut_off", form.Required, clockRule)),
		deliverBy: clockOf(f.Text("deliver_by", form.Required, clockRule)),
		zones:     readZones(f.Object("zones", form.Required), transit),
	}
}

// readZones reads the zones in which a level is offered. A zone that is null or
// absent is one in which it is not.
func readZones(f *form.Form, transit [2]int64) map[Zone]zoneRate {
	names := make([]string, len(Zones))
	zones := make(map[Zone]zoneRate, len(Zones))
	for i, zone := range Zones {
		names[i] = string(zone)
		if rate := f.Object(string(zone), form.Optional); rate != nil {
			zones[zone] = readZone(rate, transit)
		}
	}
	f.Only(names...)
	return zones
}

func readZone(f *form.Form, transit [2]int64) zoneRate {
	f.Only("base_cents", "per_kg_cents", "transit_days")
	return zoneRate{
		baseCents:   required(f, "base_cents", 0, maxCardCents),
		perKgCents:  required(f, "per_kg_cents", 0, maxCardCents),
		transitDays: int(required(f, "transit_days", transit[0], transit[1])),
	}
}

func readPercentage(f *form.Form) percentage {
	f.Only("basis_points", "minimum_cents")
	return percentage{
		basisPoints:  required(f, "basis_points", 0, wholeBasisPoints),
		minimumCents: required(f, "minimum_cents", 0, maxCardCents),
	}
}

// required reads an integer that must be present: an absent price is not a price
// of 0.
func required(f *form.Form, name string, least, most int64) int64 {
	number, _ := f.Integer(name, form.Required, least, most)
	return number
}

var (
	versionRule = form.Length(1, maxVersion)
	clockRule   = form.TextRule{Expected: "a time of day such as 13:00", Allows: func(text string) bool {
		_, err := time.Parse("15:04", text)
		return err == nil && len(text) == len("15:04")
	}}
)

// clockOf parses a time of day that clockRule allows. For any other text, which
// the form has refused, it returns midnight.
func clockOf(text string) clockTime {
	at, err := time.Parse("15:04", text)
	if err != nil {
		return 0
	}
	return clockTime(at.Hour()*60 + at.Minute())
}
