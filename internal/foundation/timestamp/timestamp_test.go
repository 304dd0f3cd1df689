package timestamp_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	eastern := time.FixedZone("", -5*60*60)
	for want, at := range map[string]time.Time{
		"2026-03-02T14:05:09.000Z": time.Date(2026, 3, 2, 14, 5, 9, 0, time.UTC),
		"2026-03-02T14:05:09.400Z": time.Date(2026, 3, 2, 9, 5, 9, 400_000_000, eastern),
		"2026-03-02T14:05:09.417Z": time.Date(2026, 3, 2, 14, 5, 9, 417_999_999, time.UTC),
		"1970-01-01T00:00:00.000Z": time.Unix(0, 0),
		"9999-12-31T23:59:59.999Z": time.Date(9999, 12, 31, 23, 59, 59, 999_000_000, time.UTC),
	} {
		if got := timestamp.Format(at); got != want {
			t.Errorf("Format(%v): got %s, want %s", at, got, want)
		}
		if got := string(timestamp.Append([]byte("at "), at)); got != "at "+want {
			t.Errorf("Append(%v): got %s, want at %s", at, got, want)
		}
	}
}

// TestFormatSorts checks that texts compare like the times that they stand for,
// and that Parse reads what Format has written.
func TestFormatSorts(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		moment := rapid.Int64Range(0, time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC).UnixMilli())
		a, b := time.UnixMilli(moment.Draw(t, "a")), time.UnixMilli(moment.Draw(t, "b"))
		if got, want := timestamp.Format(a) < timestamp.Format(b), a.Before(b); got != want {
			t.Errorf("%s < %s: got %t, want %t", timestamp.Format(a), timestamp.Format(b), got, want)
		}
		if got, ok := timestamp.Parse(timestamp.Format(a)); !ok || !got.Equal(a) {
			t.Errorf("Parse(%s): got %v, %t, want %v", timestamp.Format(a), got, ok, a)
		}
	})
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-02T09:05:09-05:00":       "2026-03-02T14:05:09.000Z",
		"2026-03-02T14:05:09.4Z":          "2026-03-02T14:05:09.400Z",
		"2026-03-02T14:05:09.4179999999Z": "2026-03-02T14:05:09.417Z",
		"1970-01-01T00:00:00Z":            "1970-01-01T00:00:00.000Z",
		"9999-12-31T23:59:59Z":            "9999-12-31T23:59:59.000Z",
		"2020-01-01T00:00:00+23:59":       "2019-12-31T00:01:00.000Z",
		"2020-01-01T00:00:00-00:00":       "2020-01-01T00:00:00.000Z",
		// ISO 8601 allows more than RFC 3339.
		"2027-01-11T09:00-05:00":      "2027-01-11T14:00:00.000Z",
		"2027-01-11T09:00Z":           "2027-01-11T09:00:00.000Z",
		"2027-01-11T09:00:00-0500":    "2027-01-11T14:00:00.000Z",
		"2027-01-11T09:00-05":         "2027-01-11T14:00:00.000Z",
		"2027-01-11t09:00:00.25z":     "2027-01-11T09:00:00.250Z",
		"2027-01-11t09:00-0330":       "2027-01-11T12:30:00.000Z",
		"2016-12-31T23:59:60Z":        "2017-01-01T00:00:00.000Z",
		"2016-12-31T18:59:60.5-05:00": "2017-01-01T00:00:00.500Z",
	} {
		got, ok := timestamp.Parse(text)
		if !ok || timestamp.Format(got) != want {
			t.Errorf("Parse(%q): got %v, %t, want %s", text, got, ok, want)
		}
	}
}

func TestOffset(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-03-02T09:05:09-05:00":         "2026-03-02T09:05:09.000-05:00",
		"2026-03-02T14:05:09.4Z":            "2026-03-02T14:05:09.400Z",
		"2026-03-02T14:05:09.4179-00:00":    "2026-03-02T14:05:09.417Z",
		"2020-01-01T00:00:00+23:59":         "2020-01-01T00:00:00.000+23:59",
		"2027-01-11T09:00-05:00":            "2027-01-11T09:00:00.000-05:00",
		"2027-01-11t09:00:00.25-0330":       "2027-01-11T09:00:00.250-03:30",
		"2016-12-31T18:59:60.5-05":          "2016-12-31T19:00:00.500-05:00",
		"1970-01-01T01:00:00+01:00":         "1970-01-01T01:00:00.000+01:00",
		"1969-12-31T23:59:59.999-00:01":     "1969-12-31T23:59:59.999-00:01", // 1970 in UTC
		"9999-12-31T23:59:59.9999999+00:00": "9999-12-31T23:59:59.999Z",
	} {
		got, ok := timestamp.ParseWithOffset(text)
		if shown := string(timestamp.AppendWithOffset(nil, got)); !ok || shown != want {
			t.Errorf("ParseWithOffset(%q): got %s, %t, want %s", text, shown, ok, want)
		}
	}
	if got, ok := timestamp.ParseWithOffset("1970-01-01T00:00:00+00:01"); ok {
		t.Errorf("got %v for a time before 1970 in UTC, want a refusal", got)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "1767225600", "2026-03-02", "2026-03-02T09:00:00", "2026-03-02 09:00:00Z",
		"2026-02-30T09:00:00Z", "2026-03-02T24:00:00Z", "2026-03-02T09:00:61Z", "2026-03-02T09:60:00Z", "2026-03-02T09:00",
		"2026-03-02T09Z", "20260302T090000Z", "2026-03-02T0900Z", "2026-03-02T09:00.5Z", "2026-03-02T09:00:00-5",
		"2026-03-02T09:00:00-500", "2026-03-02T9:00:00Z", "2026-03-02T09:00:00,5Z", "2026-03-02T09:00:00.Z",
		"2026-03-02T09:00:00+24:00", "2026-03-02T09:00:00-05:60",
		"1969-12-31T23:59:59Z", "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-01:00", "10000-01-01T00:00:00Z",
	} {
		if got, ok := timestamp.Parse(text); ok {
			t.Errorf("Parse(%q): got %v, want a refusal", text, got)
		}
	}
}
