package main

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// smallWebhooks returns a command with small measurements.
func smallWebhooks() webhooksCommand {
	return webhooksCommand{Events: 60, Many: 5, Seconds: 0.5, Rate: 40, Waiting: 300, Rounds: 1, Database: "sqlite"}
}

func TestWebhooks(t *testing.T) {
	t.Parallel()
	command := smallWebhooks()
	command.Only = []string{"deliver", "write", "neighbour", "wake"}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, report, 11)
	if len(report.Ratios) != 5 {
		t.Errorf("got ratios %+v, want 5", report.Ratios)
	}
	checkText(t, report, "1 endpoints, floor", "queued and sent", "ten dead", "same node", "below 2")
}

func TestWebhooksOnPostgres(t *testing.T) {
	t.Parallel()
	testkit.NeedPostgres.OrSkip(t)
	command := smallWebhooks()
	command.Database, command.Only = "postgres", []string{"deliver", "wake"}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, report, 6)
	checkText(t, report, "another node")
}

func checkRows(t *testing.T, report *webhooksReport, want int) {
	t.Helper()
	if len(report.Rows) != want {
		t.Errorf("got %d rows, want %d", len(report.Rows), want)
	}
	for _, row := range report.Rows {
		if row.Orders == 0 || row.PerSecond <= 0 || row.P50 > row.P99 || row.P99 > row.Max {
			t.Errorf("%s, %s: got %+v, want events, a rate and ascending percentiles", row.Part, row.Name, row.figures)
		}
		if strings.HasSuffix(row.Part, "deliver") && row.Orders != report.Events {
			t.Errorf("%s: got %d events, want %d", row.Name, row.Orders, report.Events)
		}
	}
}

func TestWaitingEvents(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits half a minute for a probe")
	}
	command := smallWebhooks()
	row, err := command.waitingRow(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if row.Events != 300 || row.StartMB <= 0 || row.BusyMB < row.StartMB {
		t.Errorf("got %+v, want 300 events, and at least as much memory when busy as at the start", row)
	}
}

func TestEventMaker(t *testing.T) {
	t.Parallel()
	a, b := newEventMaker(3), newEventMaker(3)
	chains := 0
	for range 120 {
		one, partner := a.next()
		other, _ := b.next()
		if one.OrderID[20:] != other.OrderID[20:] || one.Sequence != other.Sequence || one.PartnerID != hookPartner(partner) {
			t.Fatalf("got %+v and %+v from two makers, want equal events of partner %d", one, other, partner)
		}
		if one.Sequence > 1 {
			chains++
		}
	}
	if chains != 50 { // ten chains of six
		t.Errorf("got %d events after the first of an order, want 50", chains)
	}
}

func TestWebhooksValidate(t *testing.T) {
	t.Parallel()
	valid := smallWebhooks()
	if err := valid.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*webhooksCommand){
		func(c *webhooksCommand) { c.Events = maxHookEvents + 1 },
		func(c *webhooksCommand) { c.Many = 1001 },
		func(c *webhooksCommand) { c.Idle = -time.Second },
		func(c *webhooksCommand) { c.Rate = 0 },
	} {
		invalid := smallWebhooks()
		change(&invalid)
		if invalid.Validate() == nil {
			t.Errorf("%+v: got no error", invalid)
		}
	}
}
