package securitylog_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/securitylog"
)

// TestLogIsBounded reports a thousand events within a second.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	var written bytes.Buffer
	now := time.Unix(1_800_000_000, 0)
	observed := map[securitylog.Event]int{}
	log := securitylog.New(slog.New(slog.NewTextHandler(&written, nil)), func() time.Time { return now },
		func(e securitylog.Event) { observed[e]++ })
	report := func(event securitylog.Event, times int) {
		for range times {
			log.Report(t.Context(), event, "address", "192.0.2.1", "key_id", "")
		}
	}
	report(securitylog.SignInFailed, 1000)
	report(securitylog.SignatureForged, 1)
	if got := strings.Count(written.String(), "event=sign_in_failed address=192.0.2.1\n"); got != securitylog.PerSecond {
		t.Errorf("got %d lines of 1000 events, want %d", got, securitylog.PerSecond)
	}
	if !strings.Contains(written.String(), "event=signature_forged") {
		t.Error("got no line of another event, want one")
	}
	now = now.Add(time.Second)
	report(securitylog.SignInFailed, securitylog.PerSecond+3)
	if got := strings.Count(written.String(), "not_written=990\n"); got != 1 {
		t.Errorf("got %d lines with the count of the second before, want 1:\n%s", got, written.String())
	}
	log.Close()
	if !strings.Contains(written.String(), `msg="security events not written" event=sign_in_failed not_written=3`) {
		t.Errorf("closed: got no count of the last second:\n%s", written.String())
	}
	if got := observed[securitylog.SignInFailed]; got != 1000+securitylog.PerSecond+3 {
		t.Errorf("got %d events observed, want %d, written or not", got, 1000+securitylog.PerSecond+3)
	}
	var none *securitylog.Log
	none.Report(t.Context(), securitylog.SignInFailed)
	none.Close()
}
