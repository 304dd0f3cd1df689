package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

// further is an endpoint behind the first of a partner, with every column filled.
func further(partnerID, endpointID string) *webhook.Endpoint {
	e := endpoint(partnerID)
	e.EndpointID, e.URL = endpointID, "https://shop.example/"+endpointID
	return e
}

// testFurtherEndpoints: the endpoints of a partner are apart from each other, and all are found where leases and
// wakes are looked for.
func testFurtherEndpoints(t *testing.T, s *store.Store) {
	ctx, now := t.Context(), testkit.Epoch
	first, second, third := endpoint(partnerID), further(partnerID, "whe_b"), further(partnerID, "whe_a")
	second.CreatedAt, third.CreatedAt = now.Add(time.Hour), now.Add(2*time.Hour)
	other := further(neighbourID, "whe_c")
	saveEndpoints(t, s, third, other, first, second)
	second.URL, second.Enabled, second.Events = "https://shop.example/changed", false, ""
	saveEndpoints(t, s, second)
	readWebhooks(t, s, func(tx webhook.Reader) error {
		for _, want := range []*webhook.Endpoint{first, second, third, other} {
			found, err := tx.Endpoint(ctx, want.Key())
			must(t, err)
			same(t, "Endpoint", found, want)
		}
		listed, err := tx.Endpoints(ctx, partnerID)
		same(t, "Endpoints", listed, []*webhook.Endpoint{first, second, third})
		return err
	})
	keys := []outbox.EndpointKey{first.Key(), third.Key(), second.Key(), webhook.KeyOf(partnerID, "whe_none")}
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
		must(t, tx.LockAdding(ctx, partnerID))
		locked, err := tx.LockEndpoints(ctx, keys)
		if len(locked) != 3 {
			t.Errorf("got %v locked, want three endpoints", locked)
		}
		for _, want := range []*webhook.Endpoint{first, second, third} {
			same(t, "LockEndpoints", locked[want.Key()], want)
		}
		return err
	}))
	readWebhooks(t, s, func(tx webhook.Reader) error {
		expired, err := tx.Expired(ctx, now.Add(4*time.Minute), 10)
		if len(expired) != 4 {
			t.Errorf("got %v expired, want four endpoints", expired)
		}
		some, err2 := tx.Expired(ctx, now.Add(4*time.Minute), 2)
		if len(some) != 2 {
			t.Errorf("got %v expired, want two endpoints", some)
		}
		must(t, err2)
		return err
	})
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error { return tx.DropLeases(ctx) }))
	first.WakeAt, third.WakeAt, other.WakeAt = now.Add(2*time.Second), now.Add(time.Second), now.Add(3*time.Second)
	for _, e := range []*webhook.Endpoint{first, third, other} {
		e.Holder, e.LeaseUntil, e.Pace = "", time.Time{}, 1
	}
	saveEndpoints(t, s, first, third, other)
	wakes := []outbox.Wake{
		{EndpointKey: third.Key(), At: third.WakeAt}, {EndpointKey: first.Key(), At: first.WakeAt},
		{EndpointKey: other.Key(), At: other.WakeAt},
	}
	readWebhooks(t, s, func(tx webhook.Reader) error {
		for limit := 1; limit <= 3; limit++ {
			found, err := tx.Wakes(ctx, webhook.Quick, limit)
			must(t, err)
			same(t, fmt.Sprintf("Wakes, at most %d", limit), found, wakes[:limit])
		}
		b, err := tx.Backlog(ctx)
		if b.Enabled != 3 || b.Disabled != 1 || b.Broken != 3 {
			t.Errorf("got %+v, want three endpoints, broken, and a disabled one", b)
		}
		return err
	})
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error { return tx.RemoveEndpoint(ctx, third.Key()) }))
	readWebhooks(t, s, func(tx webhook.Reader) error {
		listed, err := tx.Endpoints(ctx, partnerID)
		if len(listed) != 2 {
			t.Errorf("got %v, want two endpoints once one is removed", listed)
		}
		return err
	})
}

// testFurtherQueues: an event has a place in the queue of each endpoint that takes it, and the places are apart.
func testFurtherQueues(t *testing.T, s *store.Store) {
	ctx, now := t.Context(), testkit.Epoch.Add(time.Hour)
	first, all, failures := endpoint(partnerID), further(partnerID, "whe_all"), further(partnerID, "whe_failures")
	for _, e := range []*webhook.Endpoint{first, all, failures} {
		e.WakeAt, e.OpenUntil, e.Events = time.Time{}, time.Time{}, ""
	}
	failures.Events = outbox.FilterOf([]delivery.EventType{delivery.EventOrderFailed})
	saveEndpoints(t, s, first, all, failures)
	events := []*delivery.Event{event(t, partnerID, 1, 1), event(t, partnerID, 2, 2), event(t, partnerID, 3, 3)}
	events[1].Type, events[1].Facts = delivery.EventOrderPickedUp, delivery.EventFacts{At: now}
	saveEvents(t, s, events[:1]...)
	saveEvents(t, s, events[1:]...)

	at := func(e *webhook.Endpoint, i int, state outbox.State, due time.Time) *webhook.Event {
		return &webhook.Event{Event: *events[i], EndpointID: e.EndpointID, State: state, DueAt: due}
	}
	write := func(fn func(context.Context, webhook.Writer) error) {
		t.Helper()
		must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error { return fn(ctx, tx) }))
	}
	due := func(e *webhook.Endpoint) (found []*webhook.Event) {
		t.Helper()
		readWebhooks(t, s, func(tx webhook.Reader) (err error) {
			found, err = tx.DueEvents(ctx, e.Key(), nil, now, 10)
			return err
		})
		return found
	}
	for _, e := range []*webhook.Endpoint{first, all, failures} {
		same(t, "DueEvents of "+e.ID(), due(e), []*webhook.Event{at(e, 0, outbox.Pending, events[0].CreatedAt)})
		readWebhooks(t, s, func(tx webhook.Reader) error {
			woken, err := tx.Endpoint(ctx, e.Key())
			if !woken.WakeAt.Equal(events[0].CreatedAt) {
				t.Errorf("%s wakes at %v, want %v", e.ID(), woken.WakeAt, events[0].CreatedAt)
			}
			return err
		})
	}

	// One endpoint gets on; the others stay where they are.
	done := at(all, 0, outbox.Delivered, time.Time{})
	done.Tries, done.Log = 1, []webhook.Attempt{{At: now, Status: 200, TookMS: 7}}
	write(func(ctx context.Context, tx webhook.Writer) error {
		saved, err := tx.SaveProgress(ctx, []webhook.Progress{{Event: done, FromState: outbox.Pending}})
		same(t, "SaveProgress", saved, []outbox.EventKey{done.Key()})
		must(t, tx.Promote(ctx, []outbox.EventKey{done.Key().Next()}, now))
		return err
	})
	same(t, "DueEvents behind what was delivered", due(all), []*webhook.Event{at(all, 1, outbox.Pending, now)})
	same(t, "DueEvents of the first", due(first), []*webhook.Event{at(first, 0, outbox.Pending, events[0].CreatedAt)})
	readWebhooks(t, s, func(tx webhook.Reader) error {
		listed, err := tx.Events(ctx, webhook.Filter{PartnerID: partnerID, EndpointID: all.EndpointID, Limit: 2})
		same(t, "Events of an endpoint", listed, []*webhook.Event{
			at(all, 2, outbox.Pending, time.Time{}), at(all, 1, outbox.Pending, now),
		})
		must(t, err)
		typed, err := tx.Events(ctx, webhook.Filter{
			PartnerID: partnerID, EndpointID: all.EndpointID, Type: delivery.EventOrderPickedUp, State: outbox.Pending, Limit: 9,
		})
		same(t, "Events of a type", typed, []*webhook.Event{at(all, 1, outbox.Pending, now)})
		must(t, err)
		one, err := tx.Event(ctx, partnerID, events[0].EventID)
		must(t, err)
		must(t, tx.AddFurther(ctx, []*webhook.Event{one}))
		same(t, "AddFurther", one.Further, []*webhook.Event{done, at(failures, 0, outbox.Pending, events[0].CreatedAt)})
		there, err := tx.At(ctx, all.EndpointID, []*webhook.Event{one})
		same(t, "At", there, []*webhook.Event{done})
		must(t, err)
		back, err := tx.At(ctx, "", there)
		same(t, "At the first endpoint", back, []*webhook.Event{at(first, 0, outbox.Pending, events[0].CreatedAt)})
		must(t, err)
		none, err := tx.At(ctx, "whe_none", []*webhook.Event{one})
		same(t, "At an endpoint without it", none, []*webhook.Event{{
			Event: *events[0], EndpointID: "whe_none", State: outbox.Skipped,
		}})
		return err
	})

	// An event may get its place later.
	write(func(ctx context.Context, tx webhook.Writer) error {
		late := []*webhook.Event{at(first, 0, outbox.Pending, now), {
			Event: *events[0], EndpointID: "whe_late", State: outbox.Skipped,
		}}
		must(t, tx.AddToQueue(ctx, late))
		must(t, tx.AddToQueue(ctx, late))
		next, err := tx.NextDue(ctx, webhook.KeyOf(partnerID, "whe_late"))
		if !next.IsZero() {
			t.Errorf("got %v as the next due of a queue without pending events", next)
		}
		must(t, err)
		next, err = tx.NextDue(ctx, all.Key())
		if !next.Equal(now) {
			t.Errorf("got %v as the next due, want %v", next, now)
		}
		return err
	})
	checkSweep(t, s, events, false)
	write(func(ctx context.Context, tx webhook.Writer) error {
		for _, e := range []*webhook.Endpoint{first, all} {
			skipped, err := tx.SkipPending(ctx, e.Key(), 10)
			if want := map[*webhook.Endpoint]int64{first: 3, all: 2}[e]; skipped != want {
				t.Errorf("%s: got %d skipped, want %d", e.ID(), skipped, want)
			}
			must(t, err)
		}
		return nil
	})
	if got := len(due(failures)); got != 1 {
		t.Errorf("got %d events due at the endpoint that was left alone, want 1", got)
	}
	checkSweep(t, s, events, false)
	write(func(ctx context.Context, tx webhook.Writer) error {
		_, err := tx.SkipPending(ctx, failures.Key(), 10)
		return err
	})
	checkSweep(t, s, events, true)
}

// testWrongDeliveries damages the queues of the first endpoint and of another in every way, and expects each
// damage to be found.
func testWrongDeliveries(t *testing.T, s *store.Store) {
	ctx := t.Context()
	for _, e := range []*webhook.Endpoint{endpoint(neighbourID), further(neighbourID, "whe_b")} {
		e.WakeAt, e.OpenUntil, e.Events = time.Time{}, time.Time{}, ""
		saveEndpoints(t, s, e)
	}
	saveEvents(t, s, event(t, neighbourID, 1, 1), event(t, neighbourID, 2, 2))
	find := func(what string, want ...string) {
		t.Helper()
		var found []string
		must(t, s.Read(ctx, func(c db.Conn) error {
			found = nil
			return c.Query(ctx, store.WrongDeliveries, nil, func(r db.Row) error {
				var text string
				err := r.Scan(&text)
				found = append(found, text)
				return err
			})
		}))
		slices.Sort(found)
		if !slices.Equal(found, want) {
			t.Errorf("%s: found %q, want %q", what, found, want)
		}
	}
	find("not damaged")
	for _, c := range []struct {
		endpointID, name string
	}{{"", "the first endpoint"}, {"whe_b", "whe_b"}} {
		key := outbox.EndpointKey{PartnerID: neighbourID, EndpointID: c.endpointID}
		var events []*webhook.Event
		var there *webhook.Endpoint
		readWebhooks(t, s, func(tx webhook.Reader) (err error) {
			there, err = tx.Endpoint(ctx, key)
			must(t, err)
			events, err = tx.Events(ctx, webhook.Filter{
				PartnerID: neighbourID, EndpointID: c.endpointID, Limit: 2, After: identifier.FirstUUID(time.Time{}),
			})
			return err
		})
		first, second := "the event "+events[0].EventID+" at "+c.name, "the event "+events[1].EventID+" at "+c.name
		woken := there.WakeAt
		there.WakeAt = time.Time{}
		saveEndpoints(t, s, there)
		find("an endpoint that does not wake", first+" waits, but the endpoint would not be woken for it")
		there.WakeAt = woken
		saveEndpoints(t, s, there)
		find("mended")
		done := *events[0]
		done.State, done.DueAt = outbox.Delivered, time.Time{}
		must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
			_, err := tx.SaveProgress(ctx, []webhook.Progress{{Event: &done, FromState: outbox.Pending}})
			return err
		}))
		find("an event behind one that was delivered", second+" waits behind no event of its order")
		must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
			return tx.Promote(ctx, []outbox.EventKey{events[1].Key()}, testkit.Epoch)
		}))
		find("mended")
		must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error { return tx.RemoveEndpoint(ctx, key) }))
		find("an endpoint that was removed", second+" waits, but the endpoint would not be woken for it")
		must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
			_, err := tx.SkipPending(ctx, key, 10)
			return err
		}))
		find("mended")
	}
	strange := &webhook.Event{Event: *event(t, neighbourID, 9, 9), EndpointID: "whe_b", State: outbox.Skipped}
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
		return tx.AddToQueue(ctx, []*webhook.Event{strange})
	}))
	find("a delivery of no event", "the event "+strange.EventID+" at whe_b does not exist")
}

// checkSweep: an event that waits at any endpoint is not removed, and others go with all their places.
func checkSweep(t *testing.T, s *store.Store, events []*delivery.Event, goes bool) {
	t.Helper()
	ctx := t.Context()
	var listed []retention.EventTime
	readRetention(t, s, func(tx retention.Reader) (err error) {
		listed, err = tx.EventTimes(ctx, outbox.EventKey{PartnerID: partnerID}, "ore", 10)
		return err
	})
	if (len(listed) == len(events)) != goes || len(listed) > 0 && !goes {
		t.Fatalf("got %v to remove, want all events: %v", listed, goes)
	}
	removed := listed
	if !goes { // the sweep has listed them before they were sent again
		for _, e := range events {
			removed = append(removed, retention.EventTime{EventKey: outbox.KeyOf(e), State: outbox.Skipped})
		}
	}
	writeRetention(t, s, func(tx retention.Writer) error { return tx.RemoveEvents(ctx, removed) })
	readWebhooks(t, s, func(tx webhook.Reader) error {
		left, err := tx.Events(ctx, webhook.Filter{PartnerID: partnerID, Limit: 10})
		if (len(left) == 0) != goes {
			t.Errorf("got %d events after a sweep, want none: %v", len(left), goes)
		}
		places, err2 := tx.Events(ctx, webhook.Filter{PartnerID: partnerID, EndpointID: "whe_all", Limit: 10})
		if (len(places) == 0) != goes {
			t.Errorf("got %d places after a sweep, want none: %v", len(places), goes)
		}
		must(t, err2)
		return err
	})
}
