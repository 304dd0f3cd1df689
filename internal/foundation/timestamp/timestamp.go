package timestamp

import (
	"strings"
	"time"
)

// Instant is a time as records hold and tell it: in UTC, to the millisecond.
func Truncate(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

// ParseTime reads an RFC 3339 date-time with offset, strictly, to the
// millisecond, in UTC.
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

// strictTime refuses what package time takes for RFC 3339 although it is not
// (go.dev/issue/54580): hours of one digit, decimal commas, and offsets of 24
// hours or 60 minutes.
func strict(text string) bool {
	if len(text) < len("2006-01-02T15:04:05Z") || text[len("2006-01-02T15")] != ':' || strings.Contains(text, ",") {
		return false
	}
	offset := text[len(text)-len("+07:00"):]
	return strings.HasSuffix(offset, "Z") || offset[1:3] < "24" && offset[4:] < "60"
}
