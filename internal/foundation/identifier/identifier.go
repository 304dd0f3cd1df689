package identifier

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
var Encoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// NewID draws an id of 80 random bits behind the prefix ("key_", "cou_").
func New(random io.Reader, prefix string) (string, error) {
	return Draw(random, prefix, 10)
}

func Draw(random io.Reader, prefix string, bytes int) (string, error) {
	id := make([]byte, bytes)
	if _, err := io.ReadFull(random, id); err != nil {
		return "", fmt.Errorf("draw a random id: %w", err)
	}
	return prefix + Encoding.EncodeToString(id), nil
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// NewEventID draws an event's id: a UUID of version 7 (RFC 9562), so that events
// sort by time.
func NewUUID(random io.Reader, at time.Time) (string, error) {
	var id [16]byte
	if _, err := io.ReadFull(random, id[6:]); err != nil {
		return "", fmt.Errorf("draw an event id: %w", err)
	}
	return uuidAt(id, at), nil
}

// FirstEventID is the smallest id that an event at or after the given time can
// have.
func FirstUUID(at time.Time) string { return uuidAt([16]byte{}, at) }

func uuidAt(id [16]byte, at time.Time) string {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0))<<16)
	copy(id[:6], ms[:6])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// EventTime reads the time out of an event's id. It is false for a text that is
// no event id.
func UUIDTime(eventID string) (at time.Time, ok bool) {
	if !uuidForm.MatchString(eventID) {
		return time.Time{}, false
	}
	ms, err := strconv.ParseInt(eventID[:8]+eventID[9:13], 16, 64)
	return time.UnixMilli(ms).UTC(), err == nil
}
