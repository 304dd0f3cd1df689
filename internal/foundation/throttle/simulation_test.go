package throttle_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// simulation is the traffic of one key that reaches several nodes at random. It
// runs on the fake clock of a synctest bubble.
type simulation struct {
	nodes, perMinute int
	demand           float64       // requests arriving, as a multiple of the rate
	latency          time.Duration // of a call of the store: up to twice this
	seed             uint64
}

// outcome is what became of the requests of a simulation.
type outcome struct {
	together int           // admitted by the nodes
	alone    int           // of the same requests, admitted by one limiter
	longest  time.Duration // that a request waited
}

func (s simulation) String() string {
	return fmt.Sprintf("%d nodes, %d a minute, demand %.1f, latency %v, seed %d",
		s.nodes, s.perMinute, s.demand, s.latency, s.seed)
}

// run sends requests for three minutes.
func (s simulation) run() (out outcome) {
	rate := throttle.Rate{Per: time.Minute, Limit: s.perMinute, Burst: s.perMinute}
	all := nodes(s.nodes, rate, s.store(), time.Now)
	one := throttle.New(rate, time.Now)
	random := rand.New(rand.NewPCG(s.seed, 1))
	pause := float64(time.Minute) / float64(s.perMinute) / s.demand
	var together, longest atomic.Int64
	var requests sync.WaitGroup
	for start := time.Now(); time.Since(start) < 3*time.Minute; {
		time.Sleep(time.Duration(random.ExpFloat64() * pause))
		node := all[random.IntN(s.nodes)]
		requests.Go(func() {
			asked := time.Now()
			if node.Take(context.Background(), "key").Allowed {
				together.Add(1)
			}
			for waited := int64(time.Since(asked)); ; {
				if before := longest.Load(); waited <= before || longest.CompareAndSwap(before, waited) {
					return
				}
			}
		})
		if one.Take("key").Allowed {
			out.alone++
		}
	}
	requests.Wait()
	out.together, out.longest = int(together.Load()), time.Duration(longest.Load())
	return out
}

// store returns a store with the latency of the simulation.
func (s simulation) store() *usages {
	store := newUsages()
	var mu sync.Mutex
	random := rand.New(rand.NewPCG(s.seed, 2)) // guarded by mu
	pause := func() {
		mu.Lock()
		half := time.Duration(random.Float64() * float64(s.latency))
		mu.Unlock()
		time.Sleep(half)
	}
	store.before = func(context.Context) error { pause(); return nil }
	store.after = pause
	return store
}

func simulations() (all []simulation) {
	for _, nodes := range []int{1, 3, 6} {
		for _, perMinute := range []int{60, 300, 3000} {
			for _, demand := range []float64{0.8, 1.5, 5} {
				for _, latency := range []time.Duration{2 * time.Millisecond, 100 * time.Millisecond} {
					all = append(all, simulation{nodes, perMinute, demand, latency, uint64(len(all))})
				}
			}
		}
	}
	return all
}

// TestNodesAdmitWhatOneLimiterWould checks the promise: nodes that share a rate
// admit a few percent less at most, and not more, than one limiter does of the
// same requests. No request waits for many calls of the store.
func TestNodesAdmitWhatOneLimiterWould(t *testing.T) {
	t.Parallel()
	for _, s := range simulations() {
		synctest.Test(t, func(t *testing.T) {
			got := s.run()
			least, most := got.alone*94/100, got.alone+got.alone/200
			if got.together < least || got.together > most {
				t.Errorf("%v: got %d admitted, want %d to %d", s, got.together, least, most)
			}
			if limit := 5 * 2 * s.latency; got.longest > limit {
				t.Errorf("%v: a request waited for %v, want at most five calls, %v", s, got.longest, limit)
			}
		})
	}
}
