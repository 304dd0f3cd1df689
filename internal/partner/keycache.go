package partner

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// SigningKey is what verifying a signature needs.
type SigningKey struct {
	KeyID     string
	PartnerID string  // the test account for a test key
	Secret    []byte  // must not be changed
	Scopes    []Scope // likewise; empty for a key that may do everything
	RequireV2 bool    // whether requests must have a signature of version 2

	// freshUntil is when the key has to be looked up again, in nanoseconds
	// since the cache's start.
	freshUntil atomic.Int64
	// usedAt is the last use in Unix milliseconds, 0 before the first.
	usedAt atomic.Int64
	// savedAt is the last use that has been written; Service.tidying guards it.
	savedAt int64
}

func (k *SigningKey) lastUse() time.Time {
	if ms := k.usedAt.Load(); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

const (
	// keyFreshness is how long a cached key is used before it is read again. A key
	// that was revoked on one node stops working on every other within this time;
	// 5 s are promised.
	keyFreshness = 4 * time.Second
	// maxCachedKeys bounds the cache's memory to some 30 MB.
	maxCachedKeys = 1 << 16
	// sampledKeys is how many keys are compared to evict the least used of them.
	sampledKeys = 8
)

// keyCache holds the keys that are in use. Unknown keys are not cached: anyone can
// invent any number of them.
type keyCache struct {
	start time.Time // keeps the monotonic clock

	mu   sync.RWMutex
	keys map[string]*SigningKey // by public key
	// revocations counts calls of revoke. A look-up during which it grows may
	// have read what was just revoked, and must not be kept.
	revocations uint64
	// evicted holds keys whose last use is still to be written.
	evicted []*SigningKey
}

func newKeyCache(now time.Time) *keyCache {
	return &keyCache{start: now, keys: map[string]*SigningKey{}}
}

// find is called for every signed request: it allocates nothing and takes a shared
// lock.
func (c *keyCache) find(publicKey string, now time.Time) *SigningKey {
	c.mu.RLock()
	key := c.keys[publicKey]
	c.mu.RUnlock()
	if key == nil || int64(now.Sub(c.start)) >= key.freshUntil.Load() {
		return nil
	}
	return key
}

func (c *keyCache) countRevocations() uint64 {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.revocations
}

// keep caches a key that was looked up when the count of revocations was as given,
// and that was valid at the given time. It returns the key to use, the same one for
// all requests, so that its uses are counted in one place.
func (c *keyCache) keep(publicKey string, key *SigningKey, at time.Time, revocations uint64) *SigningKey {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.revocations != revocations {
		return key
	}
	if known := c.keys[publicKey]; known != nil {
		key = known // nothing but its revocation can change
	} else {
		c.makeRoom()
		c.keys[publicKey] = key
	}
	key.freshUntil.Store(int64(at.Add(keyFreshness).Sub(c.start)))
	return key
}

// makeRoom evicts the least used of a few keys once the cache is full.
func (c *keyCache) makeRoom() {
	if len(c.keys) < maxCachedKeys {
		return
	}
	var victim string
	looked, least := 0, int64(0)
	for publicKey, key := range c.keys {
		if used := key.usedAt.Load(); victim == "" || used < least {
			victim, least = publicKey, used
		}
		if looked++; looked == sampledKeys {
			break
		}
	}
	c.evicted = append(c.evicted, c.keys[victim])
	delete(c.keys, victim)
}

// revoke forgets a key, and everything that is being looked up right now.
func (c *keyCache) revoke(publicKey string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.revocations++
	delete(c.keys, publicKey)
}

func (c *keyCache) forget(publicKey string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.keys, publicKey)
}

func (c *keyCache) lastUse(publicKey string) time.Time {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if key := c.keys[publicKey]; key != nil {
		return key.lastUse()
	}
	return time.Time{}
}

// unsaved returns the keys whose last use has not been written. The caller holds
// Service.tidying.
func (c *keyCache) unsaved() []*SigningKey {
	c.mu.RLock()
	defer c.mu.RUnlock()
	keys := slices.DeleteFunc(slices.Clone(c.evicted), (*SigningKey).saved)
	for _, key := range c.keys {
		if !key.saved() {
			keys = append(keys, key)
		}
	}
	return keys
}

func (k *SigningKey) saved() bool { return k.usedAt.Load() <= k.savedAt }

// dropSaved removes evicted keys that have nothing left to write.
func (c *keyCache) dropSaved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evicted = slices.DeleteFunc(c.evicted, (*SigningKey).saved)
}
