package app

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/zone"
)

func TestDoctorChecksTimeZones(t *testing.T) {
	t.Parallel()
	ofSystem := *zone.Own()
	ofSystem.Version, ofSystem.Folder = "2990a", "/usr/share/zoneinfo"
	renewed := time.Date(2026, time.November, 25, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		zones  *zone.Database
		at     time.Time
		from   string
		isOld  bool
		unused error
	}{
		{zones: zone.Own(), at: renewed, from: "those of " + zone.Own().Version + ", from the program"},
		{zones: &ofSystem, at: renewed, from: "those of 2990a, from /usr/share/zoneinfo"},
		{zones: zone.Own(), at: renewed.AddDate(30, 0, 0), from: "from the program", isOld: true},
		{zones: zone.Own(), at: renewed, from: "from the program", unused: errors.New("America/Regina: bad")},
	} {
		d := &Diagnosis{}
		d.checkZones(c.zones, c.unused, c.at)
		if len(d.Notes) == 0 || !strings.Contains(d.Notes[0], c.from) {
			t.Errorf("got the notes %q, want %q in the first", d.Notes, c.from)
		}
		isOld := strings.Contains(strings.Join(d.Notes, "\n"), "more than a year old")
		if isOld != c.isOld {
			t.Errorf("%s at %s: got the notes %q, want a note on their age %t", c.zones.Version, c.at, d.Notes, c.isOld)
		}
		if found := strings.Join(d.Findings, "\n"); (c.unused != nil) != strings.Contains(found, "America/Regina: bad") {
			t.Errorf("got the findings %q, want the unused zones in them: %v", found, c.unused)
		}
	}
}
