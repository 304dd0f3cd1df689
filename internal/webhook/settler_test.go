package webhook_test

import (
	"crypto/rand"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/webhook"
)

// TestWhatIsWrittenTooLateStopsNobody: a lane that has lost its endpoint tells
// of a second event as it no longer is, since it was to be sent again meanwhile,
// together with the first one. The second is due all the same.
func TestWhatIsWrittenTooLateStopsNobody(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db, err := store.OpenSQLite(ctx, filepath.Join(t.TempDir(), "test.db"))
	y := yardOn(t, db, err)
	y.put(t, partnerID, "https://shop.example/hook")
	first, second := y.event(t, "ord_1", 1), y.event(t, "ord_1", 2)
	y.happen(t, first, second)
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
	err = webhook.Settle(ctx, webhook.SenderConfig{Store: y.written, Now: y.clock.Now, Random: rand.Reader}, partnerID,
		webhook.Outcome{Event: stored(first.EventID), Answer: answer}, webhook.Outcome{Event: stale, Answer: answer})
	if err != nil {
		t.Fatal(err)
	}
	if e := stored(first.EventID); e.State != webhook.Delivered {
		t.Errorf("the first is %s", e.State)
	}
	if e := stored(second.EventID); e.State != webhook.Pending || e.DueAt.IsZero() {
		t.Errorf("the second is %s and due at %v: it waits for nobody any more", e.State, e.DueAt)
	}
}

// TestALaneThatParksBeginsNothing: once it has ended, nobody waits for what it
// has under way, and a sender that closes would not write what comes of it.
func TestALaneThatParksBeginsNothing(t *testing.T) {
	t.Parallel()
	db, err := store.OpenSQLite(t.Context(), filepath.Join(t.TempDir(), "test.db"))
	y := yardOn(t, db, err)
	config := webhook.SenderConfig{Store: y.written, Now: y.clock.Now, Log: slog.New(slog.DiscardHandler)}
	if webhook.ReadsWhileParking(t.Context(), config) {
		t.Error("it reads what it may have to leave to the next lane")
	}
}
