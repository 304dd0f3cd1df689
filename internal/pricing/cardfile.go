package pricing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// cardFile is a card as it is written (docs/rates.md tells every field).
// Everything is a pointer, because a price that was forgotten is not a price
// of 0.
type cardFile struct {
	Version       *string `json:"version"`
	EffectiveFrom *string `json:"effective_from"`
	Levels        struct {
		Standard *levelFile `json:"standard"`
		Express  *levelFile `json:"express"`
		SameDay  *levelFile `json:"same_day"`
	} `json:"levels"`
	ParcelCents     *int64         `json:"parcel_cents"`
	IncludedGrams   *int64         `json:"included_grams"`
	FragileCents    *int64         `json:"fragile_cents"`
	Insurance       percentageFile `json:"insurance"`
	COD             percentageFile `json:"cod"`
	FuelBasisPoints *int64         `json:"fuel_basis_points"`
	CADPer10000USD  *int64         `json:"cad_per_10000_usd"`
}

type levelFile struct {
	CutOff    *string `json:"cut_off"`
	DeliverBy *string `json:"deliver_by"`
	Zones     struct {
		Local    *zoneFile `json:"local"`
		Regional *zoneFile `json:"regional"`
		Adjacent *zoneFile `json:"adjacent"`
		National *zoneFile `json:"national"`
		Remote   *zoneFile `json:"remote"`
	} `json:"zones"`
}

type zoneFile struct {
	BaseCents   *int64 `json:"base_cents"`
	PerKgCents  *int64 `json:"per_kg_cents"`
	TransitDays *int64 `json:"transit_days"`
}

type percentageFile struct {
	BasisPoints  *int64 `json:"basis_points"`
	MinimumCents *int64 `json:"minimum_cents"`
}

// The bounds of a card's numbers. With them the dearest shipment that
// delivery's rules allow costs less than 1e15 cents, so that nothing overflows.
const (
	maxCardCents = 100_000_000 // a million dollars
	maxGrams     = 70_000      // the heaviest parcel
	maxCADPer    = 1_000_000   // for 10,000 USD
	maxVersion   = 64
)

// transitBounds are the transit times that the contract states, in business
// days: the least and the most.
var transitBounds = map[delivery.ServiceLevel][2]int64{
	delivery.Standard: {3, 5},
	delivery.Express:  {1, 2},
	delivery.SameDay:  {0, 0},
}

// ParseCard reads a rate card from its JSON and checks all of it. A refusal is
// a validation error that names every field at fault.
func ParseCard(data []byte) (*Card, error) {
	file, err := decodeCard(data)
	if err != nil {
		return nil, err
	}
	var r cardReader
	card := r.card(file)
	if err := r.problems.Err(); err != nil {
		return nil, err
	}
	return card, nil
}

func decodeCard(data []byte) (file cardFile, err error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return file, undecodable(err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return file, delivery.Refuse(delivery.CodeValidation, "the rate card is followed by something else")
	}
	return file, nil
}

func undecodable(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		var problems delivery.Problems
		problems.Add(wrong.Field, nil, jsonName(wrong.Type.Kind())+", not a "+wrong.Value)
		return problems.Err()
	}
	return delivery.Refuse(delivery.CodeValidation, "the rate card can't be read: "+err.Error())
}

func jsonName(kind reflect.Kind) string {
	switch kind {
	case reflect.String:
		return "a string"
	case reflect.Int64:
		return "an integer"
	default:
		return "an object"
	}
}

// cardReader turns what was written into a card and notes every fault.
type cardReader struct {
	problems delivery.Problems
}

func (r *cardReader) card(file cardFile) *Card {
	return &Card{
		Version:       r.version(file.Version),
		EffectiveFrom: r.time("effective_from", file.EffectiveFrom),
		levels: map[delivery.ServiceLevel]level{
			delivery.Standard: r.level(delivery.Standard, file.Levels.Standard),
			delivery.Express:  r.level(delivery.Express, file.Levels.Express),
			delivery.SameDay:  r.level(delivery.SameDay, file.Levels.SameDay),
		},
		parcelCents:     r.integer("parcel_cents", file.ParcelCents, 0, maxCardCents),
		includedGrams:   r.integer("included_grams", file.IncludedGrams, 0, maxGrams),
		fragileCents:    r.integer("fragile_cents", file.FragileCents, 0, maxCardCents),
		insurance:       r.percentage("insurance.", file.Insurance),
		cod:             r.percentage("cod.", file.COD),
		fuelBasisPoints: r.integer("fuel_basis_points", file.FuelBasisPoints, 0, wholeBasisPoints),
		cadPer10000USD:  r.integer("cad_per_10000_usd", file.CADPer10000USD, 1, maxCADPer),
	}
}

func (r *cardReader) level(name delivery.ServiceLevel, file *levelFile) level {
	path := "levels." + string(name)
	if file == nil {
		r.problems.Add(path, nil, "an object")
		return level{}
	}
	return level{
		cutOff:    r.clock(path+".cut_off", file.CutOff),
		deliverBy: r.clock(path+".deliver_by", file.DeliverBy),
		zones:     r.zones(path+".zones.", file, transitBounds[name]),
	}
}

// zones reads the zones that the level is offered in; one that is null or left
// out is one that it is not offered in.
func (r *cardReader) zones(path string, file *levelFile, transit [2]int64) map[Zone]zoneRate {
	written := map[Zone]*zoneFile{
		Local:    file.Zones.Local,
		Regional: file.Zones.Regional,
		Adjacent: file.Zones.Adjacent,
		National: file.Zones.National,
		Remote:   file.Zones.Remote,
	}
	zones := make(map[Zone]zoneRate, len(Zones))
	for _, zone := range Zones {
		if rate := written[zone]; rate != nil {
			zones[zone] = r.zone(path+string(zone), rate, transit)
		}
	}
	return zones
}

func (r *cardReader) zone(path string, file *zoneFile, transit [2]int64) zoneRate {
	return zoneRate{
		baseCents:   r.integer(path+".base_cents", file.BaseCents, 0, maxCardCents),
		perKgCents:  r.integer(path+".per_kg_cents", file.PerKgCents, 0, maxCardCents),
		transitDays: int(r.integer(path+".transit_days", file.TransitDays, transit[0], transit[1])),
	}
}

func (r *cardReader) percentage(path string, file percentageFile) percentage {
	return percentage{
		basisPoints:  r.integer(path+"basis_points", file.BasisPoints, 0, wholeBasisPoints),
		minimumCents: r.integer(path+"minimum_cents", file.MinimumCents, 0, maxCardCents),
	}
}

func (r *cardReader) integer(field string, value *int64, least, most int64) int64 {
	if value == nil || *value < least || *value > most {
		fault(r, field, value, fmt.Sprintf("an integer from %d to %d", least, most))
		return 0
	}
	return *value
}

func (r *cardReader) version(value *string) string {
	if value == nil || *value == "" || len(*value) > maxVersion {
		fault(r, "version", value, fmt.Sprintf("a string of 1 to %d bytes", maxVersion))
		return ""
	}
	return *value
}

func (r *cardReader) time(field string, value *string) time.Time {
	if value != nil {
		if at, ok := delivery.ParseTime(*value); ok {
			return at
		}
	}
	fault(r, field, value, "an RFC 3339 date-time with offset, from 1970 on")
	return time.Time{}
}

func (r *cardReader) clock(field string, value *string) clockTime {
	if value != nil {
		if at, err := time.Parse("15:04", *value); err == nil {
			return clockTime(at.Hour()*60 + at.Minute())
		}
	}
	fault(r, field, value, "a time of day such as 13:00")
	return 0
}

// fault notes a field that does not hold what it should; nil is one that is
// missing.
func fault[T any](r *cardReader, field string, value *T, expected string) {
	if value == nil {
		r.problems.Add(field, nil, expected)
		return
	}
	r.problems.Add(field, *value, expected)
}
