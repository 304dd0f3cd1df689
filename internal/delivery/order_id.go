package delivery

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
)

const (
	partnerPrefix = "par_"
	orderPrefix   = "ord_"
	// partnerTag is the number of characters of a partner's id that the ids of
	// its orders repeat: 40 bits.
	partnerTag = 8
)

// NewPartnerID returns a new partner id: "par_", a bit that is 0 (see TestAccount) and
// 39 random bits.
func NewPartnerID(random io.Reader) (string, error) {
	id, err := identifier.Draw(random, partnerPrefix, 5)
	return LiveAccount(id), err
}

// NewOrderID returns a new order id: "ord_" and, in Crockford base32, the
// partner's 40 bits, 48 bits of milliseconds since 1970 and 72 random bits. So
// the ids of one partner sort by time, the id alone names the partner, and an id
// cannot be guessed.
func NewOrderID(random io.Reader, partnerID string, at time.Time) (string, error) {
	id, err := orderIDAt(partnerID, at)
	if err != nil {
		return "", err
	}
	if _, err := io.ReadFull(random, id[11:]); err != nil {
		return "", fmt.Errorf("draw an order id: %w", err)
	}
	return orderPrefix + identifier.Encoding.EncodeToString(id[:]), nil
}

// FirstOrderID returns the smallest id that an order of the partner can have if
// it was created at the given time or later. It turns a period into a range of
// ids.
func FirstOrderID(partnerID string, at time.Time) (string, error) {
	id, err := orderIDAt(partnerID, at)
	if err != nil {
		return "", err
	}
	return orderPrefix + identifier.Encoding.EncodeToString(id[:]), nil
}

func orderIDAt(partnerID string, at time.Time) (id [20]byte, err error) {
	if !IsPartnerID(partnerID) {
		return id, fmt.Errorf("%q is not a partner id", partnerID)
	}
	if _, err := identifier.Encoding.Decode(id[:5], []byte(partnerID[len(partnerPrefix):])); err != nil {
		return id, fmt.Errorf("partner id %q: %w", partnerID, err)
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0))<<16)
	copy(id[5:11], ms[:6])
	return id, nil
}

// IsPartnerID reports whether a text has the form of partners' ids.
func IsPartnerID(id string) bool { return isID(id, partnerPrefix, partnerTag) }

func isOrderID(id string) bool { return isID(id, orderPrefix, 32) }

// isID reports whether id is a prefix and a number of characters of ids.
func isID(id, prefix string, characters int) bool {
	rest, ok := strings.CutPrefix(id, prefix)
	return ok && len(rest) == characters && strings.Trim(rest, identifier.Alphabet) == ""
}

// PartnerOfOrder returns the partner's id that an order's id holds. It is false
// for a text that is not an order id.
func PartnerOfOrder(orderID string) (partnerID string, ok bool) {
	if !isOrderID(orderID) {
		return "", false
	}
	return partnerPrefix + orderID[len(orderPrefix):len(orderPrefix)+partnerTag], true
}

// TimeOfOrder returns the time of creation that an order's id holds, to the
// millisecond. It is false for a text that is not an order id.
func TimeOfOrder(orderID string) (at time.Time, ok bool) {
	if !isOrderID(orderID) {
		return at, false
	}
	id, err := identifier.Encoding.DecodeString(orderID[len(orderPrefix):])
	if err != nil {
		return at, false
	}
	var ms [8]byte
	copy(ms[2:], id[5:11])
	return time.UnixMilli(int64(binary.BigEndian.Uint64(ms[:]))).UTC(), true
}
