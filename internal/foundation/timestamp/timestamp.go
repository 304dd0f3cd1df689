// Package timestamp reads and writes times as the service keeps and shows them:
// in UTC, to the millisecond.
package timestamp

import (
	"strings"
	"time"
)

// length is that of all texts for years up to 9999.
const length = len("2006-01-02T15:04:05.000Z")

// Format returns a time as text, such as 2026-03-02T14:05:09.400Z: RFC 3339 in UTC.
// There are always three decimals, so that texts sort like the times that they stand
// for. It drops what is finer than a millisecond.
func Format(at time.Time) string { return string(Append(make([]byte, 0, length), at)) }

// Append appends what Format returns to b. Package time formats RFC3339 several times
// faster than a layout with decimals, so these are added here.
func Append(b []byte, at time.Time) []byte {
	b = at.UTC().AppendFormat(b, time.RFC3339)
	ms := at.Nanosecond() / int(time.Millisecond)
	return append(b[:len(b)-len("Z")], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z')
}

// Truncate returns a time in UTC, without what is finer than a millisecond.
func Truncate(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

// Parse reads an RFC 3339 date-time with offset, and truncates it. It reports
// false for text that is not exactly that, and for times before 1970 or after
// 9999.
func Parse(text string) (time.Time, bool) {
	var at time.Time
	if err := at.UnmarshalText([]byte(text)); err != nil || !strict(text) {
		return time.Time{}, false
	}
	at = Truncate(at)
	if at.Year() < 1970 || at.Year() > 9999 {
		return time.Time{}, false
	}
	return at, true
}

// strict reports whether a text that package time takes for RFC 3339 really is
// (go.dev/issue/54580): it refuses hours of one digit, decimal commas, and offsets
// of 24 hours or 60 minutes.
func strict(text string) bool {
	if len(text) < len("2006-01-02T15:04:05Z") || text[len("2006-01-02T15")] != ':' || strings.Contains(text, ",") {
		return false
	}
	offset := text[len(text)-len("+07:00"):]
	return strings.HasSuffix(offset, "Z") || offset[1:3] < "24" && offset[4:] < "60"
}
