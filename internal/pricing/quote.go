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

// QuoteValidity is how long a quote is valid (docs/contract.md, Quotes).
const QuoteValidity = 24 * time.Hour

// Quote is the answer to a request for a rate quote (docs/contract.md, Quotes).
type Quote struct {
	// QuoteID has 80 characters; an order that names it gets the quoted rate. It is empty if a city was
	// assumed, because the order's may be in another zone.
	QuoteID      string
	ServiceLevel delivery.ServiceLevel
	Price
	ValidUntil time.Time // UTC, to the millisecond
	Warnings   []delivery.Warning
	Assumed    Assumed
}

// Assumed has what a request for a quote left out of its addresses and was priced with. What was given is
// empty.
type Assumed struct{ Pickup, Dropoff Place }

// Place is where a postal code is.
type Place struct {
	City     string // empty also if the area of the postal code is not known
	Province string
}

// Quoter issues quotes and honours them without storing any: the quote_id holds
// what is needed to honour it, authenticated with the quoter's key, which all
// nodes of a service share. Many goroutines may use a Quoter.
type Quoter struct {
	keys [][]byte // the first authenticates new quotes
}

// NewQuoter returns a quoter with a secret key, which should have 32 random bytes. It
// also honours the quotes of quoters with the other keys.
func NewQuoter(key []byte, others ...[]byte) *Quoter {
	return &Quoter{keys: append([][]byte{slices.Clone(key)}, others...)}
}

// A quote_id is the prefix and, in base64url, format, rate, valid_until, measured,
// terms and seal. 57 bytes are 76 characters without padding or spare bits, so
// that every quote has exactly one spelling.
const (
	quotePrefix = "quo_"
	quoteFormat = 1
	termsSize   = 16 // SHA-256, truncated
	sealSize    = 16 // HMAC-SHA256, truncated
	claimSize   = 1 + 8 + 8 + 8 + termsSize
	quoteIDSize = len(quotePrefix) + (claimSize+sealSize)/3*4
)

// claim is the content of a quote_id without its seal.
type claim struct {
	rateCents  int64
	validUntil int64           // Unix milliseconds
	measured   uint64          // bit i is set if parcel i was quoted with all its sides
	terms      [termsSize]byte // what the rate depends on; see termsOf
}

// Issue returns a quote for a partner, from a price of the shipment.
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

// Honour returns the rate that the partner was quoted, if the quote is still
// valid and the shipment agrees with the quoted one (docs/rates.md says when it
// does). Otherwise the error is a validation error at quote_id.
func (q *Quoter) Honour(
	quoteID, partnerID string, s delivery.Shipment, now time.Time,
) (rateCents int64, currency delivery.Currency, err error) {
	quoted, ok := q.open(quoteID, partnerID)
	switch {
	case !ok:
		return 0, "", form.Fault("quote_id", quoteID, issuedQuote)
	case now.UnixMilli() > quoted.validUntil:
		expired := timestamp.Format(time.UnixMilli(quoted.validUntil))
		return 0, "", form.Fault("quote_id", quoteID, validQuote.With("expired", expired))
	case termsOf(s, quoted.measured) != quoted.terms:
		return 0, "", form.Fault("quote_id", quoteID, sameShipment)
	}
	return quoted.rateCents, delivery.CAD, nil
}

var (
	issuedQuote  = form.Define("issued_quote", "a quote_id that was issued to this partner")
	validQuote   = form.Define("valid_quote", "a quote that is still valid; this one expired at {expired}")
	sameShipment = form.Define("same_shipment",
		"a quote for the same service level, postal codes, zone, parcels, cod and insurance")
)

// seal encodes a claim as a quote_id.
func (q *Quoter) seal(partnerID string, c claim) string {
	b := make([]byte, 0, claimSize+sealSize)
	b = append(b, quoteFormat)
	b = binary.BigEndian.AppendUint64(b, uint64(c.rateCents))
	b = binary.BigEndian.AppendUint64(b, uint64(c.validUntil))
	b = binary.BigEndian.AppendUint64(b, c.measured)
	b = append(b, c.terms[:]...)
	b = append(b, mac(q.keys[0], partnerID, b)...)
	return quotePrefix + base64.RawURLEncoding.EncodeToString(b)
}

// open decodes a quote_id. It is false unless one of this quoter's keys sealed it for
// this partner.
func (q *Quoter) open(quoteID, partnerID string) (c claim, ok bool) {
	if len(quoteID) != quoteIDSize || quoteID[:len(quotePrefix)] != quotePrefix {
		return c, false
	}
	b, err := base64.RawURLEncoding.DecodeString(quoteID[len(quotePrefix):])
	// The length is checked again because the decoder skips line breaks.
	if err != nil || len(b) != claimSize+sealSize || b[0] != quoteFormat {
		return c, false
	}
	sealed := func(key []byte) bool {
		return subtle.ConstantTimeCompare(b[claimSize:], mac(key, partnerID, b[:claimSize])) == 1
	}
	if !slices.ContainsFunc(q.keys, sealed) {
		return c, false
	}
	c.rateCents = int64(binary.BigEndian.Uint64(b[1:]))
	c.validUntil = int64(binary.BigEndian.Uint64(b[9:]))
	c.measured = binary.BigEndian.Uint64(b[17:])
	copy(c.terms[:], b[25:])
	return c, true
}

// mac returns the seal of a claim, which has a fixed size, for a partner. The
// partner is part of the MAC but not of the quote_id, which need not name it. The
// first line separates this use of the key from any other.
func mac(key []byte, partnerID string, claim []byte) []byte {
	hash := hmac.New(sha256.New, key)
	hash.Write([]byte("dropyard quote\n"))
	hash.Write(claim)
	hash.Write([]byte(partnerID))
	return hash.Sum(nil)[:sealSize]
}

// measuredParcels returns a bit for each parcel, set if all its sides are given.
// A parcel with fewer sides was priced by weight alone, as one without any.
func measuredParcels(parcels []delivery.Parcel) (measured uint64) {
	for i := range parcels {
		if length, width, height := sides(&parcels[i]); length*width*height != 0 {
			measured |= 1 << i
		}
	}
	return measured
}

// termsOf returns a digest of everything that a quoted rate depends on. Two
// shipments agree if their terms are equal for the same measured parcels.
//
// A parcel that was quoted without its sides may have any in the order, but not
// such that its volume decides the price: otherwise a partner could get a quote
// for 100 g and send a wardrobe at that rate. The zone is part of the terms
// because it may depend on the cities.
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

// appendMoney encodes nil and an amount of 0 alike.
func appendMoney(b []byte, m *delivery.Money) []byte {
	if m == nil || m.AmountCents == 0 {
		return binary.AppendVarint(b, 0)
	}
	return appendText(binary.AppendVarint(b, m.AmountCents), string(m.Currency))
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendVarint(b, int64(len(text))), text...)
}
