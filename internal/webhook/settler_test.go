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
