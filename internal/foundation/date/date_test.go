package date_test

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/date"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"2026-02-28": true, "2024-02-29": true, "2026-02-29": false, "1970-01-01": false, "1969-12-31": false,
		"2026-2-8": false, "20260228": false, "2026-02-28T00:00:00Z": false, "": false,
	} {
		day, ok := date.Parse(text)
		if ok != want || ok && day.String() != text {
			t.Errorf("%q: got %s, %t, want ok %t", text, day, ok, want)
		}
	}
}

func TestOf(t *testing.T) {
	t.Parallel()
	east, west := time.FixedZone("east", 5*3600), time.FixedZone("west", -5*3600)
	at := time.Date(2026, time.March, 1, 2, 0, 0, 0, time.UTC)
	if got := date.Of(at, west).String(); got != "2026-02-28" {
		t.Errorf("west: got %s, want 2026-02-28", got)
	}
	if got := date.Of(at, east); got != date.On(2026, time.March, 1) || !got.Midnight().Equal(at.Truncate(24*time.Hour)) {
		t.Errorf("east: got %s, want 2026-03-01", got)
	}
}
