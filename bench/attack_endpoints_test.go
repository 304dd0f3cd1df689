package main

import (
	"testing"
	"time"
)

// TestSlowEndpointsAttack: the events of quick endpoints arrive beside slow ones that
// use as many requests as they may.
func TestSlowEndpointsAttack(t *testing.T) {
	t.Parallel()
	attack := slowEndpointsAttack{Binary: testBinary, Endpoints: 30, Waiting: 2, How: "answer", Takes: 500 * time.Millisecond, Quick: 2, Rate: 40, Seconds: 1}
	report, err := attack.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]slowSituation{"before": report.Before, "during": report.During} {
		if s.Events != 40 || s.Missing > 0 || s.P99 <= 0 || s.Descriptors == 0 {
			t.Errorf("%s: got %+v, want 40 events, none missing, and figures of the process", name, s)
		}
	}
	if report.SlowPeak < attack.Endpoints {
		t.Errorf("got %d requests to slow endpoints at once, want at least %d", report.SlowPeak, attack.Endpoints)
	}
	checkText(t, report, "before", "during", "slow endpoints: at most")
}
