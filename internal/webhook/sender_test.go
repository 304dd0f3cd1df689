package webhook_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/webhook"
)

func TestAnEventIsSentAtOnceAndSigned(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	secret := y.put(t, partnerID, "https://shop.example/hook")
	event := y.event(t, "ord_1", 1)
	y.happen(t, event)
	got := y.wait(t, 1)[0]
	if got.url != "https://shop.example/hook" || got.headers["Drop-Event-Id"] != event.EventID {
		t.Errorf("got %+v", got)
	}
	if !signature.VerifyEvent([]byte(secret), []byte(got.body), got.headers["Drop-Signature"]) {
		t.Errorf("Drop-Signature does not fit: %+v", got)
	}
	stored := y.state(t, event.EventID, outbox.Delivered, 1)
	if stored.Log[0].Status != 200 || !stored.DueAt.IsZero() {
		t.Errorf("stored %+v", stored)
	}
}

// TestEventsOfOneOrderKeepTheirSequence although the first of them fails
// again and again; from the fourth failure on the others go ahead.
func TestEventsOfOneOrderKeepTheirSequence(t *testing.T) {
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
	y.happen(t, first, second)
	y.happen(t, other)
	y.state(t, other.EventID, outbox.Delivered, 1)
	steps := []time.Duration{0, 6 * time.Second, 6 * time.Minute, 36 * time.Minute}
	for i, step := range steps {
		y.clock.Advance(step)
		y.state(t, first.EventID, outbox.Pending, i+1)
		if i < 3 {
			y.state(t, second.EventID, outbox.Pending, 0)
		}
	}
	y.state(t, second.EventID, outbox.Delivered, 1)
}

// TestABacklogInSequence: where many events wait, those of one order go out
// one after the other, and behind one that has failed only once it was
// delivered.
func TestABacklogInSequence(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	const orders, each = 30, 5
	var events []*delivery.Event
	for i := range orders * each {
		events = append(events, y.event(t, fmt.Sprintf("ord_%02d", i/each), int64(i%each+1)))
	}
	refused := map[string]bool{} // the third ones of two orders, and the last one of another
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
	y.happen(t, events...)
	y.parked(t)
	if got := len(y.all()); got != orders*each-4 {
		t.Errorf("%d requests, want all but the two times two that wait behind a failure", got)
	}
	for _, i := range []int{3, 7*each + 4} {
		y.state(t, events[i].EventID, outbox.Pending, 0)
	}
	y.clock.Advance(6 * time.Second)
	for _, e := range events {
		y.delivered(t, e.EventID)
	}
	first := map[string]int{}
	for i, r := range y.all() {
		if _, again := first[r.headers["Drop-Event-Id"]]; !again {
			first[r.headers["Drop-Event-Id"]] = i
		}
	}
	for i, e := range events {
		if i%each > 0 && first[events[i-1].EventID] >= first[e.EventID] {
			t.Errorf("event %d of %s came before the one in front of it", e.Sequence, e.OrderID)
		}
	}
	if got := len(y.all()); got != orders*each+3 {
		t.Errorf("%d requests for %d events of which three failed once", got, orders*each)
	}
}

// TestAnEventIsGivenUp after ten tries, and can be redelivered.
func TestAnEventIsGivenUp(t *testing.T) {
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
	y.happen(t, event)
	for n := 1; n < 10; n++ {
		pending := y.state(t, event.EventID, outbox.Pending, n)
		// Something succeeds in between: else the breaker would open.
		y.happen(t, y.event(t, fmt.Sprintf("ord_between_%d", n), 1))
		y.wait(t, 2*n)
		y.clock.Advance(pending.DueAt.Sub(y.clock.Now()))
	}
	failed := y.state(t, event.EventID, outbox.Failed, 10)
	if !failed.DueAt.IsZero() || failed.Log[9].Error != "could not connect" {
		t.Errorf("given up as %+v", failed)
	}
	y.respond(nil)
	if _, err := y.Redeliver(t.Context(), partnerID, event.EventID); err != nil {
		t.Fatal(err)
	}
	y.state(t, event.EventID, outbox.Delivered, 11)
	bodies := map[string]bool{}
	for _, r := range y.all() {
		if r.headers["Drop-Event-Id"] == event.EventID {
			bodies[r.body] = true
		}
	}
	if len(bodies) != 1 {
		t.Errorf("one event was sent as %d different bodies", len(bodies))
	}
}

// TestTheBreaker leaves a dead endpoint alone but for probes, which use up no
// tries, and lets everything out once a probe succeeds.
func TestTheBreaker(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	y.respond(func(received) webhook.Answer { return webhook.Answer{Status: 503} })
	var events []*delivery.Event
	for i := range 30 {
		events = append(events, y.event(t, fmt.Sprintf("ord_%02d", i), 1))
	}
	y.happen(t, events...)
	y.parked(t)
	before := len(y.all())
	if before != 10 {
		t.Fatalf("%d requests until the breaker opened", before)
	}
	for i, probe := range []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 15 * time.Minute, 15 * time.Minute} {
		y.clock.Advance(probe - time.Second)
		y.parked(t)
		if n := len(y.all()); n != before+i {
			t.Fatalf("%d requests while the breaker was open, want %d", n, before+i)
		}
		y.clock.Advance(time.Second)
		y.wait(t, before+i+1)
		y.parked(t)
	}
	y.respond(nil)
	y.clock.Advance(15 * time.Minute)
	for _, e := range events {
		y.clock.Advance(7 * time.Second) // those that were tried have their retries
		found, err := y.Event(t.Context(), partnerID, e.EventID)
		if err != nil {
			t.Fatal(err)
		}
		if found.Tries > 2 {
			t.Errorf("probes used up tries: %+v", found)
		}
	}
	y.clock.Advance(time.Hour)
	for _, e := range events {
		y.delivered(t, e.EventID)
	}
}

// TestAnEndpointThatIsGone is disabled, says why, keeps its events, and gets
// them when it is enabled again.
func TestAnEndpointThatIsGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status  int
		advance time.Duration
		reason  string
	}{
		"410":       {410, 0, "the endpoint answered 410 Gone"},
		"five days": {500, 15 * time.Minute, "no delivery has succeeded for five days"},
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
			y.happen(t, events...)
			var found webhook.Settings
			for range 700 {
				y.parked(t)
				var err error
				if found, err = y.Get(t.Context(), partnerID); err != nil {
					t.Fatal(err)
				}
				if !found.Enabled {
					break
				}
				y.clock.Advance(c.advance)
			}
			if found.Enabled || found.DisabledReason != c.reason {
				t.Fatalf("the endpoint is %+v", found.Endpoint)
			}
			late := y.event(t, "ord_late", 1)
			y.happen(t, late)
			y.respond(nil)
			y.put(t, partnerID, "https://shop.example/hook")
			y.clock.Advance(24 * time.Hour)
			for _, e := range append(events, late) {
				y.delivered(t, e.EventID)
			}
		})
	}
}

// TestNothingIsSentWithoutAnEndpoint, nor after it was removed.
func TestNothingIsSentWithoutAnEndpoint(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	early := y.event(t, "ord_1", 1)
	y.happen(t, early)
	y.state(t, early.EventID, outbox.Skipped, 0)
	y.put(t, partnerID, "https://shop.example/hook")
	y.respond(func(received) webhook.Answer { return webhook.Answer{Status: 500} })
	waiting := y.event(t, "ord_1", 2)
	y.happen(t, waiting)
	y.state(t, waiting.EventID, outbox.Pending, 1)
	y.parked(t)
	if err := y.Remove(t.Context(), partnerID); err != nil {
		t.Fatal(err)
	}
	y.state(t, waiting.EventID, outbox.Skipped, 1)
	if _, err := y.Get(t.Context(), partnerID); !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("the endpoint is still there: %v", err)
	}
	y.put(t, partnerID, "https://shop.example/other")
	y.respond(nil)
	count, next, err := y.RedeliverSince(t.Context(), webhook.Filter{PartnerID: partnerID, After: identifier.FirstUUID(y.clock.Now().Add(-time.Hour))})
	if err != nil || count != 2 || next != "" {
		t.Fatalf("redelivered %d, next %q: %v", count, next, err)
	}
	y.delivered(t, early.EventID)
	y.delivered(t, waiting.EventID)
}

// TestWhatWasUnderWayIsSentAgain after the sender was gone without a word.
func TestWhatWasUnderWayIsSentAgain(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	y.stop()
	var want []string
	for i := range 1000 {
		event := y.event(t, fmt.Sprintf("ord_%03d", i/4), int64(i%4+1))
		want = append(want, event.EventID)
		y.happen(t, event)
	}
	y.start(t)
	for _, id := range want {
		y.delivered(t, id)
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
			t.Errorf("event %d came before the one it follows", i)
		}
	}
}

// TestASecretIsRotated: the old one signs Drop-Signature until the new one is
// activated or a day has passed; webhook-signature carries both.
func TestASecretIsRotated(t *testing.T) {
	t.Parallel()
	for name, activate := range map[string]bool{"by itself": false, "by hand": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			old := y.put(t, partnerID, "https://shop.example/hook")
			rotated, err := y.Rotate(t.Context(), partnerID)
			if err != nil || rotated.Secret == old {
				t.Fatalf("rotated to %q: %v", rotated.Secret, err)
			}
			y.happen(t, y.event(t, "ord_1", 1))
			got := y.wait(t, 1)[0]
			if !signature.VerifyEvent([]byte(old), []byte(got.body), got.headers["Drop-Signature"]) {
				t.Error("Drop-Signature has changed already")
			}
			if n := len(strings.Fields(got.headers["Webhook-Signature"])); n != 2 {
				t.Errorf("%d signatures during the rotation", n)
			}
			y.parked(t)
			if activate {
				_, err = y.Activate(t.Context(), partnerID)
			}
			if err != nil {
				t.Fatal(err)
			}
			if !activate {
				y.clock.Advance(24 * time.Hour)
			}
			y.happen(t, y.event(t, "ord_2", 1))
			got = y.wait(t, 2)[1]
			if !signature.VerifyEvent([]byte(rotated.Secret), []byte(got.body), got.headers["Drop-Signature"]) {
				t.Error("Drop-Signature has not changed")
			}
			if n := len(strings.Fields(got.headers["Webhook-Signature"])); n != 1 {
				t.Errorf("%d signatures after the rotation", n)
			}
		})
	}
}

// TestOnePoisonedEvent does not keep the others from a receiver that takes all
// but this one: each probe is another event's turn.
func TestOnePoisonedEvent(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	poisoned := map[string]bool{}
	y.respond(func(received) webhook.Answer { return webhook.Answer{Status: 500} })
	for i := range 10 {
		e := y.event(t, fmt.Sprintf("ord_bad_%d", i), 1)
		poisoned[e.EventID] = true
		y.happen(t, e)
	}
	y.parked(t)
	y.respond(func(r received) webhook.Answer {
		if poisoned[r.headers["Drop-Event-Id"]] {
			return webhook.Answer{Status: 500}
		}
		return webhook.Answer{Status: 200}
	})
	good := y.event(t, "ord_good", 1)
	y.happen(t, good)
	for range 40 {
		y.clock.Advance(15 * time.Minute)
		y.parked(t)
		if found, err := y.Event(t.Context(), partnerID, good.EventID); err != nil || found.State == outbox.Delivered {
			return
		}
	}
	t.Error("a good event never had its turn")
}

// TestAChangedEndpointIsUsedAtOnce by a lane that is at work.
func TestAChangedEndpointIsUsedAtOnce(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/old")
	hold := make(chan struct{})
	y.hold = func(r received) {
		if r.url == "https://shop.example/old" {
			y.held <- struct{}{}
			<-hold // keeps the lane open
		}
	}
	y.happen(t, y.event(t, "ord_0", 1))
	<-y.held
	y.put(t, partnerID, "https://shop.example/new")
	for i := range 20 {
		y.happen(t, y.event(t, fmt.Sprintf("ord_new_%d", i), 1))
	}
	for _, r := range y.wait(t, 20)[:20] {
		if r.url != "https://shop.example/new" {
			t.Errorf("sent to %s after the change", r.url)
		}
	}
	close(hold)
}

// TestATestThatArrives lets a broken endpoint be probed at once, and so does a
// redelivery.
func TestATestThatArrives(t *testing.T) {
	t.Parallel()
	for name, hope := range map[string]func(*yard, *delivery.Event) error{
		"test": func(y *yard, _ *delivery.Event) error {
			_, err := y.Test(t.Context(), partnerID)
			return err
		},
		"redelivery": func(y *yard, e *delivery.Event) error {
			_, err := y.Redeliver(t.Context(), partnerID, e.EventID)
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
			y.happen(t, events...)
			y.parked(t)
			y.respond(nil)
			before := len(y.all())
			if err := hope(y, events[11]); err != nil {
				t.Fatal(err)
			}
			y.wait(t, before+3) // the clock has not moved
		})
	}
}

// TestADamagedEvent is given up, and nothing else is.
func TestADamagedEvent(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	y.stop()
	damaged, log, good := y.event(t, "ord_1", 1), y.event(t, "ord_2", 1), y.event(t, "ord_3", 1)
	y.happen(t, damaged, log, good)
	y.damage(t, "UPDATE events SET facts = '{' WHERE order_id = 'ord_1'")
	y.damage(t, "UPDATE events SET attempts = '{' WHERE order_id = 'ord_2'")
	y.start(t)
	y.delivered(t, log.EventID)
	y.delivered(t, good.EventID)
	y.state(t, damaged.EventID, outbox.Failed, 1)
	if page, err := y.List(t.Context(), webhook.Filter{PartnerID: partnerID, Limit: 10}); err != nil || len(page.Events) != 3 {
		t.Errorf("listed %+v: %v", page, err)
	}
}

// TestASenderThatIsToldOfChangesCloses all the same, although it does not read
// endpoints any more.
func TestASenderThatIsToldOfChangesCloses(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.put(t, partnerID, "https://shop.example/hook")
	release := make(chan struct{})
	y.hold = func(received) {
		y.held <- struct{}{}
		<-release // keeps the lane open
	}
	y.happen(t, y.event(t, "ord_1", 1))
	<-y.held
	stopped := make(chan struct{})
	go func() {
		y.stop()
		close(stopped)
	}()
	close(release)
	for deadline := time.After(20 * time.Second); ; y.sender.Changed(partnerID) {
		select {
		case <-stopped:
			return
		case <-deadline:
			t.Fatal("the sender does not end")
		default:
		}
	}
}
