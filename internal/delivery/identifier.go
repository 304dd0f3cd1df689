package delivery

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"time"
)

// crockford is Crockford's base32 in lower case. Its letters ascend in ASCII,
// so encoded identifiers sort as the bytes they were made from.
var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

const (
	partnerPrefix = "par_"
	orderPrefix   = "ord_"
	// partnerTag is how many characters of a partner's id are repeated in the
	// ids of its orders: 40 bits.
	partnerTag = 8
)

// NewPartnerID draws a partner's id: "par_" and 40 random bits.
func NewPartnerID(random io.Reader) (string, error) {
	return randomID(random, partnerPrefix, 5)
}

// NewID draws an id of 80 random bits behind the prefix ("key_", "cou_").
func NewID(random io.Reader, prefix string) (string, error) {
	return randomID(random, prefix, 10)
}

func randomID(random io.Reader, prefix string, bytes int) (string, error) {
	id := make([]byte, bytes)
	if _, err := io.ReadFull(random, id); err != nil {
		return "", fmt.Errorf("draw a random id: %w", err)
	}
	return prefix + crockford.EncodeToString(id), nil
}

// NewOrderID draws an order's id: "ord_" and Crockford base32 of the partner's
// 40 bits, 48 bits of milliseconds and 72 random bits. So ids of one partner
// sort by time, the partner is known from the id alone, and no id can be
// guessed.
func NewOrderID(random io.Reader, partnerID string, at time.Time) (string, error) {
	id, err := orderIDAt(partnerID, at)
	if err != nil {
		return "", err
	}
	if _, err := io.ReadFull(random, id[11:]); err != nil {
		return "", fmt.Errorf("draw an order id: %w", err)
	}
	return orderPrefix + crockford.EncodeToString(id[:]), nil
}

// FirstOrderID is the smallest id that an order of the partner created at or
// after the given time can have; it turns a period into a range of ids.
func FirstOrderID(partnerID string, at time.Time) (string, error) {
	id, err := orderIDAt(partnerID, at)
	if err != nil {
		return "", err
	}
	return orderPrefix + crockford.EncodeToString(id[:]), nil
}

func orderIDAt(partnerID string, at time.Time) (id [20]byte, err error) {
	if !partnerIDForm.MatchString(partnerID) {
		return id, fmt.Errorf("%q is not a partner id", partnerID)
	}
	if _, err := crockford.Decode(id[:5], []byte(partnerID[len(partnerPrefix):])); err != nil {
		return id, fmt.Errorf("partner id %q: %w", partnerID, err)
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0))<<16)
	copy(id[5:11], ms[:6])
	return id, nil
}

var (
	partnerIDForm = regexp.MustCompile(`^par_[0-9abcdefghjkmnpqrstvwxyz]{8}$`)
	eventIDForm   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	orderIDForm   = regexp.MustCompile(`^ord_[0-9abcdefghjkmnpqrstvwxyz]{32}$`)
)

// PartnerOfOrder reads the partner's id out of an order's id. It is false for
// a text that is not an order id.
func PartnerOfOrder(orderID string) (partnerID string, ok bool) {
	if !orderIDForm.MatchString(orderID) {
		return "", false
	}
	return partnerPrefix + orderID[len(orderPrefix):len(orderPrefix)+partnerTag], true
}

// NewEventID draws an event's id: a UUID of version 7 (RFC 9562), so that events
// sort by time.
func NewEventID(random io.Reader, at time.Time) (string, error) {
	var id [16]byte
	if _, err := io.ReadFull(random, id[6:]); err != nil {
		return "", fmt.Errorf("draw an event id: %w", err)
	}
	return eventIDAt(id, at), nil
}

// FirstEventID is the smallest id that an event at or after the given time can
// have.
func FirstEventID(at time.Time) string { return eventIDAt([16]byte{}, at) }

func eventIDAt(id [16]byte, at time.Time) string {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0))<<16)
	copy(id[:6], ms[:6])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// EventTime reads the time out of an event's id. It is false for a text that is
// no event id.
func EventTime(eventID string) (at time.Time, ok bool) {
	if !eventIDForm.MatchString(eventID) {
		return time.Time{}, false
	}
	ms, err := strconv.ParseInt(eventID[:8]+eventID[9:13], 16, 64)
	return time.UnixMilli(ms).UTC(), err == nil
}
