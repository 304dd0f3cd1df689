// Package identifier makes random identifiers, and UUIDs that sort by time.
package identifier

import (
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Alphabet has the characters of Encoding in the order of their values.
const Alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// Encoding is Crockford's base32 in lower case. Its letters ascend in ASCII, so
// that encoded identifiers sort like their bytes.
var Encoding = base32.NewEncoding(Alphabet).WithPadding(base32.NoPadding)

// New returns an identifier of 80 random bits after the prefix ("key_", "cou_").
func New(random io.Reader, prefix string) (string, error) {
	return Draw(random, prefix, 10)
}

// Draw returns an identifier of so many random bytes after the prefix. It fails only
// if random does.
func Draw(random io.Reader, prefix string, bytes int) (string, error) {
	id := make([]byte, bytes)
	if _, err := io.ReadFull(random, id); err != nil {
		return "", fmt.Errorf("read random bytes for an id: %w", err)
	}
	return prefix + Encoding.EncodeToString(id), nil
}

var uuidForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// NewUUID returns a UUID of version 7 (RFC 9562). Such UUIDs sort by time.
func NewUUID(random io.Reader, at time.Time) (string, error) {
	var id [16]byte
	if _, err := io.ReadFull(random, id[6:]); err != nil {
		return "", fmt.Errorf("read random bytes for a UUID: %w", err)
	}
	return uuidAt(id, at), nil
}

// FirstUUID returns the smallest UUID that NewUUID can return for a time.
func FirstUUID(at time.Time) string { return uuidAt([16]byte{}, at) }

func uuidAt(id [16]byte, at time.Time) string {
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(max(at.UnixMilli(), 0))<<16)
	copy(id[:6], ms[:6])
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// NextUUID returns the smallest UUID of version 7 behind another one. Any other text is
// returned as it is.
func NextUUID(id string) string {
	if !uuidForm.MatchString(id) {
		return id
	}
	next, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err != nil {
		return id
	}
	for i := len(next) - 1; i >= 0; i-- {
		counts := byte(0xff)
		switch i {
		case 6: // beside the version
			counts = 0x0f
		case 8: // beside the variant
			counts = 0x3f
		}
		raised := (next[i] + 1) & counts
		next[i] = next[i]&^counts | raised
		if raised != 0 {
			break
		}
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", next[:4], next[4:6], next[6:8], next[8:10], next[10:])
}

// UUIDTime returns the time in a UUID of version 7, to the millisecond. It reports
// false for any other text.
func UUIDTime(id string) (at time.Time, ok bool) {
	if !uuidForm.MatchString(id) {
		return time.Time{}, false
	}
	ms, err := strconv.ParseInt(id[:8]+id[9:13], 16, 64)
	return time.UnixMilli(ms).UTC(), err == nil
}
