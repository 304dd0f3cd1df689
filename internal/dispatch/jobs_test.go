package dispatch

import (
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestSortJobs checks that the sequence does not depend on the order in which the
// jobs were found. The epoch is at 15:00.
func TestSortJobs(t *testing.T) {
	t.Parallel()
	now := testkit.Epoch.Add(20 * time.Minute)
	var jobs []Job
	add := func(name string, kind StopKind, postalCode string, due time.Duration) *Job {
		o := testkit.Order("par_00000001", name, name, testkit.Epoch)
		contact := delivery.Contact{
			Address: delivery.Address{Line1: "1 Main", PostalCode: postalCode},
			Window:  delivery.Window{End: testkit.Epoch.Add(due)},
		}
		jobs = append(jobs, Job{Order: o, Stop: Stop{Kind: kind, Contact: &contact, Area: board.Zone(contact.Address)}})
		return &jobs[len(jobs)-1]
	}
	add("overdue, here", StopDropoff, "H2W 2M5", -5*time.Hour)
	add("this hour, a pickup next door", StopPickup, "h2w2m4", 55*time.Minute)
	add("this hour, elsewhere", StopDropoff, "A1A 1A1", 30*time.Minute)
	add("next hour, here, later", StopDropoff, "H2W 2M5", 100*time.Minute)
	add("next hour, here, earlier", StopDropoff, "H2W 2M6", 90*time.Minute)
	add("next hour, elsewhere, first of all", StopDropoff, "M5H 2N2", 61*time.Minute)
	add("next hour, next door to that, last of all", StopPickup, "M5H 2N2", 119*time.Minute)
	add("tomorrow", StopPickup, "H2W 2M5", 30*time.Hour)
	add("failed, due again", StopDropoff, "A1A 1A1", 40*time.Minute).NextAttempt = now
	add("failed, tomorrow", StopDropoff, "H2W 2M5", -6*time.Hour).NextAttempt = now.Add(20 * time.Hour)
	add("failed, in an hour", StopDropoff, "M5H 2N2", -time.Hour).NextAttempt = now.Add(time.Hour)
	want := []string{
		"this hour, a pickup next door", "overdue, here", "this hour, elsewhere", "failed, due again",
		"next hour, next door to that, last of all", "next hour, elsewhere, first of all", "next hour, here, earlier",
		"next hour, here, later", "tomorrow", "failed, in an hour", "failed, tomorrow",
	}
	random := repeatable.Rand(t)
	for range 20 {
		random.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
		SortJobs(jobs, now)
		var got []string
		for _, job := range jobs {
			got = append(got, job.Order.OrderID)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("got sequence %q\nwant %q", got, want)
		}
	}
}

// TestNextStop checks that an order that was never picked up leads to the pickup.
func TestNextStop(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		states  []delivery.Status
		want    StopKind
		actions []delivery.Status
	}{
		{[]delivery.Status{"accepted", "courier_assigned"}, StopPickup, []delivery.Status{"picked_up", "failed"}},
		{[]delivery.Status{
			"accepted", "courier_assigned", "failed",
		}, StopPickup, []delivery.Status{"in_transit", "out_for_delivery"}},
		{[]delivery.Status{
			"accepted", "courier_assigned", "picked_up",
		}, StopDropoff, []delivery.Status{"in_transit", "out_for_delivery", "failed"}},
		{[]delivery.Status{
			"accepted", "courier_assigned", "picked_up", "failed",
		}, StopDropoff, []delivery.Status{"in_transit", "out_for_delivery"}},
		{[]delivery.Status{
			"accepted", "courier_assigned", "picked_up", "out_for_delivery",
		}, StopDropoff, []delivery.Status{"delivered", "failed"}},
		{[]delivery.Status{
			"accepted", "courier_assigned", "picked_up", "out_for_delivery", "delivered",
		}, StopDropoff, []delivery.Status{}},
	} {
		o := testkit.Order("par_00000001", "ord_x", "A-1", testkit.Epoch)
		for _, status := range c.states {
			o.Status = status
			o.History = append(o.History, delivery.HistoryEntry{Status: status})
		}
		job := jobOf(o)
		if job.Stop.Kind != c.want || !slices.Equal(job.Actions, c.actions) {
			t.Errorf("after %v: got %s, actions %v, want %s, %v", c.states, job.Stop.Kind, job.Actions, c.want, c.actions)
		}
	}
}
