package pricing

import (
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// cardRules are the rules by which a card is read. All bounds are included.
type cardRules struct {
	strict         bool          // unknown members are faults, and effective_from is read
	levels         form.Presence // of every service level
	versionLength  int           // the greatest, in characters
	cents          int64         // the greatest price
	grams          int64         // the greatest included weight
	basisPoints    int64         // the greatest percentage
	cadPer10000USD int64         // the greatest value of 10,000 USD
	transitDays    func(delivery.ServiceLevel) bounds
}

type bounds struct{ least, greatest int64 }

// uploadRules are for cards that operators upload. They may become stricter.
// Within them the most expensive shipment that the rules of delivery allow costs
// less than 1e15 cents, so that nothing overflows.
var uploadRules = &cardRules{
	strict:         true,
	levels:         form.Required,
	versionLength:  64,
	cents:          100_000_000, // a million dollars
	grams:          70_000,      // the heaviest parcel
	basisPoints:    wholeBasisPoints,
	cadPer10000USD: 1_000_000,
	transitDays:    func(level delivery.ServiceLevel) bounds { return contractTransit[level] },
}

// contractTransit holds the transit times of each service level, in business
// days, as the interface states them.
var contractTransit = map[delivery.ServiceLevel]bounds{
	delivery.Standard: {3, 5},
	delivery.Express:  {1, 2},
	delivery.SameDay:  {0, 0},
}

// storedRules are for cards that were uploaded under the rules of some release.
// They may never become stricter, or orders could no longer be priced by cards
// that were accepted. A level or a zone that the card lacks is not offered; what
// this release does not know is ignored. The bounds only keep sums from
// overflowing: within them the most expensive shipment costs less than 1e18 cents.
//
// A number that a later release adds to cards must be optional here, with the
// value that leaves the price of older cards as it was. The numbers of the first
// release are required: without them, the document is damaged.
var storedRules = &cardRules{
	levels:         form.Optional,
	versionLength:  1 << 10,
	cents:          10_000_000_000,
	grams:          10_000_000_000,
	basisPoints:    10 * wholeBasisPoints,
	cadPer10000USD: 1_000_000_000,
	transitDays:    func(delivery.ServiceLevel) bounds { return bounds{0, 366} },
}

// ReadStoredCard reads a card that was valid when it was stored, under the rules of
// any release, and takes effect at the given time. An error means that the document
// is damaged; it is not a refusal, because no request is at fault.
func ReadStoredCard(document []byte, effectiveFrom time.Time) (*Card, error) {
	root, err := strictjson.Parse(document)
	if err != nil {
		return nil, fmt.Errorf("read a stored rate card: %v", err) //nolint:errorlint // see above
	}
	var problems form.Problems
	card := storedRules.readCard(form.New(root, &problems), form.Optional)
	if err := problems.Err(); err != nil {
		return nil, fmt.Errorf("read a stored rate card: %v", err) //nolint:errorlint // see above
	}
	card.EffectiveFrom = effectiveFrom
	return card, nil
}
