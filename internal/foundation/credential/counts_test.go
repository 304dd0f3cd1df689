package credential_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// memoryCounts is a CountStore in memory that can be made to fail.
type memoryCounts struct {
	mu            sync.Mutex
	counts        map[credential.CountKey]time.Time
	reads, writes int
	readErr       error
	writeErr      error
	hangs         bool   // calls end with their context
	writing       func() // called at the beginning of each Write
}

func (m *memoryCounts) Read(ctx context.Context, fn func(credential.CountReader) error) error {
	return m.run(ctx, &m.reads, m.readErr, func() error { return fn(m) })
}

func (m *memoryCounts) Write(ctx context.Context, fn func(credential.CountWriter) error) error {
	m.writing()
	return m.run(ctx, &m.writes, m.writeErr, func() error { return fn(m) })
}

func (m *memoryCounts) run(ctx context.Context, calls *int, err error, fn func() error) error {
	if m.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if *calls++; err != nil {
		return err
	}
	return errors.Join(fn(), ctx.Err())
}

func (m *memoryCounts) Counts(_ context.Context, keys []credential.CountKey) (found []credential.Count, err error) {
	for _, key := range keys {
		if at, known := m.counts[key]; known {
			found = append(found, credential.Count{Key: key, RestAt: at})
		}
	}
	return found, nil
}

func (m *memoryCounts) LockCounts(_ context.Context, keys []credential.CountKey) (found []credential.Count, err error) {
	for _, key := range keys {
		found = append(found, credential.Count{Key: key, RestAt: m.counts[key]})
	}
	return found, nil
}

func (m *memoryCounts) SaveCounts(_ context.Context, counts []credential.Count) error {
	for _, count := range counts {
		m.counts[count.Key] = count.RestAt
	}
	return nil
}

func (m *memoryCounts) RemoveRested(_ context.Context, at time.Time) error {
	for key, rest := range m.counts {
		if !rest.After(at) {
			delete(m.counts, key)
		}
	}
	return nil
}

// nodes returns gates that share a store, with the clock of the first.
func nodes(t *testing.T, count int) (*memoryCounts, []*gateFixture) {
	t.Helper()
	kept, all := &memoryCounts{counts: map[credential.CountKey]time.Time{}, writing: func() {}}, make([]*gateFixture,
		count)
	for i := range all {
		all[i] = newGate(t)
		all[i].Gate = credential.NewGate(credential.GateConfig{
			Accounts: "partner", Hasher: credential.NewHasher(cheap, repeatable.Reader(t, "node", strconv.Itoa(i))), Store: kept,
			Now: func() time.Time { return all[0].now }, Log: slog.New(slog.DiscardHandler),
		})
	}
	return kept, all
}

func TestGatesShareFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, all := nodes(t, 3)
		verified := 0
		for i := range 30 {
			if refusal.HasCode(all[i%3].try(t, "203.0.113.1", "wrong"), refusal.CodeUnauthorized) {
				verified++
			}
		}
		if verified != 10 {
			t.Errorf("got %d guesses verified at three nodes, want 10", verified)
		}
		if err := all[2].try(t, "198.51.100.7", "right"); err != nil {
			t.Errorf("owner at another address: got %v, want nil", err)
		}
		all[0].now = all[0].now.Add(time.Minute)
		if err := all[1].try(t, "203.0.113.1", "right"); err != nil {
			t.Errorf("after a minute: got %v, want nil", err)
		}
	})
}

// TestGateCountsParallelFailuresOnce fails eight times simultaneously. Two more guesses
// are within the limit of ten.
func TestGateCountsParallelFailuresOnce(t *testing.T) {
	t.Parallel()
	kept, all := nodes(t, 1)
	kept.writing = runtime.Gosched
	var failing sync.WaitGroup
	for range 8 {
		failing.Go(func() {
			all[0].Failed(t.Context(), credential.Attempt{Account: "a@b.example", Address: "203.0.113.1"})
		})
	}
	failing.Wait()
	for i := range 2 {
		if err := all[0].try(t, "203.0.113.1", "wrong"); !refusal.HasCode(err, refusal.CodeUnauthorized) {
			t.Errorf("guess %d: got %v, want unauthorized", i+9, err)
		}
	}
}

func TestGateReadsOnceAndWritesFailuresOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept, all := nodes(t, 1)
		for range 5 {
			_ = all[0].try(t, "203.0.113.1", "right")
		}
		if kept.reads != 5 || kept.writes != 0 {
			t.Errorf("5 logins with the right password: got %d reads and %d writes, want 5 and 0", kept.reads, kept.writes)
		}
		_ = all[0].try(t, "203.0.113.1", "wrong")
		if kept.reads != 6 || kept.writes != 1 {
			t.Errorf("and a failure: got %d reads and %d writes, want 6 and 1", kept.reads, kept.writes)
		}
		for range 100 {
			_ = all[0].try(t, "203.0.113.1", "wrong")
		}
		if kept.reads != 15 || kept.writes != 10 {
			t.Errorf("and 100 more: got %d reads and %d writes, want 15 and 10: refusals cost none", kept.reads, kept.writes)
		}
	})
}

// TestGateWithoutStore checks what happens while the store fails: logins fail if it
// cannot be read, and this node counts by itself if it cannot be written. What it has
// counted by itself is added when the store can be written again.
func TestGateWithoutStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept, all := nodes(t, 2)
		kept.readErr = errors.New("no store")
		if err := all[0].try(t, "203.0.113.1", "right"); !errors.Is(err, kept.readErr) {
			t.Errorf("the store cannot be read: got %v, want %v", err, kept.readErr)
		}
		kept.readErr, kept.writeErr = nil, errors.New("read-only store")
		for i := range 9 {
			if err := all[0].try(t, "203.0.113.1", "wrong"); !refusal.HasCode(err, refusal.CodeUnauthorized) {
				t.Fatalf("the store cannot be written, failure %d: got %v, want unauthorized", i, err)
			}
		}
		kept.writeErr = nil
		_ = all[0].try(t, "203.0.113.1", "wrong")
		for i, node := range all {
			if err := node.try(t, "203.0.113.1", "right"); !refusal.HasCode(err, refusal.CodeRateLimited) {
				t.Errorf("node %d after ten failures: got %v, want rate_limited", i, err)
			}
		}
	})
}

func TestGateWithSlowStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept, all := nodes(t, 1)
		kept.hangs = true
		start := time.Now()
		err := all[0].try(t, "203.0.113.1", "right")
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 2*time.Second {
			t.Errorf("got %v after %v, want %v after 2 s", err, took, context.DeadlineExceeded)
		}
	})
}

// TestGateCountsGuessesOfClientsThatHangUp: the end of the request does not undo the
// count.
func TestGateCountsGuessesOfClientsThatHangUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept, all := nodes(t, 1)
		ctx, hangUp := context.WithCancel(t.Context())
		kept.writing = hangUp
		_ = all[0].Verify(ctx,
			credential.Attempt{Account: "a@b.example", Address: "203.0.113.1", Password: "wrong", Hash: all[0].hash})
		if len(kept.counts) != 3 {
			t.Errorf("got %d counts, want 3", len(kept.counts))
		}
	})
}

func TestGateSweepsCountsAtRest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept, all := nodes(t, 1)
		_ = all[0].try(t, "203.0.113.1", "wrong")
		all[0].now = all[0].now.Add(2 * time.Minute)
		_ = all[0].try(t, "203.0.113.2", "wrong")
		if len(kept.counts) != 3 { // the account's is the same
			t.Errorf("two minutes after the first failure: got %d counts, want 3", len(kept.counts))
		}
		all[0].now = all[0].now.Add(2 * time.Minute)
		if err := all[0].Sweep(t.Context()); err != nil || len(kept.counts) != 0 {
			t.Errorf("after Sweep: got %d counts (%v), want none", len(kept.counts), err)
		}
	})
}
