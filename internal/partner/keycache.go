package partner

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// SigningKey is what checks a signature.
type SigningKey struct {
	KeyID     string
	PartnerID string
	Secret    []byte // must not be changed

	// freshUntil is when the key has to be looked up again, in nanoseconds
	// since the cache's start.
	freshUntil atomic.Int64
	// usedAt is the last use in Unix milliseconds, 0 before the first.
	usedAt atomic.Int64
	// savedAt is the last use that the database knows; Service.tidying guards it.
	savedAt int64
}

func (k *SigningKey) lastUse() time.Time {
	if ms := k.usedAt.Load(); ms != 0 {
		return time.UnixMilli(ms).UTC()
	}
	return time.Time{}
}

const (
	// keyFreshness is how long a key is trusted without looking. A key that was
	// revoked on one node stops working within it on every other; 5 s are
	// promised.
	keyFreshness = 4 * time.Second
	// maxCachedKeys bounds the cache's memory to some 30 MB.
	maxCachedKeys = 1 << 16
	// sampledKeys is among how many keys the least used one makes room.
	sampledKeys = 8
)

// keyCache keeps the keys that are in use. Unknown keys are not kept: anyone
// can make up as many as they like.
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

// find is on the way of every signed request: no allocation, one shared lock.
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

// keep takes in a key that was looked up when revocations were so many, and is
// known to have been good at the given time. It gives back the key to use: the
// same one for all, so that its uses gather in one place.
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

// unsaved lists the keys whose last use the database does not know. The caller
// holds Service.tidying.
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

// dropSaved lets go of evicted keys that have nothing left to write.
func (c *keyCache) dropSaved() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.evicted = slices.DeleteFunc(c.evicted, (*SigningKey).saved)
}
