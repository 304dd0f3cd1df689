package webhook

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestWrongClockDisablesNoEndpoint has an endpoint fail while the clock is 60 days ahead of the
// time by which failures age.
func TestWrongClockDisablesNoEndpoint(t *testing.T) {
	t.Parallel()
	began := testkit.Epoch
	for aged, disabled := range map[time.Time]bool{{}: true, began.Add(time.Hour): false, began.Add(patience): true} {
		e := &Endpoint{Enabled: true, FailingSince: began}
		e.fail(request{answer: Answer{Status: 500}, aged: aged}, began.Add(60*24*time.Hour))
		if e.Enabled == disabled {
			t.Errorf("failures aged until %v: got enabled %v, want %v", aged, e.Enabled, !disabled)
		}
	}
}
