package main

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestSlowEndpointsAttack: the events of quick endpoints arrive beside slow ones, which at
// full length use as many requests as they may.
func TestSlowEndpointsAttack(t *testing.T) {
	t.Parallel()
	attack := slowEndpointsAttack{
		Binary: dropyard(t), Endpoints: 30, Waiting: 2, How: "answer", Takes: 500 * time.Millisecond, Quick: 2, Rate: 40,
		Seconds: 0.25, Last: repeatable.Hang,
	}
	if testkit.Long() {
		attack.Seconds, attack.Start = 1, 3*time.Second
	}
	report, err := attack.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	events := int(attack.Seconds * float64(attack.Rate))
	for name, s := range map[string]slowSituation{"before": report.Before, "during": report.During} {
		if s.Events != events || s.Missing > 0 || s.P99 <= 0 || s.Descriptors == 0 {
			t.Errorf("%s: got %+v, want %d events, none missing, and figures of the process", name, s, events)
		}
	}
	checkText(t, report, "before", "during", "slow endpoints: at most")
	if testkit.Long() && report.SlowPeak < attack.Endpoints {
		t.Errorf("got %d requests to slow endpoints at once, want at least %d", report.SlowPeak, attack.Endpoints)
	}
}
