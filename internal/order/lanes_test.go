package order

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/outbox"
)

// sharded is a store whose partners' transactions can be held back one by one.
type sharded struct {
	Store // nil: nothing reads
	mu    sync.Mutex
	gates map[string]chan struct{} // by partner; guarded by mu
	sizes map[string][]int         // of the groups, by partner; guarded by mu
	mixed int                      // groups of several partners; guarded by mu
}

func (s *sharded) Write(_ context.Context, fn func(Writer) error) error { return fn(s) }

func (s *sharded) Load(_ context.Context, needs *Needs) (*State, error) {
	partners := map[string]bool{}
	for _, key := range needs.Receipts {
		partners[key.PartnerID] = true
	}
	partnerID := needs.Receipts[0].PartnerID
	s.mu.Lock()
	gate := s.gates[partnerID]
	s.sizes[partnerID] = append(s.sizes[partnerID], len(needs.Receipts))
	if len(partners) > 1 {
		s.mixed++
	}
	s.mu.Unlock()
	if gate != nil {
		<-gate
	}
	return &State{Receipts: map[idempotency.Key]*idempotency.Receipt{}}, nil
}

func (*sharded) LockQueues(context.Context, []string, []outbox.EventKey) (Queues, error) {
	return Queues{}, nil
}

func (s *sharded) Save(context.Context, *Changes) error { return nil }

// owned is a command of one partner.
type owned struct {
	partnerID string
	number    byte
}

func (o owned) partner() string { return o.partnerID }

func (o owned) needs(n *Needs) {
	n.Receipts = append(n.Receipts, idempotency.Key{PartnerID: o.partnerID, UUID: [16]byte{o.number}})
}

func (o owned) decide(*State, *Changes) outcome { return outcome{answer: []byte(o.partnerID)} }

// TestLanes checks that each transaction concerns one partner, that one which does
// not finish holds up no other partner, and that the commands which a partner sends
// meanwhile form its next group.
func TestLanes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		store := &sharded{gates: map[string]chan struct{}{"par_a": gate}, sizes: map[string][]int{}}
		c := startCommitter(Config{Store: store, ByPartner: true})
		var commands []command
		for i := range byte(5) {
			commands = append(commands, owned{"par_a", i}, owned{"par_b", i})
		}
		outcomes, all := submitAll(t.Context(), c, commands...)
		synctest.Wait()
		for i, o := range outcomes {
			if got, want := string(o.answer), []string{"", "par_b"}[i%2]; got != want {
				t.Errorf("command %d, while par_a waits: got %q, want %q", i, got, want)
			}
		}
		close(gate)
		all.Wait()
		c.close()
		if store.mixed != 0 || !slices.Equal(store.sizes["par_a"], []int{1, 4}) ||
			!slices.Equal(store.sizes["par_b"], []int{1, 1, 1, 1, 1}) {
			t.Errorf("got groups %v, %d of several partners, want none of several", store.sizes, store.mixed)
		}
	})
}

// TestLanesClose settles what waits, in groups of bounded size, and refuses
// what comes later.
func TestLanesClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		store := &sharded{gates: map[string]chan struct{}{"par_a": gate}, sizes: map[string][]int{}}
		c := startCommitter(Config{Store: store, ByPartner: true})
		var commands []command
		for i := range 1 + maxGroup + 3 {
			commands = append(commands, owned{"par_a", byte(i)})
		}
		outcomes, all := submitAll(t.Context(), c, commands...)
		closed := make(chan struct{})
		go func() {
			c.close()
			close(closed)
		}()
		synctest.Wait()
		close(gate)
		all.Wait()
		<-closed
		for i, o := range outcomes {
			if string(o.answer) != "par_a" {
				t.Fatalf("command %d: %+v", i, o)
			}
		}
		if sizes := slices.Collect(maps.Values(store.sizes)); len(sizes) != 1 || len(sizes[0]) != 3 {
			t.Errorf("got groups %v", sizes)
		}
		if late := c.submit(t.Context(), owned{"par_a", 0}); !refusal.HasCode(late.err, refusal.CodeUnavailable) {
			t.Errorf("got %+v after Close, want errBusy", late)
		}
	})
}
