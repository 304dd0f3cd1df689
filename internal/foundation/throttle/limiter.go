package throttle

import (
	"hash/maphash"
	"strings"
	"sync"
	"time"
)

// Limiter holds the state of many keys in bounded memory. It may be used by
// many goroutines.
type Limiter struct {
	rate   Rate
	clock  func() time.Time
	start  time.Time // what the states count from; keeps the monotonic clock
	seed   maphash.Seed
	shards [shardCount]shard
}

const (
	shardCount = 64
	// maxKeys bounds one shard: 131,072 keys in all, some 10 MB.
	maxKeys = 2048
	// sampled is how many keys each new key looks at, to clear those at rest
	// away. With 4, a shard in steady use is at most a third larger than the
	// number of its keys that are not at rest, without any pause for a sweep.
	sampled = 4
)

type shard struct {
	sync.Mutex
	tats map[string]time.Duration // see Decide
	_    [48]byte                 // keeps neighbours out of one cache line
}

// New makes a limiter with a rate for every key that is not given its own. The
// clock is read at each use; one that goes back admits no more than it should.
func New(rate Rate, clock func() time.Time) *Limiter {
	l := &Limiter{rate: rate, clock: clock, start: clock(), seed: maphash.MakeSeed()}
	for i := range l.shards {
		l.shards[i].tats = map[string]time.Duration{}
	}
	return l
}

// Take counts one for the key, if it is allowed.
func (l *Limiter) Take(key string) Verdict { return l.TakeAt(key, l.rate) }

// TakeAt is Take for a key that has a rate of its own. Changing a key's rate
// keeps what it has used.
func (l *Limiter) TakeAt(key string, rate Rate) Verdict {
	if rate.Limit <= 0 {
		return unlimited
	}
	now := l.clock().Sub(l.start)
	s := l.shard(key)
	s.Lock()
	defer s.Unlock()
	tat, known := s.tats[key]
	next, verdict := Decide(rate, tat, now)
	if !verdict.Allowed {
		return verdict
	}
	if !known {
		s.makeRoom(now)
		// A key may be a slice of a whole request.
		key = strings.Clone(key)
	}
	s.tats[key] = next
	return verdict
}

// Peek tells what Take would, without counting anything.
func (l *Limiter) Peek(key string) Verdict {
	if l.rate.Limit <= 0 {
		return unlimited
	}
	now := l.clock().Sub(l.start)
	s := l.shard(key)
	s.Lock()
	defer s.Unlock()
	_, verdict := Decide(l.rate, s.tats[key], now)
	return verdict
}

func (l *Limiter) shard(key string) *shard {
	return &l.shards[maphash.String(l.seed, key)%shardCount]
}

// makeRoom looks at a few keys, which Go's maps give in random order, and
// forgets those at rest. If the shard is full of keys that are not, the one
// nearest to rest among them is forgiven: memory is bounded even when someone
// has more addresses than we have room for.
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
