package main

import (
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

func TestAttackMeasuresBothSituations(t *testing.T) {
	t.Parallel()
	attack := connectionsAttack{attackFlags: attackFlags{Binary: dropyard(t), Seconds: 0.5, Rate: 100}, Connections: 20}
	if !testkit.Long() {
		attack.Requests = 2
	}
	report, err := attack.measure(t.Context(), "connections", []string{"attack", "connections", "--connections=20"})
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]situation{"before": report.Before, "during": report.During} {
		if s.Orders < 10 || s.Failed > 0 || s.P99 <= 0 || s.Descriptors == 0 || s.MegaBytes <= 0 {
			t.Errorf("%s: got %+v, want at least 10 orders, none failed, and figures of the process", name, s)
		}
	}
	if got := report.Counts["connections begun"]; got != attack.Connections {
		t.Errorf("got %d connections, want %d", got, attack.Connections)
	}
	checkText(t, report, "before", "during", "p99 during : before", "connections begun: 20")
	// Connections are accepted in order: those of the attack before those of the others.
	if report.During.Descriptors < attack.Connections+bystanders {
		t.Errorf("got %d descriptors during the attack, want at least %d", report.During.Descriptors,
			attack.Connections+bystanders)
	}
	if !testkit.Long() {
		return
	}
	if more := report.During.Descriptors - report.Before.Descriptors; more < attack.Connections {
		t.Errorf("got %d more descriptors during the attack, want at least %d", more, attack.Connections)
	}
}
