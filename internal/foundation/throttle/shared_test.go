package throttle_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// usages is a store in memory.
type usages struct {
	mu    sync.Mutex
	byKey map[string]throttle.Usage // guarded by mu
	calls atomic.Int64
	// before and after, if they are set, run at the start and at the end of each
	// call, outside of the transaction.
	before func(context.Context) error
	after  func()
}

func (s *usages) Write(ctx context.Context, fn func(throttle.UsageTx) error) error {
	s.calls.Add(1)
	if s.before != nil {
		if err := s.before(ctx); err != nil {
			return err
		}
	}
	err := s.transact(fn)
	if s.after != nil {
		s.after()
	}
	return err
}

func (s *usages) transact(fn func(throttle.UsageTx) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fn(usagesTx{s})
}

type usagesTx struct{ *usages }

func (tx usagesTx) Usage(_ context.Context, key string) (throttle.Usage, error) {
	return tx.byKey[key], nil
}

func (tx usagesTx) SetUsage(_ context.Context, key string, usage throttle.Usage) error {
	tx.byKey[key] = usage
	return nil
}

func newUsages() *usages { return &usages{byKey: map[string]throttle.Usage{}} }

func newShared(rate throttle.Rate, store *usages, now func() time.Time) *throttle.Shared {
	return throttle.NewShared(rate, store, now, slog.New(slog.DiscardHandler), nil)
}

func nodes(n int, rate throttle.Rate, store *usages, now func() time.Time) []*throttle.Shared {
	all := make([]*throttle.Shared, n)
	for i := range all {
		all[i] = newShared(rate, store, now)
	}
	return all
}

// TestSharedOneNodeEqualsLimiter checks that one node returns exactly the verdicts
// of a limiter that shares nothing.
func TestSharedOneNodeEqualsLimiter(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{1, 4, 5, 60, 300}).Draw(t, "limit")
		rate := throttle.Rate{Per: time.Minute, Limit: limit, Burst: limit}
		var c clock
		shared, local := newShared(rate, newUsages(), c.now), throttle.New(rate, c.now)
		pauses := rapid.SliceOfN(rapid.IntRange(0, 3000), 1, 400).Draw(t, "pauses")
		for i, ms := range pauses {
			c.advance(time.Duration(max(0, ms-1500)) * time.Duration(max(1, 60/limit)) * time.Millisecond)
			got, want := shared.Take(t.Context(), "key"), local.Take("key")
			if want.RetryAfter < 20*time.Millisecond && !want.Allowed {
				want.RetryAfter, got.RetryAfter = 0, 0 // a node asks again only after this long
			}
			if got != want {
				t.Fatalf("take %d: got %+v, want %+v", i, got, want)
			}
			if !want.Allowed {
				c.advance(20 * time.Millisecond)
			}
		}
	})
}

// TestNodesNeverExceedRate checks that all nodes together admit at most
// burst + t/interval requests within every span t. While the clocks agree there
// is no error; if they differ, a span counts as that much longer.
func TestNodesNeverExceedRate(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{10, 60, 300, 6000}).Draw(t, "limit")
		rate := throttle.Rate{Per: time.Minute, Limit: limit, Burst: limit}
		interval := time.Minute / time.Duration(limit)
		skew := time.Duration(rapid.SampledFrom([]int{0, 50, 500}).Draw(t, "skew ms")) * time.Millisecond
		var c clock
		store := newUsages()
		var all []*throttle.Shared
		for i := range rapid.IntRange(1, 6).Draw(t, "nodes") {
			offset := skew * time.Duration(i%2)
			all = append(all, newShared(rate, store, func() time.Time { return c.now().Add(offset) }))
		}
		var admitted []time.Duration
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			c.advance(time.Duration(rapid.SampledFrom([]int{0, 1, 30, 200, 1000, 2500, 9000}).Draw(t,
				"pause")) * time.Millisecond)
			node := all[rapid.IntRange(0, len(all)-1).Draw(t, "node")]
			for range rapid.SampledFrom([]int{1, 2, 5, 40, 400}).Draw(t, "requests") {
				if node.Take(t.Context(), "key").Allowed {
					admitted = append(admitted, time.Duration(c.nanos.Load()))
				}
			}
		}
		checkSpans(t, admitted, rate, interval, 2*skew)
	})
}

// checkSpans checks every span between two of the times of admission in one pass.
// n requests admitted from i to j are too many if j*interval-at[j] exceeds
// i*interval-at[i] by more than the burst.
func checkSpans(t *rapid.T, admitted []time.Duration, rate throttle.Rate, interval, skew time.Duration) {
	least := time.Duration(1 << 62)
	for j, at := range admitted {
		least = min(least, time.Duration(j)*interval-at)
		if over := time.Duration(j+1)*interval - at - least - time.Duration(rate.Burst)*interval - skew; over > 0 {
			t.Fatalf("got %d more admitted than the rate allows, want none", (over+interval-1)/interval)
		}
	}
}

// TestNodesGiveNearlyWholeRate checks that callers that always want more get
// nearly all that the rate allows, while their requests move between nodes.
func TestNodesGiveNearlyWholeRate(t *testing.T) {
	t.Parallel()
	var worst atomic.Int64
	worst.Store(1000)
	repeatable.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{60, 300, 6000}).Draw(t, "limit")
		rate := throttle.Rate{Per: time.Minute, Limit: limit, Burst: limit}
		var c clock
		all := nodes(rapid.IntRange(1, 5).Draw(t, "nodes"), rate, newUsages(), c.now)
		start, got := c.now(), 0
		for range rapid.IntRange(5, 40).Draw(t, "turns") {
			node := all[rapid.IntRange(0, len(all)-1).Draw(t, "node")]
			for range rapid.IntRange(1, 100).Draw(t, "tenths of a second") {
				for range 1 + limit/100 {
					if node.Take(t.Context(), "key").Allowed {
						got++
					}
				}
				c.advance(100 * time.Millisecond)
			}
		}
		seconds := c.now().Sub(start).Seconds()
		most := min(float64(limit)*(1+seconds/60), float64(1+limit/100)*seconds*10)
		permille := int64(1000 * float64(got) / most)
		worst.Store(min(worst.Load(), permille))
		if permille < 930 {
			t.Fatalf("got %d admitted, want at least 93 %% of %.0f", got, most)
		}
	})
	t.Logf("at worst, %.1f %% of what the rate allows was admitted", float64(worst.Load())/10)
}

// TestNodesAdmitThinTraffic checks that demand below the rate is never refused,
// even if it is spread over many nodes.
func TestNodesAdmitThinTraffic(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		var c clock
		all := nodes(10, partnerRate(), newUsages(), c.now)
		for i := range 3000 {
			c.advance(250 * time.Millisecond) // 240 a minute
			if got := all[rapid.IntRange(0, 9).Draw(t, "node")].Take(t.Context(), "key"); !got.Allowed {
				t.Fatalf("request %d: got %+v, want allowed", i, got)
			}
		}
	})
}

// TestSharedCallsStoreSeldom checks that one call of the store serves many
// requests, admitted and refused.
func TestSharedCallsStoreSeldom(t *testing.T) {
	t.Parallel()
	var c clock
	store := newUsages()
	node := newShared(throttle.Rate{Per: time.Minute, Limit: 60_000, Burst: 60_000}, store, c.now)
	for range 20_000 {
		c.advance(2 * time.Millisecond)
		if got := node.Take(t.Context(), "key"); !got.Allowed {
			t.Fatalf("got %+v, want allowed", got)
		}
	}
	if calls := store.calls.Load(); calls > 60 {
		t.Errorf("20,000 requests in 40 s: got %d calls of the store, want at most 60", calls)
	}
	for range 60_000 {
		node.Take(t.Context(), "key")
	}
	before := store.calls.Load()
	for range 10_000 {
		if got := node.Take(t.Context(), "key"); got.Allowed {
			t.Fatalf("after the whole burst: got %+v, want refused", got)
		}
	}
	if calls := store.calls.Load() - before; calls > 0 {
		t.Errorf("10,000 refusals: got %d calls of the store, want none", calls)
	}
}

// TestSharedInParallelAdmitsBurst sends three bursts at one moment to three nodes.
func TestSharedInParallelAdmitsBurst(t *testing.T) {
	t.Parallel()
	var c clock
	store := newUsages()
	all := nodes(3, throttle.Rate{Per: time.Minute, Limit: 300, Burst: 300}, store, c.now)
	var admitted atomic.Int64
	var running sync.WaitGroup
	for i := range 900 {
		running.Go(func() {
			if all[i%3].Take(t.Context(), "key").Allowed {
				admitted.Add(1)
			}
		})
	}
	running.Wait()
	// Each node may have the rest of a lease left, at most 4.
	if got := admitted.Load(); got > 300 || got < 300-3*4 {
		t.Errorf("got %d admitted, want 288 to 300", got)
	}
	t.Logf("%d were admitted with %d calls", admitted.Load(), store.calls.Load())
}

// TestSharedSlowStoreBlocksOneKey checks that other keys are served while the
// store is slow for one, and that the requests of that one share a call.
func TestSharedSlowStoreBlocksOneKey(t *testing.T) {
	t.Parallel()
	var c clock
	store := newUsages()
	asked, answer := make(chan struct{}), make(chan struct{})
	var first sync.Once
	store.before = func(context.Context) error {
		slow := false
		first.Do(func() { slow = true })
		if slow {
			close(asked)
			<-answer
		}
		return nil
	}
	node := newShared(partnerRate(), store, c.now)
	var waiting sync.WaitGroup
	waiting.Go(func() { node.Take(context.Background(), "slow") })
	<-asked
	for range 8 {
		waiting.Go(func() { node.Take(context.Background(), "slow") })
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	node.Take(gone, "slow") // returns although the store has not answered
	if got := node.Take(t.Context(), "other"); !got.Allowed {
		t.Errorf("another key: got %+v, want allowed", got)
	}
	close(answer)
	waiting.Wait()
	if calls := store.calls.Load(); calls > 6 {
		t.Errorf("got %d calls for 10 requests of two keys, want at most 6", calls)
	}
}

var errDown = errors.New("down")

// TestSharedCountsAloneWithoutStore checks that a node admits a whole burst while
// the store fails, and accounts for it afterwards.
func TestSharedCountsAloneWithoutStore(t *testing.T) {
	t.Parallel()
	var c clock
	store := newUsages()
	all := nodes(2, partnerRate(), store, c.now)
	burst := func(node *throttle.Shared) (admitted int) {
		for range 400 {
			if node.Take(t.Context(), "key").Allowed {
				admitted++
			}
		}
		return admitted
	}
	store.before = func(context.Context) error { return errDown }
	for i, node := range all {
		if got := burst(node); got != 300 {
			t.Errorf("node %d alone: got %d admitted, want 300", i, got)
		}
	}
	if calls := store.calls.Load(); calls != 2 {
		t.Errorf("got %d calls within the pause, want one of each node", calls)
	}
	store.before = nil
	c.advance(2 * time.Second)
	got := burst(all[0]) + burst(all[1])
	c.advance(time.Second)
	if got += burst(all[0]) + burst(all[1]); got > 2*15 {
		t.Errorf("in the 3 s after: got %d admitted, want at most the 30 that the rate adds", got)
	}
	c.advance(2 * time.Minute)
	if got := burst(all[0]); got < 290 || got > 300 {
		t.Errorf("after a quiet spell: got %d admitted, want a burst of 290 to 300", got)
	}
}

// TestSharedCutsUsageFromFuture checks that a node whose clock was far ahead does
// not block a key for longer than a full burst does.
func TestSharedCutsUsageFromFuture(t *testing.T) {
	t.Parallel()
	var c clock
	store := newUsages()
	wrong := newShared(partnerRate(), store, func() time.Time { return c.now().Add(time.Hour) })
	for range 100 {
		wrong.Take(t.Context(), "key")
	}
	right := newShared(partnerRate(), store, c.now)
	right.Take(t.Context(), "key")
	c.advance(time.Second)
	if got := right.Take(t.Context(), "key"); !got.Allowed {
		t.Errorf("got %+v, want allowed", got)
	}
}

func TestSharedWithoutLimit(t *testing.T) {
	t.Parallel()
	store := newUsages()
	got := newShared(throttle.Rate{}, store, time.Now).Take(t.Context(), "key")
	if calls := store.calls.Load(); !got.Allowed || calls > 0 {
		t.Errorf("got %+v with %d calls, want allowed without any", got, calls)
	}
}

// TestSharedTakeAtChangesRate checks that what was used at the old rate is not
// charged at the new one, that a lease of the old rate is not spent, and that the
// new rate holds immediately on every node.
func TestSharedTakeAtChangesRate(t *testing.T) {
	t.Parallel()
	rate := func(limit int) throttle.Rate { return throttle.Rate{Per: time.Minute, Limit: limit, Burst: limit} }
	var c clock
	all := nodes(2, rate(300), newUsages(), c.now)
	take := func(n, limit int) (allowed int) {
		for i := range n {
			if all[i%2].TakeAt(t.Context(), "key", rate(limit)).Allowed {
				allowed++
			}
		}
		return allowed
	}
	if got := take(1000, 6000); got != 1000 {
		t.Errorf("1000 requests at 6000 a minute: got %d allowed, want all", got)
	}
	if got := take(1000, 6); got > 6 {
		t.Errorf("1000 requests at 6 a minute, with leases left of 6000: got %d allowed, want at most 6", got)
	}
	c.advance(2 * time.Minute)
	take(1, 6)
	c.advance(2 * time.Minute)
	if got := take(20, 6); got < 5 || got > 6 {
		t.Errorf("20 requests at 6 a minute: got %d allowed, want 5 or 6", got)
	}
	if got := all[0].TakeAt(t.Context(), "key", throttle.Rate{}); !got.Allowed {
		t.Errorf("without a limit: got %+v, want allowed", got)
	}
	c.advance(time.Second) // the whole burst was used; it grows back at the new rate
	if got := take(200, 6000); got < 50 || got > 110 {
		t.Errorf("200 requests at 6000 a minute again: got %d allowed, want 50 to 110", got)
	}
}

func BenchmarkSharedTake(b *testing.B) {
	node := newShared(throttle.Rate{Per: time.Minute, Limit: 1e9, Burst: 1e9}, newUsages(), time.Now)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			node.Take(context.Background(), "par_3ebmvgjr")
		}
	})
}

// TestSharedRequestsOfSeveral sends requests that count as several to nodes that
// share a rate. Each is admitted whole or not at all, and together no more than the
// rate allows.
func TestSharedRequestsOfSeveral(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		rate := throttle.Rate{Per: time.Minute, Limit: 300, Burst: 300}
		var c clock
		all := nodes(3, rate, newUsages(), c.now)
		begun, admitted := c.now(), int64(0)
		for range 40 {
			n := rapid.Int64Range(1, 60).Draw(t, "n")
			verdict := rapid.SampledFrom(all).Draw(t, "node").TakeMany(t.Context(), "key", rate, n)
			if verdict.Allowed {
				admitted += n
			} else if verdict.RetryAfter <= 0 || verdict.RetryAfter > time.Minute {
				t.Fatalf("got RetryAfter %v for %d, want a positive time of up to a minute", verdict.RetryAfter, n)
			}
			if most := 300 + int64(c.now().Sub(begun)/(200*time.Millisecond)); admitted > most {
				t.Fatalf("got %d admitted after %v, want at most %d", admitted, c.now().Sub(begun), most)
			}
			c.advance(time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond)
		}
	})
}

// TestSharedWholeBurst admits a request that counts as the whole burst if the key is
// at rest, and nothing after it.
func TestSharedWholeBurst(t *testing.T) {
	t.Parallel()
	rate := throttle.Rate{Per: time.Minute, Limit: 300, Burst: 300}
	var c clock
	all := nodes(2, rate, newUsages(), c.now)
	if verdict := all[0].TakeMany(t.Context(), "key", rate, 300); !verdict.Allowed || verdict.Remaining != 0 {
		t.Errorf("got %+v for the whole burst, want it allowed", verdict)
	}
	if verdict := all[1].TakeMany(t.Context(), "key", rate, 1); verdict.Allowed {
		t.Errorf("got %+v after the whole burst, want it refused", verdict)
	}
}

// TestSharedPeek looks at a key before and after its rate is used up, and counts
// nothing by it.
func TestSharedPeek(t *testing.T) {
	t.Parallel()
	rate := throttle.Rate{Per: time.Minute, Limit: 60, Burst: 60}
	var c clock
	store := newUsages()
	shared := newShared(rate, store, c.now)
	if verdict := shared.PeekAt("key", rate); !verdict.Allowed {
		t.Errorf("unknown key: got %+v, want it allowed", verdict)
	}
	shared.TakeMany(t.Context(), "key", rate, 59)
	for range 3 {
		if verdict := shared.PeekAt("key", rate); !verdict.Allowed {
			t.Errorf("one left: got %+v, want it allowed", verdict)
		}
	}
	shared.Take(t.Context(), "key")
	calls := store.calls.Load()
	if verdict := shared.PeekAt("key", rate); verdict.Allowed || verdict.RetryAfter != time.Second ||
		store.calls.Load() != calls {
		t.Errorf("none left: got %+v after %d calls of the store, want it refused for 1 s after none", verdict,
			store.calls.Load()-calls)
	}
}
