package pricing

import (
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

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

// ReadCard reads a rate card, whose fields docs/rates.md describes, strictly: any
// mistake might be in a price. It adds every fault to the form's problems: fields
// that are missing, of the wrong type, out of bounds, or unknown. dated says
// whether effective_from is required.
func ReadCard(f *form.Form, dated form.Presence) *Card {
	return uploadRules.readCard(f, dated)
}

// EffectiveAt returns a copy of the card that takes effect at another time.
func (c *Card) EffectiveAt(at time.Time) *Card {
	dated := *c
	dated.EffectiveFrom = at
	return &dated
}

// readCard reads a card. Of a stored card it ignores effective_from.
func (r *cardRules) readCard(f *form.Form, dated form.Presence) *Card {
	r.only(f, "version", "effective_from", "levels", "parcel_cents", "included_grams", "fragile_cents",
		"insurance", "cod", "fuel_basis_points", "cad_per_10000_usd",
		"attempt_cents", "return_cents", "late_cancellation_cents")
	card := &Card{Version: f.Text("version", form.Required, form.Length(1, r.versionLength))}
	if r.strict {
		card.EffectiveFrom = f.Time("effective_from", dated)
	}
	card.levels = r.readLevels(f.Object("levels", form.Required))
	card.parcelCents = required(f, "parcel_cents", 0, r.cents)
	card.includedGrams = required(f, "included_grams", 0, r.grams)
	card.fragileCents = required(f, "fragile_cents", 0, r.cents)
	card.insurance = r.readPercentage(f.Object("insurance", form.Required))
	card.cod = r.readPercentage(f.Object("cod", form.Required))
	card.fuelBasisPoints = required(f, "fuel_basis_points", 0, r.basisPoints)
	card.cadPer10000USD = required(f, "cad_per_10000_usd", 1, r.cadPer10000USD)
	card.Additions = r.readAdditions(f)
	return card
}

func (r *cardRules) readLevels(f *form.Form) map[delivery.ServiceLevel]level {
	names := make([]string, len(delivery.ServiceLevels))
	for i, name := range delivery.ServiceLevels {
		names[i] = string(name)
	}
	r.only(f, names...)
	levels := make(map[delivery.ServiceLevel]level, len(names))
	for _, name := range delivery.ServiceLevels {
		levels[name] = r.readLevel(f.Object(string(name), r.levels), r.transitDays(name))
	}
	return levels
}

func (r *cardRules) readLevel(f *form.Form, transit bounds) level {
	r.only(f, "cut_off", "deliver_by", "zones")
	return level{
		cutOff:    clockOf(f.Text("cut_off", form.Required, clockRule)),
		deliverBy: clockOf(f.Text("deliver_by", form.Required, clockRule)),
		zones:     r.readZones(f.Object("zones", form.Required), transit),
	}
}

// readZones reads the zones in which a level is offered. A zone that is null or
// absent is one in which it is not.
func (r *cardRules) readZones(f *form.Form, transit bounds) map[Zone]zoneRate {
	names := make([]string, len(Zones))
	zones := make(map[Zone]zoneRate, len(Zones))
	for i, zone := range Zones {
		names[i] = string(zone)
		if rate := f.Object(string(zone), form.Optional); rate != nil {
			zones[zone] = r.readZone(rate, transit)
		}
	}
	r.only(f, names...)
	return zones
}

func (r *cardRules) readZone(f *form.Form, transit bounds) zoneRate {
	r.only(f, "base_cents", "per_kg_cents", "transit_days")
	return zoneRate{
		baseCents:   required(f, "base_cents", 0, r.cents),
		perKgCents:  required(f, "per_kg_cents", 0, r.cents),
		transitDays: int(required(f, "transit_days", transit.least, transit.greatest)),
	}
}

func (r *cardRules) readPercentage(f *form.Form) percentage {
	r.only(f, "basis_points", "minimum_cents")
	return percentage{
		basisPoints:  required(f, "basis_points", 0, r.basisPoints),
		minimumCents: required(f, "minimum_cents", 0, r.cents),
	}
}

// readAdditions reads what is charged beside prices; cards of the first release have none of it.
func (r *cardRules) readAdditions(f *form.Form) (a Additions) {
	a.AttemptCents, _ = f.Integer("attempt_cents", form.Optional, 0, r.cents)
	a.ReturnCents, _ = f.Integer("return_cents", form.Optional, 0, r.cents)
	a.LateCancellationCents, _ = f.Integer("late_cancellation_cents", form.Optional, 0, r.cents)
	return a
}

// only adds a fault for every member that has none of these names, if the rules
// are strict.
func (r *cardRules) only(f *form.Form, names ...string) {
	if r.strict {
		f.Only(names...)
	}
}

// required reads an integer that must be present: an absent price is not a price
// of 0.
func required(f *form.Form, name string, least, greatest int64) int64 {
	number, _ := f.Integer(name, form.Required, least, greatest)
	return number
}

var clockRule = form.TextRule{Rule: form.Define("clock",
	"a time of day such as 13:00"), Allows: func(text string) bool {
	_, err := time.Parse("15:04", text)
	return err == nil && len(text) == len("15:04")
}}

// clockOf parses a time of day that clockRule allows. For any other text, which
// the form has refused, it returns midnight.
func clockOf(text string) clockTime {
	at, err := time.Parse("15:04", text)
	if err != nil {
		return 0
	}
	return clockTime(at.Hour()*60 + at.Minute())
}
