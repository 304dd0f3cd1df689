package order

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
)

// recorder is an Observer that keeps what it is called with.
type recorder struct {
	mu      sync.Mutex // guards what follows
	groups  []Group
	settled map[CommandKind]map[CommandOutcome]int
	waits   []time.Duration
}

func (r *recorder) Committed(g Group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.groups = append(r.groups, g)
}

func (r *recorder) Settled(kind CommandKind, outcome CommandOutcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.settled == nil {
		r.settled = map[CommandKind]map[CommandOutcome]int{}
	}
	if r.settled[kind] == nil {
		r.settled[kind] = map[CommandOutcome]int{}
	}
	r.settled[kind][outcome]++
}

func (*recorder) OverQuota(QuotaName) {}

func (r *recorder) Waited(wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits = append(r.waits, wait)
}

// observe settles commands as one group, which forms a second after they were
// submitted, and returns what the observer was called with.
func observe(t *testing.T, store Store, commands ...command) *recorder {
	t.Helper()
	seen := new(recorder)
	c := newCommitter(Config{Store: store, Observer: seen})
	_, all := submitAll(t.Context(), c, commands...)
	time.Sleep(time.Second) // in the bubble's time
	c.done.Go(c.run)
	all.Wait()
	c.close()
	return seen
}

func TestObserverOfOneGroup(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := &scripted{faults: []error{ErrRaced, refusal.ErrUnreachable, ErrRaced}}
		invalid := &refuseCommand{
			kind: CommandCancel, request: idempotency.Request{Key: keyOf(7)},
			refusal: refusal.New(refusal.CodeValidation, "invalid"),
		}
		batch := &batchCommand{
			request: idempotency.Request{Key: keyOf(8)}, parts: []command{note{number: 3}, note{number: 4}},
		}
		seen := observe(t, store, note{number: 0}, note{number: 0}, invalid, batch)
		if want := []Group{{Commands: 5, Took: pause, Races: 2, Retries: 1}}; !slices.Equal(seen.groups, want) {
			t.Errorf("groups: got %+v, want %+v", seen.groups, want)
		}
		if want := slices.Repeat([]time.Duration{time.Second}, 4); !slices.Equal(seen.waits, want) {
			t.Errorf("waits: got %v, want %v", seen.waits, want)
		}
		if got, want := seen.settled[CommandCreate],
			(map[CommandOutcome]int{OutcomeDone: 3, OutcomeReplayed: 1}); !maps.Equal(got, want) {
			t.Errorf("create: got %v, want %v", got, want)
		}
		if got, want := seen.settled[CommandCancel], (map[CommandOutcome]int{OutcomeRefused: 1}); !maps.Equal(got, want) {
			t.Errorf("cancel: got %v, want %v", got, want)
		}
	})
}

// TestObserverOfFaults expects one report for each command, although the group
// is first tried as a whole and then one by one.
func TestObserverOfFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := observe(t, &scripted{poison: keyOf(1)}, notes(3)...)
		if len(seen.groups) != 4 || len(seen.waits) != 3 {
			t.Errorf("got %d groups and %d waits, want 4 and 3", len(seen.groups), len(seen.waits))
		}
		if got, want := seen.settled[CommandCreate],
			(map[CommandOutcome]int{OutcomeDone: 2, OutcomeFailed: 1}); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestObserverOfAbandonedCommands(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		seen := new(recorder)
		c := newCommitter(Config{Store: new(scripted), Observer: seen})
		ctx, leave := context.WithCancelCause(t.Context())
		_, all := submitAll(ctx, c, notes(2)...)
		leave(errors.New("the client hung up"))
		all.Wait()
		c.done.Go(c.run)
		c.close()
		if got, want := seen.settled[CommandCreate], (map[CommandOutcome]int{OutcomeAbandoned: 2}); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if len(seen.groups) != 0 {
			t.Errorf("got %d groups, want none", len(seen.groups))
		}
	})
}
