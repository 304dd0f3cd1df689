package main

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit"
)

// smallWebhooks measures little of everything.
func smallWebhooks() webhooksCommand {
	return webhooksCommand{Events: 60, Many: 5, Seconds: 0.5, Rate: 40, Waiting: 300, Rounds: 1, Database: "sqlite"}
}

func TestWebhooksAddUp(t *testing.T) {
	t.Parallel()
	command := smallWebhooks()
	command.Only = []string{"deliver", "write", "neighbour", "wake"}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, report, 11)
	if len(report.Ratios) != 5 {
		t.Errorf("ratios %+v", report.Ratios)
	}
	printed(t, report, "1 endpoints, floor", "queued and sent", "ten dead", "same node", "below 2")
}

func TestWebhooksOnPostgresAddUp(t *testing.T) {
	t.Parallel()
	if _, err := testkit.FindPostgres("postgres"); err != nil {
		testkit.Missing(t, "postgres", "postgresql", err)
	}
	command := smallWebhooks()
	command.Database, command.Only = "postgres", []string{"deliver", "wake"}
	report, err := command.measure(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkRows(t, report, 6)
	printed(t, report, "another node")
}

func checkRows(t *testing.T, report *webhooksReport, want int) {
	t.Helper()
	if len(report.Rows) != want {
		t.Errorf("%d rows, want %d", len(report.Rows), want)
	}
	for _, row := range report.Rows {
		if row.Orders == 0 || row.PerSecond <= 0 || row.P50 > row.P99 || row.P99 > row.Max {
			t.Errorf("%s, %s: %+v", row.Part, row.Name, row.figures)
		}
		if strings.HasSuffix(row.Part, "deliver") && row.Orders != report.Events {
			t.Errorf("%s: %d events came, want %d", row.Name, row.Orders, report.Events)
		}
	}
}

func TestWaitingEventsAreSentOnceEndpointsLive(t *testing.T) {
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
		t.Errorf("got %+v", row)
	}
}

func TestEventsAreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	a, b := newEventMaker(3), newEventMaker(3)
	chains := 0
	for range 120 {
		one, partner := a.next()
		other, _ := b.next()
		if one.OrderID[20:] != other.OrderID[20:] || one.Sequence != other.Sequence || one.PartnerID != hookPartner(partner) {
			t.Fatalf("%+v and %+v", one, other)
		}
		if one.Sequence > 1 {
			chains++
		}
	}
	if chains != 50 { // ten chains of six
		t.Errorf("%d events behind others, want 50", chains)
	}
}

func TestWebhooksRefuseWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	fits := smallWebhooks()
	if err := fits.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, change := range []func(*webhooksCommand){
		func(c *webhooksCommand) { c.Events = maxHookEvents + 1 },
		func(c *webhooksCommand) { c.Many = 1001 },
		func(c *webhooksCommand) { c.Idle = -time.Second },
		func(c *webhooksCommand) { c.Rate = 0 },
	} {
		refused := smallWebhooks()
		change(&refused)
		if refused.Validate() == nil {
			t.Errorf("%+v is not refused", refused)
		}
	}
}
