package throttle_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// ledgers is a store in memory.
type ledgers struct {
	mu    sync.Mutex
	byKey map[string]throttle.Ledger // guarded by mu
	calls atomic.Int64
	// before, if it is set, runs at the start of each call.
	before func(ctx context.Context) error
}

func (s *ledgers) Write(ctx context.Context, fn func(throttle.LedgerTx) error) error {
	s.calls.Add(1)
	if s.before != nil {
		if err := s.before(ctx); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return fn(ledgersTx{s})
}

type ledgersTx struct{ *ledgers }

func (tx ledgersTx) Ledger(_ context.Context, key string) (throttle.Ledger, error) {
	return tx.byKey[key], nil
}

func (tx ledgersTx) SetLedger(_ context.Context, key string, ledger throttle.Ledger) error {
	tx.byKey[key] = ledger
	return nil
}

func newLedgers() *ledgers { return &ledgers{byKey: map[string]throttle.Ledger{}} }

func newShared(rate throttle.Rate, store *ledgers, now func() time.Time) *throttle.Shared {
	return throttle.NewShared(rate, store, now, slog.New(slog.DiscardHandler))
}

func nodes(n int, rate throttle.Rate, store *ledgers, now func() time.Time) []*throttle.Shared {
	all := make([]*throttle.Shared, n)
	for i := range all {
		all[i] = newShared(rate, store, now)
	}
	return all
}

// One node gives the very verdicts of a limiter that shares nothing, whatever
// the traffic.
func TestOneNodeIsLikeALocalLimiter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{1, 4, 5, 60, 300}).Draw(t, "limit")
		rate := throttle.Rate{Per: time.Minute, Limit: limit, Burst: limit}
		var c clock
		shared, local := newShared(rate, newLedgers(), c.now), throttle.New(rate, c.now)
		pauses := rapid.SliceOfN(rapid.IntRange(0, 3000), 1, 400).Draw(t, "pauses")
		for i, ms := range pauses {
			c.advance(time.Duration(max(0, ms-1500)) * time.Duration(max(1, 60/limit)) * time.Millisecond)
			got, want := shared.Take(t.Context(), "key"), local.Take("key")
			if want.RetryAfter < 20*time.Millisecond && !want.Allowed {
				want.RetryAfter, got.RetryAfter = 0, 0 // a node may wait this long before it asks again
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

// No span of time sees more than burst + rate*t admitted by all nodes together,
// whatever the traffic. There is no error as long as the clocks agree; as far
// as they do not, a span counts as that much longer.
func TestNodesWithinTheRate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{10, 60, 300, 6000}).Draw(t, "limit")
		rate := throttle.Rate{Per: time.Minute, Limit: limit, Burst: limit}
		interval := time.Minute / time.Duration(limit)
		skew := time.Duration(rapid.SampledFrom([]int{0, 50, 500}).Draw(t, "skew ms")) * time.Millisecond
		var c clock
		store := newLedgers()
		var all []*throttle.Shared
		for i := range rapid.IntRange(1, 6).Draw(t, "nodes") {
			offset := skew * time.Duration(i%2)
			all = append(all, newShared(rate, store, func() time.Time { return c.now().Add(offset) }))
		}
		var admitted []time.Duration
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			c.advance(time.Duration(rapid.SampledFrom([]int{0, 1, 30, 200, 1000, 2500, 9000}).Draw(t, "pause")) * time.Millisecond)
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

func checkSpans(t *rapid.T, admitted []time.Duration, rate throttle.Rate, interval, skew time.Duration) {
	// n admitted from i to j: j - at[j]/interval must not exceed burst over i - at[i]/interval.
	least := time.Duration(1 << 62)
	for j, at := range admitted {
		least = min(least, time.Duration(j)*interval-at)
		if over := time.Duration(j+1)*interval - at - least - time.Duration(rate.Burst)*interval - skew; over > 0 {
			t.Fatalf("%d too many were admitted", (over+interval-1)/interval)
		}
	}
}

// However the requests wander among the nodes, callers that always want more
// get nearly all that the rate allows.
func TestNodesGiveNearlyTheWholeRate(t *testing.T) {
	t.Parallel()
	var worst atomic.Int64
	worst.Store(1000)
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.SampledFrom([]int{60, 300, 6000}).Draw(t, "limit")
		rate := throttle.Rate{Per: time.Minute, Limit: limit, Burst: limit}
		var c clock
		all := nodes(rapid.IntRange(1, 5).Draw(t, "nodes"), rate, newLedgers(), c.now)
		start, got := c.now(), 0
		for range rapid.IntRange(5, 40).Draw(t, "turns") {
			node := all[rapid.IntRange(0, len(all)-1).Draw(t, "node")]
			for range rapid.IntRange(1, 100).Draw(t, "for tenths of seconds") {
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
			t.Fatalf("%d of %.0f", got, most)
		}
	})
	t.Logf("at worst %.1f %% of what the rate allows", float64(worst.Load())/10)
}

// Demand below the rate is never refused, however thin it is spread.
func TestThinTrafficOnManyNodesIsNotRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var c clock
		all := nodes(10, partnerRate(), newLedgers(), c.now)
		for i := range 3000 {
			c.advance(250 * time.Millisecond) // 240 a minute
			if got := all[rapid.IntRange(0, 9).Draw(t, "node")].Take(t.Context(), "key"); !got.Allowed {
				t.Fatalf("request %d: %+v", i, got)
			}
		}
	})
}

// The store is asked once for a while's worth of requests.
func TestALeaseLasts(t *testing.T) {
	t.Parallel()
	var c clock
	store := newLedgers()
	node := newShared(throttle.Rate{Per: time.Minute, Limit: 60_000, Burst: 60_000}, store, c.now)
	for range 20_000 {
		c.advance(2 * time.Millisecond)
		if !node.Take(t.Context(), "key").Allowed {
			t.Fatal("refused")
		}
	}
	if calls := store.calls.Load(); calls > 60 {
		t.Errorf("20,000 requests in 40 s asked the store %d times", calls)
	}
	for range 60_000 {
		node.Take(t.Context(), "key")
	}
	before := store.calls.Load()
	for range 10_000 {
		if node.Take(t.Context(), "key").Allowed {
			t.Fatal("the burst was used up")
		}
	}
	if calls := store.calls.Load() - before; calls > 0 {
		t.Errorf("10,000 refusals asked the store %d times", calls)
	}
}

// Requests of one key at once share a call, and admit exactly the burst.
func TestSharedAtOnce(t *testing.T) {
	t.Parallel()
	var c clock
	store := newLedgers()
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
	// Unspent remainders of leases, at most 4 on each node, may be missing.
	if got := admitted.Load(); got > 300 || got < 300-3*4 {
		t.Errorf("admitted %d, want 300", got)
	}
	t.Logf("admitted %d with %d calls", admitted.Load(), store.calls.Load())
}

// While the store is slow for one key, others are served, and those that wait
// for the same key wait for the same call.
func TestASlowLeaseBlocksNobodyElse(t *testing.T) {
	t.Parallel()
	var c clock
	store := newLedgers()
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
	node.Take(gone, "slow") // returns although the store does not answer
	if !node.Take(t.Context(), "other").Allowed {
		t.Error("another key was refused")
	}
	close(answer)
	waiting.Wait()
	if calls := store.calls.Load(); calls > 6 {
		t.Errorf("%d calls for two keys", calls)
	}
}

var errDown = errors.New("down")

// Without a store a node counts alone, and afterwards accounts for it.
func TestAloneWithoutTheStore(t *testing.T) {
	t.Parallel()
	var c clock
	store := newLedgers()
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
			t.Errorf("node %d admitted %d alone, want 300", i, got)
		}
	}
	if calls := store.calls.Load(); calls != 2 {
		t.Errorf("%d calls within the pause, want one of each node", calls)
	}
	store.before = nil
	c.advance(2 * time.Second)
	got := burst(all[0]) + burst(all[1])
	c.advance(time.Second)
	if got += burst(all[0]) + burst(all[1]); got > 2*15 {
		t.Errorf("%d were admitted in the 3 s after, as if nothing had been before", got)
	}
	c.advance(2 * time.Minute)
	if got := burst(all[0]); got < 290 || got > 300 {
		t.Errorf("%d were admitted after a quiet spell, want a burst", got)
	}
}

// A clock that was far ahead blocks a key for no longer than a full burst does.
func TestALedgerFromTheFuture(t *testing.T) {
	t.Parallel()
	var c clock
	store := newLedgers()
	wrong := newShared(partnerRate(), store, func() time.Time { return c.now().Add(time.Hour) })
	for range 100 {
		wrong.Take(t.Context(), "key")
	}
	right := newShared(partnerRate(), store, c.now)
	right.Take(t.Context(), "key")
	c.advance(time.Second)
	if got := right.Take(t.Context(), "key"); !got.Allowed {
		t.Errorf("got %+v", got)
	}
}

func TestSharedWithoutLimit(t *testing.T) {
	t.Parallel()
	store := newLedgers()
	if !newShared(throttle.Rate{}, store, time.Now).Take(t.Context(), "key").Allowed || store.calls.Load() > 0 {
		t.Error("no limit is nothing to ask for")
	}
}

// A lease that is told twice, or after its generation, does not free more than
// was leased.
func TestGrantForgivesNothingTwice(t *testing.T) {
	t.Parallel()
	at := time.Duration(1_767_225_600) * time.Second
	ledger, lease := throttle.Grant(partnerRate(), throttle.Ledger{}, throttle.Account{}, 4, at)
	if lease.Size != 4 || ledger.Leased != 4 {
		t.Fatalf("got %+v, %+v", ledger, lease)
	}
	told := throttle.Account{Generation: lease.Generation, Leased: 4, Spent: 2, From: at}
	once, _ := throttle.Grant(partnerRate(), ledger, told, 0, at)
	twice, _ := throttle.Grant(partnerRate(), once, told, 0, at)
	if once.Leased != 0 || once.Tat != at+400*time.Millisecond || twice.Leased != 0 || twice.Tat < once.Tat {
		t.Errorf("once %+v, twice %+v", once, twice)
	}
	lapsed, _ := throttle.Grant(partnerRate(), ledger, throttle.Account{}, 0, at+4*time.Second)
	late, _ := throttle.Grant(partnerRate(), lapsed, told, 0, at+6*time.Second)
	if want := at + 4*time.Second + 4*200*time.Millisecond; lapsed.Tat != want || late.Tat != want {
		t.Errorf("a lease that lapsed is charged whole: %+v, then %+v, want %v", lapsed, late, want)
	}
}

func BenchmarkSharedTake(b *testing.B) {
	node := newShared(throttle.Rate{Per: time.Minute, Limit: 1e9, Burst: 1e9}, newLedgers(), time.Now)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			node.Take(context.Background(), "par_3ebmvgjr")
		}
	})
}

// A key's rate may change: what was used is not charged at the new one, a lease
// of the old one is not spent, and the new one holds at once on every node.
func TestARateOfItsOwn(t *testing.T) {
	t.Parallel()
	rate := func(limit int) throttle.Rate { return throttle.Rate{Per: time.Minute, Limit: limit, Burst: limit} }
	var c clock
	all := nodes(2, rate(300), newLedgers(), c.now)
	take := func(n, limit int) (allowed int) {
		for i := range n {
			if all[i%2].TakeAt(t.Context(), "key", rate(limit)).Allowed {
				allowed++
			}
		}
		return allowed
	}
	if got := take(1000, 6000); got != 1000 {
		t.Errorf("of 1000 at 6000 a minute: %d", got)
	}
	if got := take(1000, 6); got > 6 {
		t.Errorf("of 1000 at 6 a minute, leases of 6000 at hand: %d", got)
	}
	c.advance(2 * time.Minute)
	take(1, 6)
	c.advance(2 * time.Minute)
	if got := take(20, 6); got < 5 || got > 6 {
		t.Errorf("of 20 at 6 a minute: %d", got)
	}
	if got := all[0].TakeAt(t.Context(), "key", throttle.Rate{}); !got.Allowed {
		t.Error("without a limit")
	}
	c.advance(time.Second) // all of the rate was used: its new kind comes back at its new pace
	if got := take(200, 6000); got < 50 || got > 110 {
		t.Errorf("of 200 at 6000 a minute again: %d", got)
	}
}
