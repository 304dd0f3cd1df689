package app_test

import (
	"fmt"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestWindowsKeepTheirOffset writes a time window in forms of ISO 8601: it is answered in
// RFC 3339 with the offset that was sent, by whatever answers the order.
func TestWindowsKeepTheirOffset(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	for i, c := range []struct{ start, end, wantStart, wantEnd string }{
		{
			"2026-01-15T09:00:00-05:00", "2026-01-15T12:00:00-03:30", "2026-01-15T09:00:00.000-05:00",
			"2026-01-15T12:00:00.000-03:30",
		},
		{"2026-01-15T09:00-0500", "2026-01-15t17:00:00.25z", "2026-01-15T09:00:00.000-05:00", "2026-01-15T17:00:00.250Z"},
		{"2026-01-15T08:59:60-05", "2026-01-15T16:00:00+00:00", "2026-01-15T09:00:00.000-05:00", "2026-01-15T16:00:00.000Z"},
	} {
		number := fmt.Sprintf("O-%d", i)
		created := p.Create(t, withWindow(t, testkit.OrderJSON(number, ""), c.start, c.end)).Must(t, 201)
		check := func(name string, answer *apptest.Answer, path ...any) {
			t.Helper()
			path = append(path, "dropoff", "time_window")
			start, end := answer.Text(append(path, "start")...), answer.Text(append(path, "end")...)
			if start != c.wantStart || end != c.wantEnd {
				t.Errorf("%s of a window from %s to %s: got %s to %s, want %s to %s",
					name, c.start, c.end, start, end, c.wantStart, c.wantEnd)
			}
		}
		check("creation", created)
		check("read", p.Call(t, "GET", "/v1/orders/"+created.Text("order_id"), nil).Must(t, 200))
		check("list", p.Call(t, "GET", "/v1/orders?partner_order_id="+number, nil).Must(t, 200), "orders", 0)
	}
}
