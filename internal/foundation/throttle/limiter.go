package throttle

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"
)

// Limiter limits many keys, each by itself, in bounded memory. It may be used by
// many goroutines.
type Limiter struct {
	rate   Rate
	clock  func() time.Time
	start  time.Time // what all tats count from; it keeps the monotonic clock
	seed   maphash.Seed
	shards [shardCount]shard
}

const (
	shardCount = 64
	// maxKeys bounds one shard: 131,072 keys in all, some 10 MB.
	maxKeys = 2048
	// sampled is how many keys are looked at whenever a key is added, to forget
	// those at rest. With 4, a shard in steady use holds at most a third more keys
	// than are not at rest, and never pauses for a sweep.
	sampled = 4
)

// shard is a part of the keys with a lock of its own, so that goroutines seldom
// wait for each other.
type shard struct {
	mu   sync.Mutex
	tats map[string]time.Duration // see Decide; guarded by mu
	_    [48]byte                 // keeps two shards out of one cache line
}

// New returns a limiter that applies the rate to every key, unless TakeAt names
// another. The clock is read at each use. A clock that is set back does not make
// the limiter admit more.
func New(rate Rate, clock func() time.Time) *Limiter {
	l := &Limiter{rate: rate, clock: clock, start: clock(), seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].tats = map[string]time.Duration{}
	}
	return l
}

// Take counts a request of the key, if it is allowed.
func (l *Limiter) Take(key string) Verdict { return l.TakeAt(key, l.rate) }

// TakeAt is Take for a key with its own rate. Changing a key's rate keeps what
// the key has used.
func (l *Limiter) TakeAt(key string, rate Rate) Verdict { return l.TakeMany(key, rate, 1) }

// TakeMany is TakeAt for a request that counts as n (see DecideMany).
func (l *Limiter) TakeMany(key string, rate Rate, n int64) Verdict {
	if rate.Limit <= 0 {
		return unlimited
	}
	now := l.clock().Sub(l.start)
	s := l.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	tat, known := s.tats[key]
	next, verdict := DecideMany(rate, n, tat, now)
	if !verdict.Allowed {
		return verdict
	}
	if !known {
		s.makeRoom(now)
		key = strings.Clone(key) // the caller's key may be a slice of a whole request
	}
	s.tats[key] = next
	return verdict
}

// Peek returns what Take would, but counts nothing.
func (l *Limiter) Peek(key string) Verdict { return l.PeekAt(key, l.rate) }

// PeekAt returns what TakeAt would, but counts nothing.
func (l *Limiter) PeekAt(key string, rate Rate) Verdict {
	if rate.Limit <= 0 {
		return unlimited
	}
	now := l.clock().Sub(l.start)
	s := l.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	_, verdict := Decide(rate, s.tats[key], now)
	return verdict
}

// RestAt returns when the key will be at rest by what this limiter has counted; the
// zero time if it is.
func (l *Limiter) RestAt(key string) time.Time {
	now := l.clock()
	s := l.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.tats[key] - now.Sub(l.start)
	if left <= 0 {
		return time.Time{}
	}
	return now.Round(0).Add(left) // Round drops the monotonic reading, which means nothing elsewhere
}

// Raise counts what another limiter has counted of the key: it will be at rest at the
// given time, unless this limiter has counted more.
func (l *Limiter) Raise(key string, rest time.Time) {
	now := l.clock()
	left := rest.Sub(now.Round(0))
	if left <= 0 {
		return
	}
	s := l.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	tat, known := s.tats[key]
	if !known {
		s.makeRoom(now.Sub(l.start))
		key = strings.Clone(key)
	}
	s.tats[key] = max(tat, now.Sub(l.start)+left)
}

func (l *Limiter) shard(key string) *shard {
	return &l.shards[maphash.String(l.seed, key)%shardCount]
}

// makeRoom looks at a few keys, which Go's maps yield in random order, and
// forgets those at rest. If the shard is full of keys that are not, it forgets
// the one nearest to rest among them, which then starts afresh: memory stays
// bounded even if an attacker has more addresses than there is room for. The
// caller holds s.mu.
func (s *shard) makeRoom(now time.Duration) {
	looked, nearest, least := 0, "", time.Duration(0)
	for key, tat := range s.tats {
		if tat <= now {
			delete(s.tats, key)
		} else if nearest == "" || tat < least {
			nearest, least = key, tat
		}
		if looked++; looked == sampled {
			break
		}
	}
	if len(s.tats) >= maxKeys {
		delete(s.tats, nearest)
	}
}
