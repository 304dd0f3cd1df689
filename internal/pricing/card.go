package pricing

import (
	_ "embed"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Card is a rate card: all the prices and promises of a period. It does not
// change after ParseCard and may be used by many goroutines.
type Card struct {
	Version       string    // names the card in prices
	EffectiveFrom time.Time // UTC; in force from then on, until the next card's

	levels map[delivery.ServiceLevel]level

	parcelCents   int64 // for each parcel
	includedGrams int64 // of each parcel's billable weight, not charged by weight
	fragileCents  int64 // for each fragile parcel

	insurance, cod  percentage
	fuelBasisPoints int64 // of base, parcels and weight
	cadPer10000USD  int64 // what 10,000 USD are in CAD
}

// level is what a service level promises, and its price in each zone that it
// is offered in.
type level struct {
	cutOff    clockTime // the last time, at the pickup, for a pickup that day
	deliverBy clockTime // the hour, at the dropoff, that an estimate names
	zones     map[Zone]zoneRate
}

type zoneRate struct {
	baseCents, perKgCents int64
	transitDays           int
}

// percentage is a charge on an amount of money, in hundredths of a percent.
type percentage struct {
	basisPoints, minimumCents int64
}

//go:embed default_card.json
var defaultCard []byte

var parseDefaultCard = sync.OnceValue(func() *Card {
	card, err := ParseCard(defaultCard)
	if err != nil {
		panic(err) // cannot be: a test parses the same bytes
	}
	return card
})

// DefaultCardFile is default_card.json. It must not be changed.
func DefaultCardFile() []byte { return defaultCard }

// DefaultCard is the card that is built in: default_card.json.
func DefaultCard() *Card { return parseDefaultCard() }
