package turns

import (
	"context"
	"sync"
)

// Slots lets a few pieces of work run at a time, and for each key fewer. Those that
// wait take turns by key. It may be used by many goroutines.
type Slots struct {
	perKey int

	mu      sync.Mutex
	free    int                    // guarded by mu
	running map[string]int         // by key, without zeros; guarded by mu
	waiting Queue[chan<- struct{}] // each is closed when its slot is given; guarded by mu
}

// NewSlots returns so many slots, of which one key has perKey at most.
func NewSlots(total, perKey int) *Slots {
	return &Slots{perKey: perKey, free: total, running: map[string]int{}}
}

// Take waits for a slot and reports true when it has one; the caller then calls
// Free. It reports false if ctx ends first.
func (s *Slots) Take(ctx context.Context, key string) bool {
	given := make(chan struct{})
	s.mu.Lock()
	s.waiting.Add(key, given)
	s.give()
	s.mu.Unlock()
	select {
	case <-given:
		return true
	case <-ctx.Done():
	}
	s.mu.Lock()
	withdrawn := s.waiting.Withdraw(key, given)
	s.mu.Unlock()
	return !withdrawn // the slot may have been given meanwhile
}

// Free returns a slot of the key.
func (s *Slots) Free(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free++
	if s.running[key]--; s.running[key] == 0 {
		delete(s.running, key)
	}
	s.give()
}

// give gives the free slots to those whose turn it is. The caller holds mu.
func (s *Slots) give() {
	for s.free > 0 {
		taker := ""
		given, ok := s.waiting.Next(func(key string, _ chan<- struct{}) bool {
			taker = key
			return s.running[key] < s.perKey
		})
		if !ok {
			return
		}
		s.free--
		s.running[taker]++
		close(given)
	}
}
