package app_test

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestFiguresOfADay counts what happens to orders, with the webhooks that were delivered,
// as JSON and as CSV. The events that a receiver has not taken do not count.
func TestFiguresOfADay(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	taken := h.accepted(t)
	h.settled(t, taken, "1 delivered 1")
	h.receiver.Answers(apptest.Always(500))
	h.settled(t, h.accepted(t), "1 pending 1")

	const day = "?from=2026-01-14&to=2026-01-14"
	figures := h.partner.Call(t, "GET", "/v1/figures"+day, nil).Must(t, 200)
	for name, want := range map[string]float64{"orders": 2, "webhooks_delivered": 1, "delivered": 0} {
		if got := figures.JSON("days", 0, name); got != want {
			t.Errorf("%s: got %v, want %v: %s", name, got, want, figures.Body)
		}
	}
	csv := h.partner.Call(t, "GET", "/v1/figures"+day, nil, "Accept", "text/csv").Must(t, 200)
	lines := strings.Split(strings.TrimSpace(string(csv.Body)), "\n")
	const columns, counts = "date,orders,assigned,delivered,on_time,failed_attempts,cancelled,webhooks_delivered,",
		"2026-01-14,2,0,0,0,0,0,1,"
	if csv.Header.Get("Content-Type") != "text/csv; charset=utf-8" || len(lines) != 2 ||
		!strings.HasPrefix(lines[0], columns) || !strings.HasPrefix(lines[1], counts) {
		t.Errorf("got %s with\n%s\nwant the columns %s and the counts %s", csv.Header.Get("Content-Type"), csv.Body, columns,
			counts)
	}
}

// TestPeriodOfFigures: both bounds are optional. The service's clock shows 14 January.
func TestPeriodOfFigures(t *testing.T) {
	t.Parallel()
	metro := apptest.Start(t).Register(t, "metro")
	for query, want := range map[string]string{
		"": "2025-12-16 2026-01-14", "?from=2026-01-10": "2026-01-10 2026-01-14", "?to=2025-06-30": "2025-06-01 2025-06-30",
		"?from=2026-01-10&to=2026-01-10": "2026-01-10 2026-01-10", "?from=2027-03-01": "2027-03-01 2027-03-01",
	} {
		found := metro.Call(t, "GET", "/v1/figures"+query, nil).Must(t, 200)
		if got := found.Text("from") + " " + found.Text("to"); got != want ||
			found.Text("days", 0, "date") != found.Text("from") ||
			found.Text("days", found.Len("days")-1, "date") != found.Text("to") {
			t.Errorf("%q: got %s with %d days, want %s with all its days", query, got, found.Len("days"), want)
		}
	}
	for query, field := range map[string]string{
		"?from=2026-01-15&to=2026-01-14": "from", "?from=14.01.2026": "from", "?to=2026-02-30": "to", "?by=day": "by",
		"?from=1990-01-01&to=2026-01-14": "from",
	} {
		answer := metro.Call(t, "GET", "/v1/figures"+query, nil)
		if answer.Status != 422 || answer.Text("error", "details", "errors", 0, "field") != field {
			t.Errorf("%q: got %d %s, want a fault of %s", query, answer.Status, answer.Body, field)
		}
	}
}
