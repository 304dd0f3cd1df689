package order

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/outbox"
)

// lockable is a store in which another transaction may have locked the rows of partners.
type lockable struct {
	Store // nil: nothing reads
	mu    sync.Mutex
	held  map[string]bool // partners whose rows are locked; guarded by mu
	tried [][]string      // the partners of each transaction; guarded by mu
	saved map[string]int  // commands committed, by partner; guarded by mu
}

func (s *lockable) hold(partnerID string, held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[partnerID] = held
}

func (s *lockable) Write(_ context.Context, fn func(Writer) error) error { return fn(s) }

// Load waits for locks as PostgreSQL does: as long as it may, and then returns an error.
func (s *lockable) Load(_ context.Context, needs *Needs) (*State, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var partners []string
	for _, key := range needs.Receipts {
		if !slices.Contains(partners, key.PartnerID) {
			partners = append(partners, key.PartnerID)
		}
	}
	s.tried = append(s.tried, partners)
	for _, partnerID := range partners {
		if s.held[partnerID] {
			return nil, fmt.Errorf("load: %w", refusal.ErrBlocked)
		}
	}
	for _, key := range needs.Receipts {
		s.saved[key.PartnerID]++
	}
	return &State{Receipts: map[idempotency.Key]*idempotency.Receipt{}}, nil
}

func (*lockable) LockQueues(context.Context, []string, []outbox.EventKey) (Queues, error) {
	return Queues{}, nil
}

func (*lockable) Save(context.Context, *Changes) error { return nil }

// TestBlockedPartnerIsSetAside blocks one of three partners of a group. The others are
// settled without the time passing that it takes, later groups do not contain the blocked
// one, and it is settled once when its rows are free.
func TestBlockedPartnerIsSetAside(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &lockable{held: map[string]bool{"par_b": true}, saved: map[string]int{}}
		c := newCommitter(Config{Store: store})
		begin := time.Now()
		first, all := submitAll(t.Context(), c, owned{"par_a", 0}, owned{"par_b", 0}, owned{"par_c", 0}, owned{"par_b", 1})
		c.done.Go(c.run)
		synctest.Wait()
		checkOwned(t, first, "par_a", "", "par_c", "")
		second, allSecond := submitAll(t.Context(), c, owned{"par_a", 1}, owned{"par_b", 2}, owned{"par_c", 1})
		synctest.Wait()
		checkOwned(t, second, "par_a", "", "par_c")
		if took := time.Since(begin); took != 0 {
			t.Errorf("the others waited %v for the blocked partner, want no wait", took)
		}
		time.Sleep(time.Second)
		if d := c.delays(time.Now()); d.Blocked != 1 || d.Longest != time.Second || d.Group != 0 {
			t.Errorf("got delays %+v, want one partner blocked for a second", d)
		}
		store.hold("par_b", false)
		all.Wait()
		allSecond.Wait()
		checkOwned(t, slices.Concat(first, second), "par_a", "par_b", "par_c", "par_b", "par_a", "par_b", "par_c")
		third, allThird := submitAll(t.Context(), c, owned{"par_b", 3})
		allThird.Wait()
		checkOwned(t, third, "par_b")
		c.close()
		if d := c.delays(time.Now()); d != (Delays{}) {
			t.Errorf("got delays %+v when all was settled, want none", d)
		}
		if s := store.saved; s["par_a"] != 2 || s["par_b"] != 4 || s["par_c"] != 2 {
			t.Errorf("got %v commands committed, want each once", s)
		}
		for _, partners := range store.tried[1:] {
			if len(partners) > 1 && slices.Contains(partners, "par_b") {
				t.Errorf("got a group of %v while par_b was blocked", partners)
			}
		}
	})
}

func checkOwned(t *testing.T, outcomes []outcome, want ...string) {
	t.Helper()
	for i, o := range outcomes {
		if string(o.answer) != want[i] || o.err != nil {
			t.Errorf("command %d: got %q and %v, want %q", i, o.answer, o.err, want[i])
		}
	}
}

// TestBlockedPartnerIsRefused keeps a partner blocked for longer than callers wait. Its
// commands are refused with a reason that says so, the others' are not, and a closing
// committer waits for no lock.
func TestBlockedPartnerIsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &lockable{held: map[string]bool{"par_b": true}, saved: map[string]int{}}
		begin := time.Now()
		outcomes := together(store, owned{"par_a", 0}, owned{"par_b", 0}, owned{"par_b", 1})
		checkOwned(t, outcomes[:1], "par_a")
		for _, o := range outcomes[1:] {
			if !errors.Is(o.err, refusal.ErrBlocked) {
				t.Errorf("got %+v for the blocked partner, want ErrBlocked", o)
			}
		}
		if took := time.Since(begin); took < patience || took > patience+2*maxPause {
			t.Errorf("the blocked partner waited %v, want about %v", took, patience)
		}
		if store.saved["par_b"] != 0 {
			t.Errorf("got %d commands of the blocked partner committed, want none", store.saved["par_b"])
		}
	})
}

// TestAbandonedPartnerIsNotTriedAgain blocks a partner whose callers leave.
func TestAbandonedPartnerIsNotTriedAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &lockable{held: map[string]bool{"par_b": true}, saved: map[string]int{}}
		c := startCommitter(Config{Store: store})
		ctx, leave := context.WithCancel(t.Context())
		_, all := submitAll(ctx, c, owned{"par_b", 0})
		leave()
		all.Wait()
		time.Sleep(maxPause)
		synctest.Wait()
		if d := c.delays(time.Now()); d != (Delays{}) {
			t.Errorf("got delays %+v after all callers had left, want none", d)
		}
		c.close()
	})
}

// silent is a store whose first transactions get no answer, as on a connection that was
// cut off without a sign.
type silent struct {
	scripted
	hang int // so many
}

func (s *silent) Write(ctx context.Context, fn func(Writer) error) error {
	if s.hang > 0 {
		s.hang--
		<-ctx.Done()
		return ctx.Err()
	}
	return s.scripted.Write(ctx, fn)
}

// TestSilentConnectionIsGivenUp settles commands after a transaction that got no answer.
func TestSilentConnectionIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &silent{hang: 1}
		begin := time.Now()
		checkSettled(t, &store.scripted, together(store, notes(3)...))
		if took := time.Since(begin); took != firstTry+pause {
			t.Errorf("got an answer after %v, want it after %v", took, firstTry+pause)
		}
	})
}
