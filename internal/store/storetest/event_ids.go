package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/webhook"
)

// node adds events by a clock of its own.
type node struct {
	store *store.Store
	clock time.Time
	count byte // sets the ids of events apart
	order string
	added map[string]int64 // events by partner
}

func nodeOn(s *store.Store, name string, ahead time.Duration) *node {
	return &node{store: s, clock: testkit.Epoch.Add(ahead), order: "ord_" + name, added: map[string]int64{}}
}

// events returns new events of the node's order of each partner.
func (n *node) events(partnerIDs ...string) (events []*delivery.Event, err error) {
	n.clock = n.clock.Add(time.Second)
	for _, partnerID := range partnerIDs {
		n.count++
		n.added[partnerID]++
		id, err := identifier.NewUUID(testkit.NewRandom(n.count), n.clock)
		if err != nil {
			return nil, err
		}
		events = append(events, &delivery.Event{
			EventID: id, PartnerID: partnerID, OrderID: n.order, Sequence: n.added[partnerID],
			Type: delivery.EventOrderPickedUp, CreatedAt: n.clock, Facts: delivery.EventFacts{At: n.clock},
		})
	}
	return events, nil
}

// add adds events in one transaction, and returns them with the ids that they have got.
func (n *node) add(ctx context.Context, partnerIDs ...string) (events []*delivery.Event, err error) {
	if events, err = n.events(partnerIDs...); err != nil {
		return nil, err
	}
	return events, n.store.Orders().Write(ctx, func(tx order.Writer) error {
		// However slow the machine is: what waits in a circle is found by the database.
		if _, err := tx.Load(ctx, &order.Needs{LockWait: repeatable.Hang}); err != nil {
			return err
		}
		return order.Apply(ctx, tx, &order.Changes{Events: events})
	})
}

// addAsBefore adds an event as a node of the first release does, with the id that it has.
func (n *node) addAsBefore(ctx context.Context, partnerID string) error {
	events, err := n.events(partnerID)
	if err != nil {
		return err
	}
	return n.store.Orders().Write(ctx, func(tx order.Writer) error {
		return tx.Save(ctx, &order.Changes{Queue: []outbox.Entry{{Event: events[0], State: outbox.Skipped}}})
	})
}

// reader reads a partner's events on behind the last id that it has seen.
type reader struct {
	last string
	seen []string
}

func (r *reader) read(ctx context.Context, s *store.Store) error {
	return s.Webhooks().Read(ctx, func(tx webhook.Reader) error {
		found, err := tx.Events(ctx, webhook.Filter{PartnerID: partnerID, After: cmp.Or(r.last, "0"), Limit: 1000})
		for _, e := range found {
			r.last, r.seen = e.EventID, append(r.seen, e.EventID)
		}
		return err
	})
}

// testEventIDs adds 60 events of a partner at the same time by clocks that differ by 45
// seconds, and reads on meanwhile. None is left out, and what one node adds later has the
// greater id.
func testEventIDs(t *testing.T, s *store.Store) {
	const each = 20
	ctx := t.Context()
	var writers sync.WaitGroup
	failed := make([]error, 3)
	for i, ahead := range []time.Duration{-45 * time.Second, 0, 45 * time.Second} {
		n := nodeOn(s, fmt.Sprint(i), ahead)
		writers.Go(func() {
			last := ""
			for range each {
				events, err := n.add(ctx, partnerID)
				if err != nil {
					failed[i] = err
					return
				}
				if id := events[0].EventID; id <= last {
					failed[i] = fmt.Errorf("got id %s after %s, want a greater one", id, last)
				} else {
					last = id
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() {
		writers.Wait()
		close(ended)
	}()
	var r reader
	for more := true; more; {
		select {
		case <-ended:
			more = false // after one more look
		default:
		}
		must(t, r.read(ctx, s))
	}
	must(t, errors.Join(failed...))
	if len(r.seen) != 3*each || !slices.IsSorted(r.seen) {
		t.Errorf("got %d events behind the last id, ascending: %v; want %d, ascending", len(r.seen), slices.IsSorted(r.seen),
			3*each)
	}
}

// testEventIDsAhead adds events behind those of an earlier release, whose ids are ahead of
// the clock: before the first event of this release, and later.
func testEventIDsAhead(t *testing.T, s *store.Store) {
	ctx := t.Context()
	before, now := nodeOn(s, "before", 60*24*time.Hour), nodeOn(s, "now", 0)
	var r reader
	for round := range 3 {
		must(t, before.addAsBefore(ctx, partnerID))
		must(t, r.read(ctx, s))
		for range 2 {
			added, err := now.add(ctx, partnerID, partnerID)
			must(t, err)
			must(t, r.read(ctx, s))
			for _, e := range added {
				if !slices.Contains(r.seen, e.EventID) {
					t.Errorf("round %d: event %s was left out", round, e.EventID)
				}
			}
		}
	}
	if len(r.seen) != 15 {
		t.Errorf("got %d events, want 15", len(r.seen))
	}
}

// testEventTurns adds the first events of many partners at the same time, each transaction
// those of others and in another order. None has to be repeated because two waited for
// each other.
func testEventTurns(t *testing.T, s *store.Store) {
	const nodes, partners = 4, 40
	ctx := t.Context()
	ids := make([]string, partners)
	for i := range ids {
		ids[i] = fmt.Sprintf("par_%08d", i)
		if i%3 == 0 {
			saveEndpoints(t, s, endpoint(ids[i]))
		}
	}
	retries := s.Stats().Retries
	failed := make([]error, nodes)
	var writers sync.WaitGroup
	for i := range nodes {
		n := nodeOn(s, fmt.Sprint(i), 0)
		random := testkit.NewRandom(byte(i))
		writers.Go(func() {
			for range 10 {
				var chosen []string
				mask := make([]byte, partners)
				_, _ = random.Read(mask)
				for at, b := range mask {
					if b%4 == 0 {
						chosen = append(chosen, ids[(at*7+i)%partners])
					}
				}
				if _, err := n.add(ctx, chosen...); err != nil {
					failed[i] = err
					return
				}
			}
		})
	}
	writers.Wait()
	must(t, errors.Join(failed...))
	if again := s.Stats().Retries - retries; again != 0 {
		t.Errorf("got %d transactions repeated, want none", again)
	}
}
