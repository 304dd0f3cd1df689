package partner

import (
	"sync"
	"time"
)

// freshCache holds what is known of partners for keyFreshness. Only partners that exist
// are cached, so that strangers cannot fill it.
type freshCache[V any] struct {
	start time.Time // keeps the monotonic clock

	mu    sync.RWMutex
	known map[string]fresh[V] // by partner id
	// changes counts calls of forget. A look-up during which it grows may have
	// read what was just changed, and must not be kept.
	changes uint64
}

type fresh[V any] struct {
	value V
	until time.Duration // when to look again, since the cache's start
}

// maxFresh bounds the partners of a cache, and so its memory to some 15 MB.
const maxFresh = 1 << 16

func newFreshCache[V any](now time.Time) *freshCache[V] {
	return &freshCache[V]{start: now, known: map[string]fresh[V]{}}
}

// get returns the cached value of a partner, or else what find finds, which it keeps.
// It is called for every signed request: of a cached value it allocates nothing, and
// takes a shared lock.
func (c *freshCache[V]) get(partnerID string, now time.Time, find func() (V, error)) (V, error) {
	c.mu.RLock()
	kept, known := c.known[partnerID]
	changes := c.changes
	c.mu.RUnlock()
	if known && now.Sub(c.start) < kept.until {
		return kept.value, nil
	}
	value, err := find()
	if err == nil {
		c.keep(partnerID, value, now, changes)
	}
	return value, err
}

// keep caches a value that was looked up when the count of changes was as given,
// and that was valid at the given time.
func (c *freshCache[V]) keep(partnerID string, value V, at time.Time, changes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes != changes {
		return
	}
	if _, known := c.known[partnerID]; !known && len(c.known) >= maxFresh {
		for other := range c.known { // any; it is looked up again
			delete(c.known, other)
			break
		}
	}
	c.known[partnerID] = fresh[V]{value, at.Add(keyFreshness).Sub(c.start)}
}

// forget forgets a partner, and everything that is being looked up right now.
func (c *freshCache[V]) forget(partnerID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	delete(c.known, partnerID)
}
