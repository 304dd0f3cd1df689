package webhook_test

import (
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

// TestLateOutcomeDoesNotBlockEvent: a lane that has lost its endpoint reports two
// events of an order as delivered. The second has been redelivered meanwhile, so
// its outcome is not saved. It must become due all the same.
func TestLateOutcomeDoesNotBlockEvent(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := store.OpenSQLite(ctx, filepath.Join(testkit.FastDir(t), "test.db"))
	y := yardOn(t, db, err)
	y.put(t, partnerID, "https://shop.example/hook")
	first, second := y.event(t, "ord_1", 1), y.event(t, "ord_1", 2)
	y.add(t, first, second)
	stored := func(eventID string) *webhook.Event {
		e, err := y.Event(ctx, partnerID, eventID)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	stale := stored(second.EventID)
	stale.Tries = 1
	answer := webhook.Answer{Status: 200}
	err = webhook.Settle(ctx, webhook.SenderConfig{Store: y.written, Now: y.clock.Now, Random: y.random}, partnerID,
		webhook.Outcome{Event: stored(first.EventID), Answer: answer}, webhook.Outcome{Event: stale, Answer: answer})
	if err != nil {
		t.Fatal(err)
	}
	if e := stored(first.EventID); e.State != outbox.Delivered {
		t.Errorf("first event: got state %s, want delivered", e.State)
	}
	if e := stored(second.EventID); e.State != outbox.Pending || e.DueAt.IsZero() {
		t.Errorf("second event: got state %s, due %v; want pending and due", e.State, e.DueAt)
	}
}

// TestLateFailureIsNotWritten: a lane that has lost its endpoint reports requests that have
// failed, such as those that were under way when its node was frozen. They count neither
// for the events nor for the endpoint, which another lane sends to now.
func TestLateFailureIsNotWritten(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := store.OpenSQLite(ctx, filepath.Join(testkit.FastDir(t), "test.db"))
	y := yardOn(t, db, err)
	y.put(t, partnerID, "https://shop.example/hook")
	endpoint := func() (found *webhook.Endpoint) {
		err := y.db.Webhooks().Read(ctx, func(tx webhook.Reader) (err error) {
			found, err = tx.Endpoint(ctx, first)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	before := endpoint()
	var outcomes []webhook.Outcome
	for _, orderID := range []string{"ord_1", "ord_2", "ord_3"} {
		event := y.event(t, orderID, 1)
		y.add(t, event)
		stored, err := y.Event(ctx, partnerID, event.EventID)
		if err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, webhook.Outcome{Event: stored, Answer: webhook.Answer{Problem: "timeout"}})
	}
	outcomes[2].Answer = webhook.Answer{Status: 410}
	if err := webhook.Settle(ctx, webhook.SenderConfig{Store: y.written, Now: y.clock.Now, Random: y.random}, partnerID,
		outcomes...); err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if e, err := y.Event(ctx, partnerID, o.Event.EventID); err != nil || e.State != outbox.Pending || e.Tries != 0 ||
			len(e.Log) != 0 {
			t.Errorf("event of %s: got %+v, %v, want it pending and not tried", o.Event.OrderID, e, err)
		}
	}
	if after := endpoint(); after.Enabled != before.Enabled || after.Failures != 0 || !after.FailingSince.IsZero() ||
		after.Pace != before.Pace {
		t.Errorf("got endpoint %+v, want it as it was: %+v", after, before)
	}
}
