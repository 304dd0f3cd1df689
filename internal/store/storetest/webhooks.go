package storetest

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

const neighbourID = "par_00000002"

// endpoint is one with every column filled.
func endpoint(partnerID string) *webhook.Endpoint {
	at := testkit.Epoch
	return &webhook.Endpoint{
		PartnerID: partnerID, URL: "https://shop.example/hook", Enabled: true, DisabledReason: "once", CreatedAt: at,
		Secret: []byte("sealed"), NextSecret: []byte("next"), NextSecretAt: at.Add(time.Hour),
		Failures: 3, FailingSince: at.Add(time.Second), Pace: 15,
		Format: webhook.FormatCloudEvents,
		Head: outbox.Head{
			OpenUntil: at.Add(time.Minute), WakeAt: at.Add(2 * time.Minute),
			Events: outbox.FilterOf(append(delivery.EventTypes[:0:0], delivery.EventTypes...)),
		},
		Holder: "snd/1", LeaseUntil: at.Add(3 * time.Minute),
	}
}

// saveEndpoints adds endpoints, or overwrites them.
func saveEndpoints(t *testing.T, s *store.Store, endpoints ...*webhook.Endpoint) {
	t.Helper()
	must(t, s.Webhooks().Write(t.Context(), func(tx webhook.Writer) error {
		for _, e := range endpoints {
			if _, err := tx.AddEndpoint(t.Context(), e); err != nil {
				return err
			}
		}
		return tx.SaveEndpoints(t.Context(), endpoints)
	}))
}

func readWebhooks(t *testing.T, s *store.Store, fn func(webhook.Reader) error) {
	t.Helper()
	must(t, s.Webhooks().Read(t.Context(), fn))
}

func testEndpoints(t *testing.T, s *store.Store) {
	ctx := t.Context()
	want := endpoint(partnerID)
	saveEndpoints(t, s, endpoint(neighbourID), want)
	want.URL, want.NextSecret, want.Enabled, want.NextSecretAt = "https://shop.example/other", []byte{}, false, time.Time{}
	saveEndpoints(t, s, want)
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
		keys := []outbox.EndpointKey{webhook.KeyOf(partnerID, ""), webhook.KeyOf("par_99999999", "")}
		found, err := tx.LockEndpoints(ctx, keys)
		if len(found) != 1 {
			t.Errorf("got %v locked, want one endpoint", found)
		}
		same(t, "LockEndpoints", found[want.Key()], want)
		return err
	}))
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
		return tx.RemoveEndpoint(ctx, webhook.KeyOf(partnerID, ""))
	}))
	readWebhooks(t, s, func(tx webhook.Reader) error {
		gone, err := tx.Endpoint(ctx, webhook.KeyOf(partnerID, ""))
		if gone != nil || err != nil {
			t.Errorf("got %+v, %v, want no endpoint once it is removed", gone, err)
		}
		other, err := tx.Endpoint(ctx, webhook.KeyOf(neighbourID, ""))
		if other == nil || err != nil {
			t.Errorf("got %v, %v, want the endpoint of the other partner", other, err)
		}
		return err
	})
}

// testWakes: an endpoint wakes if it is enabled, not leased and has something to do.
func testWakes(t *testing.T, s *store.Store) {
	ctx, now := t.Context(), testkit.Epoch
	at := func(partnerID string, enabled bool, wake, lease time.Time) *webhook.Endpoint {
		e := endpoint(partnerID)
		e.Enabled, e.WakeAt, e.LeaseUntil, e.Pace = enabled, wake, lease, 1
		if lease.IsZero() {
			e.Holder = ""
		}
		return e
	}
	of := func(pace int64, e *webhook.Endpoint) *webhook.Endpoint {
		e.Pace = pace
		return e
	}
	minute := time.Minute
	saveEndpoints(t, s,
		at("par_00000001", true, now, time.Time{}),
		at("par_00000002", true, now.Add(-minute), now), // its lease has just run out
		at("par_00000003", true, now, now.Add(minute)),
		at("par_00000004", false, now, time.Time{}),
		at("par_00000005", true, time.Time{}, time.Time{}),
		at("par_00000006", true, now.Add(2*minute), time.Time{}),
		at("par_00000007", true, now.Add(minute), time.Time{}),
		at("par_00000008", false, now.Add(time.Second), time.Time{}),
		of(0, at("par_00000009", true, now, time.Time{})),
		of(2, at("par_00000010", true, now.Add(-minute), time.Time{})),
	)
	readWebhooks(t, s, func(tx webhook.Reader) error {
		for speed, want := range map[webhook.Speed][]outbox.Wake{
			webhook.Quick: {{
				EndpointKey: webhook.KeyOf("par_00000001", ""), At: now,
			}, {EndpointKey: webhook.KeyOf("par_00000007", ""), At: now.Add(minute)},
				{EndpointKey: webhook.KeyOf("par_00000006", ""), At: now.Add(2 * minute)}},
			webhook.Untried: {{EndpointKey: webhook.KeyOf("par_00000009", ""), At: now}},
			webhook.Slow:    {{EndpointKey: webhook.KeyOf("par_00000010", ""), At: now.Add(-minute)}},
		} {
			for _, limit := range []int{1, 10} {
				found, err := tx.Wakes(ctx, speed, limit)
				if err != nil {
					return err
				}
				same(t, fmt.Sprintf("Wakes of %s endpoints, at most %d", speed, limit), found, want[:min(limit, len(want))])
			}
		}
		expired, err := tx.Expired(ctx, now, 10)
		same(t, "Expired", expired, []outbox.EndpointKey{webhook.KeyOf("par_00000002", "")})
		return err
	})
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error { return tx.DropLeases(ctx) }))
	readWebhooks(t, s, func(tx webhook.Reader) error {
		found, err := tx.Wakes(ctx, webhook.Quick, 10)
		if len(found) != 5 {
			t.Errorf("got %v without leases, want five endpoints", found)
		}
		return err
	})
}

// event returns an event of a partner that happened n seconds after the epoch.
func event(t *testing.T, partnerID string, n int, sequence int64) *delivery.Event {
	t.Helper()
	at := testkit.Epoch.Add(time.Duration(n) * time.Second)
	id, err := identifier.NewUUID(testkit.NewRandom(byte(n)), at)
	must(t, err)
	return &delivery.Event{
		EventID: id, PartnerID: partnerID, OrderID: fmt.Sprintf("ord_%s", partnerID), Type: delivery.EventOrderFailed,
		Sequence: sequence, CreatedAt: at, Facts: delivery.EventFacts{FailureReason: "Porte fermée", At: at},
	}
}

func saveEvents(t *testing.T, s *store.Store, events ...*delivery.Event) {
	t.Helper()
	must(t, s.Orders().Write(t.Context(), func(tx order.Writer) error {
		return order.Apply(t.Context(), tx, &order.Changes{Events: events})
	}))
}

// testQueue: an event begins due, behind another one of its order, or skipped,
// and is promoted when that one is out of the way.
func testQueue(t *testing.T, s *store.Store) {
	ctx := t.Context()
	sleeping := endpoint(partnerID)
	sleeping.WakeAt, sleeping.OpenUntil = time.Time{}, time.Time{}
	saveEndpoints(t, s, sleeping)
	first, second, third := event(t, partnerID, 1, 1), event(t, partnerID, 2, 2), event(t, partnerID, 3, 3)
	third.Type, third.Facts = delivery.EventCancellationDeclined, delivery.EventFacts{Answer: "It is at the door"}
	homeless := event(t, neighbourID, 4, 1)
	saveEvents(t, s, first, second, homeless)
	saveEvents(t, s, third)
	now := testkit.Epoch.Add(time.Hour)
	due := func() (ids []string) {
		readWebhooks(t, s, func(tx webhook.Reader) error {
			found, err := tx.DueEvents(ctx, webhook.KeyOf(partnerID, ""), nil, now, 10)
			for _, e := range found {
				ids = append(ids, e.EventID)
			}
			return err
		})
		return ids
	}
	if got := due(); !slices.Equal(got, []string{first.EventID}) {
		t.Fatalf("got %v due, want the first event", got)
	}
	var stored *webhook.Event
	readWebhooks(t, s, func(tx webhook.Reader) (err error) {
		woken, err := tx.Endpoint(ctx, webhook.KeyOf(partnerID, ""))
		if err != nil || !woken.WakeAt.Equal(first.CreatedAt) {
			t.Errorf("got %+v, %v, want it to wake at %v", woken, err, first.CreatedAt)
		}
		stored, err = tx.Event(ctx, partnerID, first.EventID)
		return err
	})
	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		facts, err := tx.FailedAttempt(ctx, order.OrderKey{PartnerID: partnerID, OrderID: first.OrderID})
		if facts == nil || facts.FailureReason != "Porte fermée" {
			t.Errorf("got facts %+v, want those of the failed attempt, which is not the latest event", facts)
		}
		none, err2 := tx.FailedAttempt(ctx, order.OrderKey{PartnerID: partnerID, OrderID: "ord_none"})
		if none != nil {
			t.Errorf("got facts %+v of an order that does not exist", none)
		}
		return errors.Join(err, err2)
	}))
	if stored.Facts.FailureReason != "Porte fermée" || stored.State != outbox.Pending ||
		!stored.CreatedAt.Equal(first.CreatedAt) {
		t.Errorf("got %+v, want the first event, pending", stored)
	}
	done := *stored
	done.State, done.DueAt, done.Tries = outbox.Delivered, time.Time{}, 1
	done.Log = []webhook.Attempt{{At: now, Status: 200, TookMS: 7}}
	stale := webhook.Progress{Event: &done, FromState: outbox.Pending, FromTries: 4}
	good := webhook.Progress{Event: &done, FromState: outbox.Pending}
	for _, p := range []webhook.Progress{stale, good} {
		must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
			saved, err := tx.SaveProgress(ctx, []webhook.Progress{p})
			if want := p.FromTries == 0; slices.Contains(saved, p.Key()) != want || len(saved) > 1 {
				t.Errorf("from %d tries: got %v saved, want the event: %v", p.FromTries, saved, want)
			}
			return err
		}))
		readWebhooks(t, s, func(tx webhook.Reader) error {
			e, err := tx.Event(ctx, partnerID, first.EventID)
			if want := p.FromTries == 0; (e.State == outbox.Delivered) != want || (len(e.Log) == 1) != want {
				t.Errorf("from %d tries: got %+v, want it delivered: %v", p.FromTries, e, want)
			}
			return err
		})
	}
	promote := func(keys ...outbox.EventKey) {
		must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error { return tx.Promote(ctx, keys, now) }))
	}
	promote(outbox.EventKey{PartnerID: partnerID, OrderID: first.OrderID, Sequence: 1},
		outbox.EventKey{PartnerID: partnerID, OrderID: first.OrderID, Sequence: 2},
		outbox.EventKey{PartnerID: partnerID, OrderID: first.OrderID, Sequence: 9},
		outbox.EventKey{PartnerID: neighbourID, OrderID: homeless.OrderID, Sequence: 1})
	if got := due(); !slices.Equal(got, []string{second.EventID}) {
		t.Errorf("got %v due once the first is delivered, want the second", got)
	}
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
		next, err := tx.NextDue(ctx, webhook.KeyOf(partnerID, ""))
		if !next.Equal(now) {
			t.Errorf("got %v as the next due, want %v", next, now)
		}
		none, err2 := tx.NextDue(ctx, webhook.KeyOf(neighbourID, ""))
		if !none.IsZero() {
			t.Errorf("got %v as the next due of the other partner, want none", none)
		}
		return errors.Join(err, err2)
	}))
	readWebhooks(t, s, func(tx webhook.Reader) error {
		b, err := tx.Backlog(ctx)
		if b.Enabled != 1 || b.Broken != 0 || b.Disabled != 0 || !b.OldestDue.Equal(now) {
			t.Errorf("got %+v, want one enabled endpoint and an event that is due since %v", b, now)
		}
		return err
	})
}

// testEventRoundTrip: what the committer adds and what the settler writes comes
// back whole, wherever it is read.
func testEventRoundTrip(t *testing.T, s *store.Store) {
	ctx, at := t.Context(), testkit.Epoch
	awake := endpoint(partnerID)
	awake.WakeAt, awake.OpenUntil = at, time.Time{}
	saveEndpoints(t, s, awake)
	added := event(t, partnerID, 1, 1)
	next := at.Add(5 * time.Hour)
	added.Facts = delivery.EventFacts{
		PartnerOrderID: "A-1", Status: delivery.StatusFailed,
		Courier: &delivery.Courier{CourierID: "cou_1", Name: "Camille", Phone: "+15145550177", Vehicle: "van"},
		At:      at.Add(2 * time.Hour), ETA: at.Add(3 * time.Hour), FailureReason: "Porte fermée", NextAttempt: &next,
		CancelledBy: delivery.ActorPartner, Reason: "gave up", Answer: "agreed",
		SignatureURL: "https://drop.example/proofs/1",
	}
	saveEvents(t, s, added)
	want := &webhook.Event{Event: *added, State: outbox.Pending, DueAt: added.CreatedAt}
	checkEvent(t, s, want)

	from := *want
	want.DueAt, want.Tries = at.Add(6*time.Hour), 3
	want.Log = []webhook.Attempt{
		{At: at.Add(time.Minute), Status: 500, TookMS: 12}, {At: at.Add(2 * time.Minute), TookMS: 34, Error: "refused"},
	}
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error {
		saved, err := tx.SaveProgress(ctx, []webhook.Progress{{Event: want, FromState: from.State, FromTries: from.Tries}})
		if len(saved) == 0 {
			t.Error("the progress was not written")
		}
		return err
	}))
	checkEvent(t, s, want)
}

// checkEvent holds an event against what each way of reading it returns.
func checkEvent(t *testing.T, s *store.Store, want *webhook.Event) {
	t.Helper()
	ctx := t.Context()
	readWebhooks(t, s, func(tx webhook.Reader) error {
		one, err := tx.Event(ctx, want.PartnerID, want.EventID)
		same(t, "Event", one, want)
		listed, err2 := tx.Events(ctx, webhook.Filter{PartnerID: want.PartnerID, Limit: 2})
		same(t, "Events", listed, []*webhook.Event{want})
		due, err3 := tx.DueEvents(ctx, webhook.KeyOf(want.PartnerID, ""), nil, want.DueAt, 2)
		same(t, "DueEvents", due, []*webhook.Event{want})
		none, err4 := tx.Event(ctx, neighbourID, want.EventID)
		if none != nil {
			t.Errorf("the neighbour has %+v", none)
		}
		return errors.Join(err, err2, err3, err4)
	})
}

// testEventLists holds every filter against a plain look at all events.
func testEventLists(t *testing.T, s *store.Store) {
	ctx := t.Context()
	saveEndpoints(t, s, endpoint(partnerID))
	all := make([]*delivery.Event, 12)
	for n := range all {
		e := event(t, partnerID, n, 1)
		e.OrderID = fmt.Sprintf("ord_%d", n/4)
		e.Sequence = int64(n%4 + 1)
		e.Type = delivery.EventTypes[n%3]
		all[n] = e
	}
	saveEvents(t, s, all...)
	saveEvents(t, s, event(t, neighbourID, 30, 1))
	fits := func(f webhook.Filter, e *delivery.Event) bool {
		return (f.Type == "" || e.Type == f.Type) && (f.OrderID == "" || e.OrderID == f.OrderID) &&
			(f.State == "" || f.State == outbox.Pending) &&
			(f.Before == "" || e.EventID < f.Before) && (f.After == "" || e.EventID > f.After)
	}
	for _, f := range []webhook.Filter{
		{Limit: 100}, {Limit: 5}, {Limit: 100, Type: delivery.EventTypes[1]}, {Limit: 100, OrderID: "ord_1"},
		{Limit: 100, State: outbox.Pending}, {Limit: 100, State: outbox.Delivered}, {Limit: 100, State: outbox.Skipped},
		{Limit: 3, Before: all[8].EventID}, {
			Limit: 3, After: all[2].EventID,
		}, {Limit: 100, After: all[2].EventID, State: outbox.Pending, Type: delivery.EventTypes[0]},
	} {
		f.PartnerID = partnerID
		var want []string
		for _, e := range all {
			if fits(f, e) {
				want = append(want, e.EventID)
			}
		}
		if f.After == "" {
			slices.Reverse(want)
		}
		want = want[:min(len(want), f.Limit)]
		readWebhooks(t, s, func(tx webhook.Reader) error {
			found, err := tx.Events(ctx, f)
			var got []string
			for _, e := range found {
				got = append(got, e.EventID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v: got %v, want %v", f, got, want)
			}
			return err
		})
	}
}

// testBehind: where many are due, what waits behind them comes along, and what
// is promoted together with keys of nothing becomes due.
func testBehind(t *testing.T, s *store.Store) {
	ctx, now := t.Context(), testkit.Epoch.Add(time.Hour)
	saveEndpoints(t, s, endpoint(partnerID))
	var events []*delivery.Event
	for i := range 30 {
		// Orders of one, two or three events.
		for sequence := range i%3 + 1 {
			e := event(t, partnerID, 100*i+sequence, int64(sequence+1))
			e.OrderID = fmt.Sprintf("ord_%02d", i)
			events = append(events, e)
		}
	}
	saveEvents(t, s, events...)
	look := func(limit int) (due []*webhook.Event) {
		readWebhooks(t, s, func(tx webhook.Reader) (err error) {
			due, err = tx.DueEvents(ctx, webhook.KeyOf(partnerID, ""), nil, now, limit)
			return err
		})
		return due
	}
	for i, e := range look(30) {
		var got []int64
		for _, next := range e.Behind {
			got = append(got, next.Sequence)
			if next.OrderID != e.OrderID || next.State != outbox.Pending || !next.DueAt.IsZero() ||
				next.Facts.FailureReason == "" {
				t.Errorf("got %+v behind an event of %s, want one that waits", next, e.OrderID)
			}
		}
		if want := []int64{2, 3}[:i%3]; e.Sequence != 1 || !slices.Equal(got, want) {
			t.Errorf("got %v behind event %d of %s, want %v", got, e.Sequence, e.OrderID, want)
		}
	}
	for _, e := range look(3) {
		if len(e.Behind) > 0 {
			t.Errorf("got %d events behind one of %s, want none with few due", len(e.Behind), e.OrderID)
		}
	}
	keys := make([]outbox.EventKey, 30)
	for i := range keys {
		keys[i] = outbox.EventKey{PartnerID: partnerID, OrderID: fmt.Sprintf("ord_%02d", i), Sequence: 2}
	}
	must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) error { return tx.Promote(ctx, keys, now) }))
	var second []*webhook.Event
	due := look(100)
	for _, e := range due {
		if e.Sequence == 2 {
			second = append(second, e)
		} else if len(e.Behind) > 0 {
			t.Errorf("got %d events behind event %d of %s, want none: the next one is due", len(e.Behind), e.Sequence, e.OrderID)
		}
	}
	if len(due) != 50 || len(second) != 20 {
		t.Errorf("got %d due and %d second ones, want 50 and 20", len(due), len(second))
	}
	for i, e := range second {
		if len(e.Behind) != i%2 {
			t.Errorf("got %d events behind the second of %s, want %d", len(e.Behind), e.OrderID, i%2)
		}
	}
}

// testSkipping: whenever skipping is broken off, what is still pending is due or
// waits behind something that is.
func testSkipping(t *testing.T, s *store.Store) {
	ctx := t.Context()
	saveEndpoints(t, s, endpoint(partnerID))
	const orders, each = 3, 4
	for i := range orders * each {
		e := event(t, partnerID, i, int64(i%each+1))
		e.OrderID = fmt.Sprintf("ord_%d", i/each)
		saveEvents(t, s, e)
	}
	for left := orders * each; left > 0; {
		var skipped int64
		must(t, s.Webhooks().Write(ctx, func(tx webhook.Writer) (err error) {
			skipped, err = tx.SkipPending(ctx, webhook.KeyOf(partnerID, ""), 5)
			return err
		}))
		if skipped < int64(min(5, left)) {
			t.Fatalf("got %d events skipped, want 5 or the %d that are left", skipped, left)
		}
		left -= int(skipped)
		var pending []*webhook.Event
		readWebhooks(t, s, func(tx webhook.Reader) (err error) {
			pending, err = tx.Events(ctx, webhook.Filter{PartnerID: partnerID, State: outbox.Pending, Limit: 100})
			return err
		})
		if len(pending) != left {
			t.Errorf("got %d pending, want %d", len(pending), left)
		}
		for _, e := range pending {
			before := e.Key().Previous()
			waits := func(other *webhook.Event) bool { return other.Key() == before }
			if e.DueAt.IsZero() && !slices.ContainsFunc(pending, waits) {
				t.Errorf("event %d of %s waits, and the one in front of it is no longer pending (%d left)", e.Sequence, e.OrderID,
					left)
			}
		}
	}
}
