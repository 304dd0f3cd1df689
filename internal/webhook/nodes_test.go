package webhook_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/webhook"
)

func TestMain(m *testing.M) { testkit.Main(m) }

const (
	crowdPartners = 12
	crowdOrders   = 8 // of each partner
	crowdEvents   = 6 // of each order
)

// TestSendersBesideCommitters adds events from many goroutines while the senders
// of several nodes send them. All must arrive, those of one order in their
// sequence, also those that no sender is woken for.
func TestSendersBesideCommitters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		senders int
		open    func(t *testing.T) (*store.Store, error)
	}{
		"sqlite": {1, func(t *testing.T) (*store.Store, error) {
			return store.OpenSQLite(t.Context(), filepath.Join(testkit.FastDir(t), "test.db"))
		}},
		"postgres": {3, func(t *testing.T) (*store.Store, error) {
			return store.OpenPostgres(t.Context(), testkit.PostgresURL(t))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, err := c.open(t)
			y := yardOn(t, db, err)
			y.clock = testkit.NewClock(time.Now())
			for i := range crowdPartners {
				y.put(t, crowdPartner(i), "https://shop.example/hook")
			}
			realTime := func(at time.Time) <-chan time.Time { return time.After(time.Until(at)) }
			for range c.senders {
				// The only sender is woken by commits. Several have to look.
				sender, _ := y.newSender(t, webhook.SenderConfig{Now: time.Now, At: realTime, Shared: c.senders > 1})
				if y.sender == nil && c.senders == 1 {
					y.sender = sender
				}
			}
			want := crowd(t, y)
			y.wait(t, len(want))
			y.eventually(t, func() (bool, string) { return undelivered(t, y, want) })
			checkSequence(t, y.all(), want)
		})
	}
}

func crowdPartner(i int) string { return fmt.Sprintf("par_%08d", i) }

// place is an event's place in its order.
type place struct {
	partnerID, orderID string
	sequence           int64
}

// crowd adds the events of many orders at the same time, as committers do: each
// transaction has the next event of several orders.
func crowd(t *testing.T, y *yard) map[string]place {
	t.Helper()
	var mu sync.Mutex
	want := map[string]place{}
	var committers sync.WaitGroup
	for o := range crowdOrders {
		committers.Go(func() {
			for sequence := int64(1); sequence <= crowdEvents; sequence++ {
				var events []*delivery.Event
				for p := range crowdPartners {
					id, err := identifier.NewUUID(y.random, time.Now())
					if err != nil {
						t.Error(err)
						return
					}
					e := &delivery.Event{
						EventID: id, PartnerID: crowdPartner(p), OrderID: fmt.Sprintf("ord_%d_%d", p, o), Sequence: sequence,
						Type: delivery.EventOrderPickedUp, CreatedAt: timestamp.Truncate(time.Now()),
					}
					events = append(events, e)
				}
				err := y.db.Orders().Write(t.Context(), func(tx order.Writer) error {
					// A committer would set partners aside that are blocked for long.
					if _, err := tx.Load(t.Context(), &order.Needs{LockWait: repeatable.Hang}); err != nil {
						return err
					}
					return order.Apply(t.Context(), tx, &order.Changes{Events: events})
				})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, e := range events { // with the ids that the commit has given them
					want[e.EventID] = place{e.PartnerID, e.OrderID, sequence}
				}
				mu.Unlock()
				if y.sender != nil {
					y.sender.Wake(webhook.KeyOf(crowdPartner(0), ""), webhook.KeyOf(crowdPartner(1), ""))
				}
			}
		})
	}
	committers.Wait()
	return want
}

func undelivered(t *testing.T, y *yard, want map[string]place) (none bool, why string) {
	t.Helper()
	err := y.db.Webhooks().Read(t.Context(), func(tx webhook.Reader) error {
		for id, at := range want {
			e, err := tx.Event(context.WithoutCancel(t.Context()), at.partnerID, id)
			if err != nil {
				return err
			}
			if e.State != outbox.Delivered {
				why = fmt.Sprintf("event %d of %s: got state %s, due %v; want delivered", at.sequence, at.orderID, e.State, e.DueAt)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return why == "", why
}

// checkSequence fails if an event of an order was first sent before the one that
// it follows.
func checkSequence(t *testing.T, got []received, want map[string]place) {
	t.Helper()
	last, seen := map[string]int64{}, map[string]bool{}
	for _, r := range got {
		id := r.headers["Drop-Event-Id"]
		if seen[id] {
			continue
		}
		seen[id] = true
		at := want[id]
		if at.sequence != last[at.orderID]+1 {
			t.Errorf("%s: got event %d after event %d", at.orderID, at.sequence, last[at.orderID])
		}
		last[at.orderID] = at.sequence
	}
	if len(seen) != len(want) {
		t.Errorf("got %d events, want %d", len(seen), len(want))
	}
	t.Logf("%d requests for %d events", len(got), len(want))
}
