package throttle

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// UsageStore is where nodes keep the usages that they share.
type UsageStore interface {
	// Write runs fn in a transaction. fn may run again after a lost race.
	Write(ctx context.Context, fn func(UsageTx) error) error
}

// UsageTx is one transaction on usages.
type UsageTx interface {
	// Usage reads a key's usage and locks it until the transaction ends.
	Usage(ctx context.Context, key string) (Usage, error)
	SetUsage(ctx context.Context, key string, usage Usage) error
}

const (
	// renewalTimeout bounds how long requests wait for the store.
	renewalTimeout = time.Second
	// maxSharedKeys bounds memory to some 20 MB.
	maxSharedKeys = 1 << 16
)

// Shared is a limiter whose rate holds over all nodes that share a store. It
// leases a few requests at a time from the store. While the store fails, it
// admits what it would admit if there were no other node. It may be used by many
// goroutines.
type Shared struct {
	rate     Rate
	store    UsageStore
	clock    func() time.Time
	log      *slog.Logger
	observer SharedObserver
	// failing is whether the last call of the store failed.
	failing atomic.Bool

	// mu guards keys, the map alone: each sharedKey has a lock of its own. A
	// goroutine never holds both.
	mu   sync.Mutex
	keys map[string]*sharedKey
}

// SharedObserver is called after each call of the store, for metrics, with the
// number of requests that it leased. It must be safe for concurrent use.
type SharedObserver interface {
	Renewed(leased int64, took time.Duration, err error)
}

type unobserved struct{}

func (unobserved) Renewed(int64, time.Duration, error) {}

// NewShared returns a limiter that applies the rate to every key, unless TakeAt
// names another. The nodes' clocks must agree: by as much as they differ, more is
// admitted once. A nil observer observes nothing.
func NewShared(rate Rate, store UsageStore, clock func() time.Time, log *slog.Logger, observer SharedObserver) *Shared {
	if observer == nil {
		observer = unobserved{}
	}
	return &Shared{rate: rate, store: store, clock: clock, log: log, observer: observer, keys: map[string]*sharedKey{}}
}

// Take counts a request of the key, if it is allowed. It may call the store, for
// up to a second; requests of one key share the call.
func (s *Shared) Take(ctx context.Context, key string) Verdict { return s.TakeAt(ctx, key, s.rate) }

// TakeAt is Take for a key with its own rate. Changing a key's rate keeps what
// the key has used, and ends the lease that was taken at the old rate.
func (s *Shared) TakeAt(ctx context.Context, key string, rate Rate) Verdict {
	return s.TakeMany(ctx, key, rate, 1)
}

// TakeMany is TakeAt for a request that counts as n (see DecideMany).
func (s *Shared) TakeMany(ctx context.Context, key string, rate Rate, n int64) Verdict {
	if rate.Limit <= 0 {
		return unlimited
	}
	k := s.key(key, rate)
	k.requests.Add(n)
	defer k.requests.Add(-n)
	for {
		verdict, call, mine := k.take(rate, n, s.now())
		switch {
		case call == nil:
			return verdict
		case mine:
			s.renew(ctx, key, k, call)
		case !call.wait(ctx):
			return k.takeAlone(rate, n, s.now()) // the caller has left, but the request still counts
		}
	}
}

// PeekAt returns whether this node knows that the key's rate is used up. It counts
// nothing and does not call the store; what only the store can decide is allowed.
func (s *Shared) PeekAt(key string, rate Rate) Verdict {
	s.mu.Lock()
	k := s.keys[key]
	s.mu.Unlock()
	if k == nil || rate.Limit <= 0 {
		return unlimited
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.share.peek(rate, k.clock.at(s.now()))
}

func (s *Shared) now() time.Duration { return time.Duration(s.clock().UnixNano()) }

// key returns what this node knows about a key.
func (s *Shared) key(key string, rate Rate) *sharedKey {
	now := int64(s.now())
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.keys[key]
	if k == nil {
		s.makeRoom()
		k = &sharedKey{share: newShare(rate)}
		s.keys[strings.Clone(key)] = k // the caller's key may be a slice of a whole request
	}
	k.used.Store(now)
	return k
}

// makeRoom forgets the least recently used of a few keys if there are too many.
// What that key had leased is charged whole. The caller holds s.mu.
func (s *Shared) makeRoom() {
	if len(s.keys) < maxSharedKeys {
		return
	}
	looked, victim, least := 0, "", int64(0)
	for key, k := range s.keys {
		if used := k.used.Load(); victim == "" || used < least {
			victim, least = key, used
		}
		if looked++; looked == sampled {
			break
		}
	}
	delete(s.keys, victim)
}

// errPanicked is the outcome of a call whose store did not return.
var errPanicked = errors.New("the store panicked")

// renew calls the store. It runs on the goroutine of the request whose take
// began the call, which holds no lock meanwhile.
func (s *Shared) renew(ctx context.Context, key string, k *sharedKey, call *renewal) {
	lease, err := Lease{}, errPanicked
	defer func() { k.finish(call, lease, err, s.now()) }() // also after a panic, for those that wait
	begun := time.Now()                                    // the real clock: it measures work
	lease, err = s.lease(ctx, key, k, call)
	s.observer.Renewed(lease.Size, time.Since(begun), err)
	if failing := err != nil; s.failing.Swap(failing) != failing {
		s.logChange(err)
	}
}

// lease runs Grant in a transaction. It does not end when ctx is cancelled,
// because other requests wait for it too.
func (s *Shared) lease(ctx context.Context, key string, k *sharedKey, call *renewal) (lease Lease, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewalTimeout)
	defer cancel()
	err = s.store.Write(ctx, func(tx UsageTx) error {
		usage, err := tx.Usage(ctx, key)
		if err != nil {
			return err
		}
		var next Usage
		call.demand.Waiting = k.requests.Load() // as late as possible, to include those who came since
		if next, lease = Grant(call.rate, usage, call.account, call.demand, call.begun); next == usage {
			return nil
		}
		return tx.SetUsage(ctx, key, next)
	})
	return lease, err
}

func (s *Shared) logChange(err error) {
	if err != nil {
		s.log.Warn("the database does not answer for rate limits: this node counts alone", "error", err)
		return
	}
	s.log.Info("rate limits are shared again")
}

// sharedKey is a key's share together with the lock that guards it. Every method
// takes the lock and releases it before it returns.
type sharedKey struct {
	used     atomic.Int64 // when the key was last used, for makeRoom
	requests atomic.Int64 // what the requests that are in TakeMany with this key count as

	// mu guards clock, share and call. It is never held during a call of the store.
	mu    sync.Mutex
	clock steadyClock
	share share
	call  *renewal // the call of the store that is under way, or nil
}

// renewal is one call of the store, for all requests of a key that wait for it.
// Only the goroutine that makes the call uses the fields; the others wait for
// done, which is closed at the end of the call.
type renewal struct {
	rate    Rate
	account Account
	demand  Demand
	begun   time.Duration
	done    chan struct{}
}

// wait waits for the end of the call. It reports false if ctx ended first.
func (r *renewal) wait(ctx context.Context) bool {
	select {
	case <-r.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// take decides on a request that counts as n, if the share can. Otherwise it returns the call
// of the store that has to end first. mine is true if the caller has to make
// that call, and false if another request is making it.
func (k *sharedKey) take(rate Rate, n int64, reading time.Duration) (verdict Verdict, call *renewal, mine bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock.at(reading)
	verdict, decided := k.share.take(rate, n, now)
	if decided {
		return verdict, nil, false
	}
	if k.call != nil {
		return Verdict{}, k.call, false
	}
	account, ahead := k.share.startRenewal(rate, now)
	k.call = &renewal{rate: rate, account: account, demand: Demand{Ahead: ahead}, begun: now, done: make(chan struct{})}
	return Verdict{}, k.call, true
}

// finish puts the outcome of the call to use, and wakes the requests that wait
// for it.
func (k *sharedKey) finish(call *renewal, lease Lease, err error, reading time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.clock.at(reading)
	if err != nil {
		k.share.failRenewal(now)
	} else {
		k.share.finishRenewal(call.account, lease, call.demand.Waiting, now)
	}
	k.call = nil
	close(call.done)
}

// takeAlone decides on a request that counts as n by the node's own count.
func (k *sharedKey) takeAlone(rate Rate, n int64, reading time.Duration) Verdict {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.share.takeAlone(rate, n, k.clock.at(reading))
}
