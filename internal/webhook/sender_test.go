package webhook_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/webhook"
)

func TestSenderSendsSigned(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	secret := y.put(t, partnerID, "https://shop.example/hook")
	event := y.event(t, "ord_1", 1)
	y.add(t, event)
	got := y.wait(t, 1)[0]
	if got.url != "https://shop.example/hook" || got.headers["Drop-Event-Id"] != event.EventID {
		t.Errorf("got URL %s and headers %v, want the endpoint's URL and event %s", got.url, got.headers, event.EventID)
	}
	if !signature.VerifyEvent([]byte(secret), []byte(got.body), got.headers["Drop-Signature"]) {
		t.Errorf("Drop-Signature %q does not verify body %s", got.headers["Drop-Signature"], got.body)
	}
	stored := y.awaitState(t, event.EventID, outbox.Delivered, 1)
	if stored.Log[0].Status != 200 || !stored.DueAt.IsZero() {
		t.Errorf("got stored event %+v, want status 200 and no due time", stored)
	}
}

// TestSenderKeepsSequence: while the first event of an order fails, the second one
// waits, until the first has failed four times.
func TestSenderKeepsSequence(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	first, second, other := y.event(t, "ord_1", 1), y.event(t, "ord_1", 2), y.event(t, "ord_2", 1)
	y.respond(func(r received) webhook.Answer {
		if r.headers["Drop-Event-Id"] == first.EventID {
			return webhook.Answer{Status: 500}
		}
		return webhook.Answer{Status: 204}
	})
	y.add(t, first, second)
	y.add(t, other)
	y.awaitState(t, other.EventID, outbox.Delivered, 1)
	steps := []time.Duration{0, 6 * time.Second, 6 * time.Minute, 36 * time.Minute}
	for i, step := range steps {
		y.clock.Advance(step)
		y.awaitState(t, first.EventID, outbox.Pending, i+1)
		if i < 3 {
			y.awaitState(t, second.EventID, outbox.Pending, 0)
		}
	}
	y.awaitState(t, second.EventID, outbox.Delivered, 1)
}

// TestBacklogKeepsSequence: in a backlog the events of an order are sent one after
// the other, and those behind one that has failed wait until it is delivered.
func TestBacklogKeepsSequence(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	const orders, each = 30, 5
	var events []*delivery.Event
	for i := range orders * each {
		events = append(events, y.event(t, fmt.Sprintf("ord_%02d", i/each), int64(i%each+1)))
	}
	refused := map[string]bool{} // the third events of two orders, and the last one of another
	for _, i := range []int{2, 7*each + 2, 9*each - 1} {
		refused[events[i].EventID] = true
	}
	y.respond(func(r received) webhook.Answer {
		if refused[r.headers["Drop-Event-Id"]] {
			delete(refused, r.headers["Drop-Event-Id"])
			return webhook.Answer{Status: 500}
		}
		return webhook.Answer{Status: 200}
	})
	y.add(t, events...)
	y.awaitParked(t)
	if got := len(y.all()); got != orders*each-4 {
		t.Errorf("got %d requests, want %d: all but the two events behind each refused one", got, orders*each-4)
	}
	for _, i := range []int{3, 7*each + 4} {
		y.awaitState(t, events[i].EventID, outbox.Pending, 0)
	}
	y.clock.Advance(6 * time.Second)
	for _, e := range events {
		y.awaitDelivered(t, e.EventID)
	}
	first := map[string]int{}
	for i, r := range y.all() {
		if _, again := first[r.headers["Drop-Event-Id"]]; !again {
			first[r.headers["Drop-Event-Id"]] = i
		}
	}
	for i, e := range events {
		if i%each > 0 && first[events[i-1].EventID] >= first[e.EventID] {
			t.Errorf("%s: event %d came before event %d", e.OrderID, e.Sequence, e.Sequence-1)
		}
	}
	if got := len(y.all()); got != orders*each+3 {
		t.Errorf("got %d requests, want %d: one for each event, and a second for three", got, orders*each+3)
	}
}

// TestSenderGivesUp: an event has failed after ten tries, and can be redelivered
// with the same body.
func TestSenderGivesUp(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	event := y.event(t, "ord_1", 1)
	y.respond(func(r received) webhook.Answer {
		if r.headers["Drop-Event-Id"] == event.EventID {
			return webhook.Answer{Problem: "could not connect"}
		}
		return webhook.Answer{Status: 200}
	})
	y.add(t, event)
	for n := 1; n < 10; n++ {
		pending := y.awaitState(t, event.EventID, outbox.Pending, n)
		// Another event succeeds, so that the breaker stays closed.
		y.add(t, y.event(t, fmt.Sprintf("ord_between_%d", n), 1))
		y.wait(t, 2*n)
		y.clock.Advance(pending.DueAt.Sub(y.clock.Now()))
	}
	failed := y.awaitState(t, event.EventID, outbox.Failed, 10)
	if !failed.DueAt.IsZero() || failed.Log[9].Error != "could not connect" {
		t.Errorf("got failed event %+v, want no due time and the last problem", failed)
	}
	y.respond(nil)
	if _, err := y.Redeliver(t.Context(), first, event.EventID); err != nil {
		t.Fatal(err)
	}
	y.awaitState(t, event.EventID, outbox.Delivered, 11)
	bodies := map[string]bool{}
	for _, r := range y.all() {
		if r.headers["Drop-Event-Id"] == event.EventID {
			bodies[r.body] = true
		}
	}
	if len(bodies) != 1 {
		t.Errorf("got %d different bodies for one event, want 1", len(bodies))
	}
}

// TestBreaker: after ten failures an endpoint gets only probes, which do not count
// as tries. After a probe that succeeds all events are sent.
func TestBreaker(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	y.respond(func(received) webhook.Answer { return webhook.Answer{Status: 503} })
	var events []*delivery.Event
	for i := range 30 {
		events = append(events, y.event(t, fmt.Sprintf("ord_%02d", i), 1))
	}
	y.add(t, events...)
	y.awaitParked(t)
	before := len(y.all())
	if before != 10 {
		t.Fatalf("got %d requests until the breaker opened, want 10", before)
	}
	for i, probe := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 *
		time.Minute, 15 * time.Minute, 15 * time.Minute} {
		y.clock.Advance(probe - time.Second)
		y.awaitParked(t)
		if n := len(y.all()); n != before+i {
			t.Fatalf("before probe %d: got %d requests, want %d", i+1, n, before+i)
		}
		y.clock.Advance(time.Second)
		y.wait(t, before+i+1)
		y.awaitParked(t)
	}
	y.respond(nil)
	y.clock.Advance(15 * time.Minute)
	for _, e := range events {
		y.clock.Advance(7 * time.Second) // the retries of those that have been tried
		found, err := y.Event(t.Context(), partnerID, e.EventID)
		if err != nil {
			t.Fatal(err)
		}
		if found.Tries > 2 {
			t.Errorf("got %d tries, want at most 2: %+v", found.Tries, found)
		}
	}
	y.clock.Advance(time.Hour)
	for _, e := range events {
		y.awaitDelivered(t, e.EventID)
	}
}

// TestSenderDisablesEndpoint: the reason is stored, and the events are kept and sent
// when the endpoint is enabled again.
func TestSenderDisablesEndpoint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		advance time.Duration
		reason  string
	}{
		"410":       {410, 0, "the endpoint answered 410 Gone"},
		"five days": {500, time.Hour, "no delivery has succeeded for five days"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			y.put(t, partnerID, "https://shop.example/hook")
			y.respond(func(received) webhook.Answer { return webhook.Answer{Status: c.status} })
			var events []*delivery.Event
			for i := range 12 {
				events = append(events, y.event(t, fmt.Sprintf("ord_%02d", i), 1))
			}
			y.add(t, events...)
			var found webhook.Settings
			for range 200 {
				y.awaitParked(t)
				var err error
				if found, err = y.Get(t.Context(), first); err != nil {
					t.Fatal(err)
				}
				if !found.Enabled {
					break
				}
				y.clock.Advance(c.advance)
			}
			if found.Enabled || found.DisabledReason != c.reason {
				t.Fatalf("got endpoint %+v, want it disabled because %q", found.Endpoint, c.reason)
			}
			late := y.event(t, "ord_late", 1)
			y.add(t, late)
			y.respond(nil)
			y.put(t, partnerID, "https://shop.example/hook")
			y.clock.Advance(24 * time.Hour)
			for _, e := range append(events, late) {
				y.awaitDelivered(t, e.EventID)
			}
		})
	}
}

// TestEventsWithoutEndpointAreSkipped, and those of an endpoint that is removed.
// They can be redelivered when there is one again.
func TestEventsWithoutEndpointAreSkipped(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	early := y.event(t, "ord_1", 1)
	y.add(t, early)
	y.awaitState(t, early.EventID, outbox.Skipped, 0)
	y.put(t, partnerID, "https://shop.example/hook")
	y.respond(func(received) webhook.Answer { return webhook.Answer{Status: 500} })
	waiting := y.event(t, "ord_1", 2)
	y.add(t, waiting)
	y.awaitState(t, waiting.EventID, outbox.Pending, 1)
	y.awaitParked(t)
	if err := y.Remove(t.Context(), first, webhook.Signed{}); err != nil {
		t.Fatal(err)
	}
	y.awaitState(t, waiting.EventID, outbox.Skipped, 1)
	if _, err := y.Get(t.Context(), first); !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("got error %v, want not found", err)
	}
	y.put(t, partnerID, "https://shop.example/other")
	y.respond(nil)
	count, next, err := y.RedeliverSince(t.Context(),
		webhook.Filter{PartnerID: partnerID, After: identifier.FirstUUID(y.clock.Now().Add(-time.Hour))})
	if err != nil || count != 2 || next != "" {
		t.Fatalf("got %d redelivered, next %q, error %v; want 2 and no next", count, next, err)
	}
	y.awaitDelivered(t, early.EventID)
	y.awaitDelivered(t, waiting.EventID)
}

// TestSenderStartsWithBacklog: events that were added while no sender ran are sent,
// in the sequence of their orders.
func TestSenderStartsWithBacklog(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	y.stop()
	var want []string
	for i := range 1000 {
		event := y.event(t, fmt.Sprintf("ord_%03d", i/4), int64(i%4+1))
		y.add(t, event)
		want = append(want, event.EventID)
	}
	y.start(t)
	for _, id := range want {
		y.awaitDelivered(t, id)
	}
	var first []string // the first delivery of each
	for _, r := range y.all() {
		if id := r.headers["Drop-Event-Id"]; !slices.Contains(first, id) {
			first = append(first, id)
		}
	}
	place := map[string]int{}
	for i, id := range first {
		place[id] = i
	}
	for i := 1; i < len(want); i++ {
		if i%4 != 0 && place[want[i]] < place[want[i-1]] {
			t.Errorf("event %d came before event %d of the same order", i, i-1)
		}
	}
}

// TestSenderIsHeld: nothing is sent while requests are held, and what has waited is sent
// afterwards, as new events are.
func TestSenderIsHeld(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	y.stop()
	var held atomic.Bool
	held.Store(true)
	asked := make(chan struct{}, 1)
	y.sender, y.stop = y.newSender(t, webhook.SenderConfig{Now: y.clock.Now, At: y.clock.At, Held: func() bool {
		select {
		case asked <- struct{}{}:
		default:
		}
		return held.Load()
	}})
	first, second := y.event(t, "ord_1", 1), y.event(t, "ord_2", 1)
	for _, event := range []*delivery.Event{first, second} {
		y.add(t, event)
		<-asked
		if got := y.all(); len(got) > 0 {
			t.Fatalf("got %d requests while they are held, want none", len(got))
		}
	}
	held.Store(false)
	y.sender.Resumed()
	y.awaitState(t, first.EventID, outbox.Delivered, 1)
	y.awaitState(t, second.EventID, outbox.Delivered, 1)
}

// TestRotate: Drop-Signature is made with the old secret until the new one is
// activated or a day has passed; until then Webhook-Signature has both.
func TestRotate(t *testing.T) {
	t.Parallel()
	for name, activate := range map[string]bool{"after a day": false, "activated": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			old := y.put(t, partnerID, "https://shop.example/hook")
			rotated, err := y.Rotate(t.Context(), first, webhook.Signed{})
			if err != nil || rotated.Secret == old {
				t.Fatalf("got secret %q, error %v; want a new secret", rotated.Secret, err)
			}
			y.add(t, y.event(t, "ord_1", 1))
			got := y.wait(t, 1)[0]
			if !signature.VerifyEvent([]byte(old), []byte(got.body), got.headers["Drop-Signature"]) {
				t.Error("during the rotation Drop-Signature is not made with the old secret")
			}
			if n := len(strings.Fields(got.headers["Webhook-Signature"])); n != 2 {
				t.Errorf("during the rotation: got %d signatures, want 2", n)
			}
			y.awaitParked(t)
			if activate {
				_, err = y.Activate(t.Context(), first, webhook.Signed{})
			}
			if err != nil {
				t.Fatal(err)
			}
			if !activate {
				y.clock.Advance(24 * time.Hour)
			}
			y.add(t, y.event(t, "ord_2", 1))
			got = y.wait(t, 2)[1]
			if !signature.VerifyEvent([]byte(rotated.Secret), []byte(got.body), got.headers["Drop-Signature"]) {
				t.Error("after the rotation Drop-Signature is not made with the new secret")
			}
			if n := len(strings.Fields(got.headers["Webhook-Signature"])); n != 1 {
				t.Errorf("after the rotation: got %d signatures, want 1", n)
			}
		})
	}
}

// TestProbesTakeTurns: ten events that a receiver always refuses have opened the
// breaker. Each probe sends another event, so that a good one gets through.
func TestProbesTakeTurns(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	poisoned := map[string]bool{}
	y.respond(func(received) webhook.Answer { return webhook.Answer{Status: 500} })
	for i := range 10 {
		e := y.event(t, fmt.Sprintf("ord_bad_%d", i), 1)
		y.add(t, e)
		poisoned[e.EventID] = true
	}
	y.awaitParked(t)
	y.respond(func(r received) webhook.Answer {
		if poisoned[r.headers["Drop-Event-Id"]] {
			return webhook.Answer{Status: 500}
		}
		return webhook.Answer{Status: 200}
	})
	good := y.event(t, "ord_good", 1)
	y.add(t, good)
	for range 40 {
		y.clock.Advance(15 * time.Minute)
		y.awaitParked(t)
		if found, err := y.Event(t.Context(), partnerID, good.EventID); err != nil || found.State == outbox.Delivered {
			return
		}
	}
	t.Error("the good event was not delivered by any of 40 probes")
}

// TestChangedEndpointIsUsed by a lane that has a request under way: events that
// are added after the change are sent to the new URL.
func TestChangedEndpointIsUsed(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/old")
	y.setPace(t, 1)
	hold := make(chan struct{})
	y.hold = func(r received) {
		if r.url == "https://shop.example/old" {
			y.held <- struct{}{}
			<-hold // keeps the request under way
		}
	}
	y.add(t, y.event(t, "ord_0", 1))
	<-y.held
	y.put(t, partnerID, "https://shop.example/new")
	for i := range 20 {
		y.add(t, y.event(t, fmt.Sprintf("ord_new_%d", i), 1))
	}
	for _, r := range y.wait(t, 20)[:20] {
		if r.url != "https://shop.example/new" {
			t.Errorf("after the change: got a request to %s, want the new URL", r.url)
		}
	}
	close(hold)
}

// TestTestAndRedeliveryProbe: both let an endpoint with an open breaker be probed
// immediately.
func TestTestAndRedeliveryProbe(t *testing.T) {
	t.Parallel()
	for name, hope := range map[string]func(*yard, *delivery.Event) error{
		"test": func(y *yard, _ *delivery.Event) error {
			_, err := y.Test(t.Context(), first)
			return err
		},
		"redelivery": func(y *yard, e *delivery.Event) error {
			_, err := y.Redeliver(t.Context(), first, e.EventID)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			y.put(t, partnerID, "https://shop.example/hook")
			y.respond(func(received) webhook.Answer { return webhook.Answer{Status: 503} })
			var events []*delivery.Event
			for i := range 12 {
				events = append(events, y.event(t, fmt.Sprintf("ord_%d", i), 1))
			}
			y.add(t, events...)
			y.awaitParked(t)
			y.respond(nil)
			before := len(y.all())
			if err := hope(y, events[11]); err != nil {
				t.Fatal(err)
			}
			y.wait(t, before+3) // the clock has not moved
		})
	}
}

// TestDamagedEventFails, while one with a damaged log, and others, are sent.
func TestDamagedEventFails(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	y.stop()
	damaged, log, good := y.event(t, "ord_1", 1), y.event(t, "ord_2", 1), y.event(t, "ord_3", 1)
	y.add(t, damaged, log, good)
	y.damage(t, "UPDATE events SET facts = '{' WHERE order_id = 'ord_1'")
	y.damage(t, "UPDATE events SET attempts = '{' WHERE order_id = 'ord_2'")
	seen := new(observed)
	y.sender, y.stop = y.newSender(t, webhook.SenderConfig{Now: y.clock.Now, At: y.clock.At, Observer: seen})
	y.awaitDelivered(t, log.EventID)
	y.awaitDelivered(t, good.EventID)
	y.awaitState(t, damaged.EventID, outbox.Failed, 1)
	if page, err := y.List(t.Context(), webhook.Filter{PartnerID: partnerID, Limit: 10}); err != nil ||
		len(page.Events) != 3 {
		t.Errorf("got page %+v, error %v; want three events", page, err)
	}
	y.stop()
	if seen.damaged != 1 || seen.givenUp != 1 || len(seen.statuses) != 2 {
		t.Errorf("got %d damaged events observed, %d given up and %d requests, want 1, 1 and 2", seen.damaged, seen.givenUp,
			len(seen.statuses))
	}
}

// TestSenderClosesDuringChanges: a lane that closes must end although its endpoint
// changes again and again.
func TestSenderClosesDuringChanges(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	release := make(chan struct{})
	y.hold = func(received) {
		y.held <- struct{}{}
		<-release // keeps the request under way
	}
	y.add(t, y.event(t, "ord_1", 1))
	<-y.held
	stopped := make(chan struct{})
	go func() {
		y.stop()
		close(stopped)
	}()
	close(release)
	hangs, cancel := context.WithTimeout(t.Context(), repeatable.Hang)
	defer cancel()
	for ; ; y.sender.Changed(first) {
		select {
		case <-stopped:
			return
		case <-hangs.Done():
			t.Fatal("Close does not return")
		default:
		}
	}
}
