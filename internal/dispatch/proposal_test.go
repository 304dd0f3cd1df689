package dispatch

import (
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLastVisit checks where a courier was last for an order, which goes from H2W to
// M5H.
func TestLastVisit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		states []delivery.Status
		area   string
		after  time.Duration // the epoch; each state is entered a minute after the one before
	}{
		{[]delivery.Status{"pending", "accepted", "courier_assigned"}, "", 0},
		{[]delivery.Status{"pending", "accepted", "courier_assigned", "failed"}, "H2W", 3 * time.Minute},
		{[]delivery.Status{"pending", "accepted", "courier_assigned", "picked_up"}, "H2W", 3 * time.Minute},
		{[]delivery.Status{"pending", "accepted", "courier_assigned", "picked_up", "in_transit"}, "H2W", 3 * time.Minute},
		{[]delivery.Status{"pending", "accepted", "courier_assigned", "picked_up", "out_for_delivery", "failed"}, "M5H", 5 *
			time.Minute},
	} {
		o := testkit.Order("par_00000001", "ord_x", "A-1", testkit.Epoch)
		o.History = nil
		for i, status := range c.states {
			o.History = append(o.History,
				delivery.HistoryEntry{Status: status, At: testkit.Epoch.Add(time.Duration(i) * time.Minute)})
		}
		var want time.Time
		if c.area != "" {
			want = testkit.Epoch.Add(c.after)
		}
		if area, at := lastVisit(o); area != c.area || !at.Equal(want) {
			t.Errorf("after %v: got %q at %v, want %q at %v", c.states, area, at, c.area, want)
		}
	}
}

// TestStopOnTheWay checks that the next attempt is waited for if it is later than the
// window begins.
func TestStopOnTheWay(t *testing.T) {
	t.Parallel()
	window := delivery.Window{Start: testkit.Epoch, End: testkit.Epoch.Add(time.Hour)}
	for _, c := range []struct{ next, want time.Time }{
		{time.Time{}, window.Start},
		{window.Start.Add(-time.Minute), window.Start},
		{window.Start.Add(time.Minute), window.Start.Add(time.Minute)},
	} {
		job := &Job{Stop: Stop{Contact: &delivery.Contact{Window: window}, Area: "M5H"}, NextAttempt: c.next}
		if got := stopOnTheWay(job); got.Area != "M5H" || !got.Earliest.Equal(c.want) || !got.Latest.Equal(window.End) {
			t.Errorf("next attempt %v: got %+v, want it from %v to %v", c.next, got, c.want, window.End)
		}
	}
}
