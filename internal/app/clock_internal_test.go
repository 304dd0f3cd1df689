package app

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

func TestDoctorFindsAClockThatIsBehind(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for last, want := range map[string]string{
		"":                                     "",
		timestamp.Format(now.Add(-time.Hour)):  "",
		timestamp.Format(now.Add(time.Hour)):   "1h0m0s behind the times of the latest records: look at its time service",
		timestamp.Format(now.AddDate(1, 0, 0)): "8760h0m0s behind the times of the latest records: if it is right now",
	} {
		d := &Diagnosis{}
		d.checkClock(last, now)
		if got := strings.Join(d.Findings, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("the last time is %q: got %q, want %q", last, got, want)
		}
	}
}

func TestDoctorFindsAClockThatIsFarAhead(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for days, want := range map[int]string{0: "", -3: "", -60: "60 days ahead of the latest time in the store", 60: ""} {
		d := &Diagnosis{}
		d.checkTrust(fmt.Sprintf(`{"at":%q}`, timestamp.Format(now.AddDate(0, 0, days))), now)
		if got := strings.Join(d.Findings, "\n"); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("a mark of %d days ago: got %q, want %q", -days, got, want)
		}
	}
}
