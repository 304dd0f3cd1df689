package partner

import (
	"sync"
	"time"
)

// settingsCache holds the settings of active partners. Only partners that exist are
// cached, so that strangers cannot fill it.
type settingsCache struct {
	start time.Time // keeps the monotonic clock

	mu    sync.RWMutex
	known map[string]keptSettings // by partner id
	// changes counts calls of forget. A look-up during which it grows may have
	// read what was just changed, and must not be kept.
	changes uint64
}

type keptSettings struct {
	Settings
	until time.Duration // when to look again, since the cache's start
}

// maxCachedSettings bounds the cache's memory to some 15 MB.
const maxCachedSettings = 1 << 16

func newSettingsCache(now time.Time) *settingsCache {
	return &settingsCache{start: now, known: map[string]keptSettings{}}
}

// find is called for every signed request: it allocates nothing and takes a shared
// lock.
func (c *settingsCache) find(partnerID string, now time.Time) (Settings, bool) {
	c.mu.RLock()
	kept, known := c.known[partnerID]
	c.mu.RUnlock()
	return kept.Settings, known && now.Sub(c.start) < kept.until
}

func (c *settingsCache) countChanges() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.changes
}

// keep caches settings that were looked up when the count of changes was as given,
// and that were valid at the given time.
func (c *settingsCache) keep(partnerID string, settings Settings, at time.Time, changes uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes != changes {
		return
	}
	if _, known := c.known[partnerID]; !known && len(c.known) >= maxCachedSettings {
		for other := range c.known { // any; it is looked up again
			delete(c.known, other)
			break
		}
	}
	c.known[partnerID] = keptSettings{settings, at.Add(keyFreshness).Sub(c.start)}
}

// forget forgets a partner's settings, and everything that is being looked up
// right now.
func (c *settingsCache) forget(partnerID string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	delete(c.known, partnerID)
}
