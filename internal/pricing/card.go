package pricing

import (
	_ "embed"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Card is a rate card: the prices and transit times of a period. It is not
// changed after it was read, so many goroutines may use it.
type Card struct {
	Version       string    // the name of the card in prices
	EffectiveFrom time.Time // UTC; the card applies from then until the next one does
	Additions     Additions

	levels map[delivery.ServiceLevel]level

	parcelCents   int64 // per parcel
	includedGrams int64 // the part of each parcel's billable weight that is not charged
	fragileCents  int64 // per fragile parcel

	insurance, cod  percentage
	fuelBasisPoints int64 // of the sum of base, parcels and weight
	cadPer10000USD  int64 // the value of 10,000 USD in CAD
}

// Additions are what is charged beside the price of a delivery, in cents CAD. What an order costs
// does not depend on them: they fall due by what happens to it.
type Additions struct {
	AttemptCents          int64 // each attempt to deliver after the first
	ReturnCents           int64 // bringing goods back whose order was given up after their pickup
	LateCancellationCents int64 // cancelling an order after a courier was assigned, before its pickup
}

// level holds the times of a service level, and its price in each zone in which
// it is offered.
type level struct {
	cutOff    clockTime // at the pickup: the latest time for a pickup on the same day
	deliverBy clockTime // at the dropoff: the time of day of an estimate
	zones     map[Zone]zoneRate
}

type zoneRate struct {
	baseCents, perKgCents int64
	transitDays           int // business days
}

// percentage is a charge on an amount of money.
type percentage struct {
	basisPoints  int64 // hundredths of a percent
	minimumCents int64 // the least charge on an amount that is not 0
}

//go:embed default_card.json
var defaultCard []byte

var parseDefaultCard = sync.OnceValue(func() *Card {
	card, err := ParseCard(defaultCard)
	if err != nil {
		panic(err) // cannot happen: a test parses the same bytes
	}
	return card
})

// DefaultCardFile returns default_card.json. The caller must not modify it.
func DefaultCardFile() []byte { return defaultCard }

// DefaultCard returns the built-in card, default_card.json.
func DefaultCard() *Card { return parseDefaultCard() }
