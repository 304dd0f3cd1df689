package fair

import (
	"context"
	"sync"
)

// Semaphore lets a few pieces of work run at a time, and for each key fewer. Those that
// wait take turns by key. Work of a later rank gets a permit only while none of an
// earlier rank could take it. It may be used by many goroutines.
type Semaphore struct {
	mu    sync.Mutex
	free  int     // guarded by mu
	ranks []*rank // the first is served first; their fields are guarded by mu
}

// Rank says how much work of one rank runs at a time: Total in all, PerKey for each
// key.
type Rank struct{ Total, PerKey int }

type rank struct {
	Rank
	taken   int                    // permits that this rank has
	running map[string]int         // by key, without zeros
	waiting Queue[chan<- struct{}] // each is closed when its permit is given
}

// NewSemaphore returns so many permits, of which one key has perKey at most.
func NewSemaphore(total, perKey int) *Semaphore {
	return NewRankedSemaphore(total, Rank{total, perKey})
}

// NewRankedSemaphore returns so many permits for work of several ranks, the first of which is
// served first. A key is counted in each rank by itself.
func NewRankedSemaphore(total int, ranks ...Rank) *Semaphore {
	s := &Semaphore{free: total}
	for _, r := range ranks {
		s.ranks = append(s.ranks, &rank{Rank: r, running: map[string]int{}})
	}
	return s
}

// Take waits for a permit and reports true when it has one; the caller then calls
// Free. It reports false if ctx ends first.
func (s *Semaphore) Take(ctx context.Context, key string) bool { return s.TakeIn(ctx, 0, key) }

// TakeIn is Take for work of a rank, by its index; the caller then calls FreeIn.
func (s *Semaphore) TakeIn(ctx context.Context, rank int, key string) bool {
	waiting, given := &s.ranks[rank].waiting, make(chan struct{})
	s.mu.Lock()
	waiting.Add(key, given)
	s.give()
	s.mu.Unlock()
	select {
	case <-given:
		return true
	case <-ctx.Done():
	}
	s.mu.Lock()
	withdrawn := waiting.Withdraw(key, given)
	s.mu.Unlock()
	return !withdrawn // the permit may have been given meanwhile
}

// Free returns a permit of the key.
func (s *Semaphore) Free(key string) { s.FreeIn(0, key) }

// FreeIn returns a permit of the key in a rank.
func (s *Semaphore) FreeIn(rank int, key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.ranks[rank]
	s.free++
	r.taken--
	if r.running[key]--; r.running[key] == 0 {
		delete(r.running, key)
	}
	s.give()
}

// give gives the free permits to those whose turn it is. The caller holds mu.
func (s *Semaphore) give() {
	for _, r := range s.ranks {
		for s.free > 0 && r.giveOne() {
			s.free--
		}
	}
}

// giveOne gives a permit to the one whose turn it is in the rank, and reports whether
// there was one.
func (r *rank) giveOne() bool {
	if r.taken >= r.Total {
		return false
	}
	taker := ""
	given, ok := r.waiting.Next(func(key string, _ chan<- struct{}) bool {
		taker = key
		return r.running[key] < r.PerKey
	})
	if !ok {
		return false
	}
	r.taken++
	r.running[taker]++
	close(given)
	return true
}
