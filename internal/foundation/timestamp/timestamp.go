// Package timestamp reads and writes times as the service keeps and shows them: to the
// millisecond, in UTC, and time windows at the offset that was sent.
package timestamp

import (
	"cmp"
	"regexp"
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

// AppendWithOffset appends a time as Append does, but with its own offset, such as
// 2026-03-02T09:05:09.400-05:00.
func AppendWithOffset(b []byte, at time.Time) []byte {
	if _, offset := at.Zone(); offset == 0 {
		return Append(b, at)
	}
	return at.AppendFormat(b, "2006-01-02T15:04:05.000Z07:00")
}

// Truncate returns a time in UTC, without what is finer than a millisecond.
func Truncate(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

// Parse reads an RFC 3339 date-time with offset, or the same as ISO 8601 also writes it
// (see rewrite), and truncates it. It reports false for any other text, and for times before
// 1970 or after 9999.
func Parse(text string) (time.Time, bool) {
	at, ok := ParseWithOffset(text)
	return at.UTC(), ok
}

// ParseWithOffset reads a time as Parse does, and leaves it at the offset that the text has.
func ParseWithOffset(text string) (time.Time, bool) {
	at, ok := parse(text)
	if !ok {
		rewritten, leap := rewrite(text)
		if at, ok = parse(rewritten); !ok {
			return time.Time{}, false
		}
		at = at.Add(leap)
	}
	at = at.Truncate(time.Millisecond)
	if year := at.UTC().Year(); year < 1970 || year > 9999 {
		return time.Time{}, false
	}
	return at, true
}

// parse reads an RFC 3339 date-time in capital letters, without leap seconds.
func parse(text string) (at time.Time, ok bool) {
	err := at.UnmarshalText([]byte(text))
	return at, err == nil && strict(text)
}

// isoForm matches date-times with offset in the extended form of ISO 8601.
var isoForm = regexp.MustCompile(
	`^(\d{4}-\d{2}-\d{2})[Tt](\d{2}:\d{2})(?::(\d{2})(\.\d+)?)?(?:[Zz]|([+-]\d{2})(?::?(\d{2}))?)$`)

// rewrite returns a date-time of ISO 8601 as RFC 3339 in capital letters: seconds may be left
// out, and the colon and the minutes of an offset. A leap second becomes the one before it and
// a second to add. A text of another form is returned as it is.
func rewrite(text string) (rewritten string, leap time.Duration) {
	part := isoForm.FindStringSubmatch(text)
	if part == nil {
		return text, 0
	}
	seconds, offset := cmp.Or(part[3], "00"), "Z"
	if seconds == "60" {
		seconds, leap = "59", time.Second
	}
	if part[5] != "" {
		offset = part[5] + ":" + cmp.Or(part[6], "00")
	}
	return part[1] + "T" + part[2] + ":" + seconds + part[4] + offset, leap
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
