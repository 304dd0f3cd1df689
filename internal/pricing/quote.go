package pricing

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// QuoteValidity is how long a quote holds (interface section 8).
const QuoteValidity = 24 * time.Hour

// Quote is the answer to a request for a rate quote (interface section 2.10).
type Quote struct {
	QuoteID      string // 80 characters; honours the rate when sent with an order
	ServiceLevel delivery.ServiceLevel
	Price
	ValidUntil time.Time // UTC, to the millisecond
}

// Quoter issues quotes and honours them without storing any: what must be
// known later is in the quote_id, authenticated with the quoter's key. All
// nodes of a service share the key. It may be used by many goroutines.
type Quoter struct {
	key []byte
}

// NewQuoter makes a quoter with a secret key, best of 32 random bytes.
func NewQuoter(key []byte) *Quoter {
	return &Quoter{key: slices.Clone(key)}
}

// A quote_id is the prefix and the base64url of format, rate, valid_until,
// measured, terms and seal. 57 bytes are 76 characters without padding or
// spare bits, so every quote has exactly one spelling.
const (
	quotePrefix = "quo_"
	quoteFormat = 1
	termsSize   = 16 // of SHA-256, cut
	sealSize    = 16 // of HMAC-SHA256, cut
	claimSize   = 1 + 8 + 8 + 8 + termsSize
	quoteIDSize = len(quotePrefix) + (claimSize+sealSize)/3*4
)

// claim is what a quote_id says, apart from its seal.
type claim struct {
	rateCents  int64
	validUntil int64  // Unix milliseconds
	measured   uint64 // which parcels told all their sides, by position
	terms      [termsSize]byte
}

// Issue makes a partner's quote from a price of the shipment.
func (q *Quoter) Issue(partnerID string, s delivery.Shipment, p Price, now time.Time) Quote {
	validUntil := timestamp.Truncate(now.Add(QuoteValidity))
	measured := measuredParcels(s.Parcels)
	return Quote{
		QuoteID: q.seal(partnerID, claim{
			rateCents:  p.RateCents,
			validUntil: validUntil.UnixMilli(),
			measured:   measured,
			terms:      termsOf(s, measured),
		}),
		ServiceLevel: s.ServiceLevel,
		Price:        p,
		ValidUntil:   validUntil,
	}
}

// Honour tells the rate that the partner was quoted, if the quote is still
// valid and the shipment agrees with what was quoted (docs/rates.md tells when
// it does). Otherwise the error is the validation error at quote_id.
func (q *Quoter) Honour(quoteID, partnerID string, s delivery.Shipment, now time.Time) (rateCents int64, currency delivery.Currency, err error) {
	quoted, ok := q.open(quoteID, partnerID)
	switch {
	case !ok:
		return 0, "", dishonoured(quoteID, "a quote_id that this partner was given")
	case now.UnixMilli() > quoted.validUntil:
		return 0, "", dishonoured(quoteID, "a quote that is still valid; this one was until "+
			time.UnixMilli(quoted.validUntil).UTC().Format(time.RFC3339))
	case termsOf(s, quoted.measured) != quoted.terms:
		return 0, "", dishonoured(quoteID,
			"a quote for the same service level, postal codes, zone, parcels, cod and insurance")
	}
	return quoted.rateCents, delivery.CAD, nil
}

func dishonoured(quoteID, expected string) error {
	return form.Fault("quote_id", quoteID, expected)
}

// seal writes a claim as a quote_id.
func (q *Quoter) seal(partnerID string, c claim) string {
	b := make([]byte, 0, claimSize+sealSize)
	b = append(b, quoteFormat)
	b = binary.BigEndian.AppendUint64(b, uint64(c.rateCents))
	b = binary.BigEndian.AppendUint64(b, uint64(c.validUntil))
	b = binary.BigEndian.AppendUint64(b, c.measured)
	b = append(b, c.terms[:]...)
	b = append(b, q.mac(partnerID, b)...)
	return quotePrefix + base64.RawURLEncoding.EncodeToString(b)
}

// open reads a quote_id back. It is false unless this quoter's key sealed it
// for this partner.
func (q *Quoter) open(quoteID, partnerID string) (c claim, ok bool) {
	if len(quoteID) != quoteIDSize || quoteID[:len(quotePrefix)] != quotePrefix {
		return c, false
	}
	b, err := base64.RawURLEncoding.DecodeString(quoteID[len(quotePrefix):])
	// The length again: the decoder skips line breaks.
	if err != nil || len(b) != claimSize+sealSize || b[0] != quoteFormat {
		return c, false
	}
	if subtle.ConstantTimeCompare(b[claimSize:], q.mac(partnerID, b[:claimSize])) != 1 {
		return c, false
	}
	c.rateCents = int64(binary.BigEndian.Uint64(b[1:]))
	c.validUntil = int64(binary.BigEndian.Uint64(b[9:]))
	c.measured = binary.BigEndian.Uint64(b[17:])
	copy(c.terms[:], b[25:])
	return c, true
}

// mac authenticates a claim, of fixed size, for a partner. The partner is in
// the MAC and not in the id, which need not tell whose it is. The first words
// keep the key's other uses, should there be any, apart.
func (q *Quoter) mac(partnerID string, claim []byte) []byte {
	mac := hmac.New(sha256.New, q.key)
	mac.Write([]byte("dropyard quote\n"))
	mac.Write(claim)
	mac.Write([]byte(partnerID))
	return mac.Sum(nil)[:sealSize]
}

// measuredParcels marks the parcels that told all three sides. A parcel that
// told fewer was priced by weight alone, so it counts as one that told none.
func measuredParcels(parcels []delivery.Parcel) (measured uint64) {
	for i := range parcels {
		if length, width, height := sides(&parcels[i]); length*width*height != 0 {
			measured |= 1 << i
		}
	}
	return measured
}

// termsOf digests all that a quoted rate depends on. Two shipments agree if
// their terms are the same under the same measured parcels.
//
// A parcel that was quoted unmeasured must not be billed by volume now: else
// one could quote 100 g and send a wardrobe at that rate. The zone is in the
// terms because cities can decide it.
func termsOf(s delivery.Shipment, measured uint64) (terms [termsSize]byte) {
	b := make([]byte, 0, 64+32*len(s.Parcels))
	b = appendText(b, string(s.ServiceLevel))
	b = appendText(b, delivery.NormalPostalCode(s.Pickup.Address.PostalCode))
	b = appendText(b, delivery.NormalPostalCode(s.Dropoff.Address.PostalCode))
	b = appendText(b, string(ZoneOf(s.Pickup.Address, s.Dropoff.Address)))
	b = binary.AppendVarint(b, int64(len(s.Parcels)))
	for i := range s.Parcels {
		b = appendParcel(b, &s.Parcels[i], measured&(1<<i) != 0)
	}
	b = appendMoney(b, s.COD)
	b = appendMoney(b, s.Insurance)
	sum := sha256.Sum256(b)
	copy(terms[:], sum[:])
	return terms
}

func appendParcel(b []byte, p *delivery.Parcel, measured bool) []byte {
	b = binary.AppendVarint(b, grams(p))
	if p.Fragile {
		b = append(b, 1)
	} else {
		b = append(b, 0)
	}
	if !measured {
		return binary.AppendVarint(b, billable(p))
	}
	length, width, height := sides(p)
	b = binary.AppendVarint(b, length)
	b = binary.AppendVarint(b, width)
	return binary.AppendVarint(b, height)
}

// appendMoney writes no amount and an amount of 0 alike.
func appendMoney(b []byte, m *delivery.Money) []byte {
	if m == nil || m.AmountCents == 0 {
		return binary.AppendVarint(b, 0)
	}
	return appendText(binary.AppendVarint(b, m.AmountCents), string(m.Currency))
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendVarint(b, int64(len(text))), text...)
}
