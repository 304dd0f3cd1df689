package throttle

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// sharedKey is what this node knows of one key.
type sharedKey struct {
	used atomic.Int64 // the last use, for making room

	mu   sync.Mutex // guards everything below; not held while the store is asked
	rate Rate       // of the last request
	// counted is the rate that what was spent, or admitted alone, was admitted at.
	counted Rate
	// known is the tat as far as it is known here: what the store last told, and
	// what was admitted here since.
	known time.Duration
	now   time.Duration // the latest time seen
	lease Lease
	spent int64         // of the lease
	extra int64         // admitted without a lease, and not accounted for
	last  time.Duration // when the last one was admitted
	want  int64         // how many to lease next
	// waiting is how many requests wait for a lease.
	waiting int64
	// asking is closed when the store has answered; nil if it is not being asked.
	asking     chan struct{}
	retryAt    time.Duration // not to ask before
	aloneUntil time.Duration // not to ask before, and to admit alone
}

// goBy notes the key's rate. A lease of another is not spent any further: it may
// be larger than all that is allowed now.
func (k *sharedKey) goBy(rate Rate) {
	if k.rate != rate {
		k.rate, k.lease.Until, k.want = rate, 0, 1
	}
}

// at is the time to go by. It does not go back, unless by so much that the
// clock must have been set.
func (k *sharedKey) at(now time.Duration) time.Duration {
	if now > k.now || now < k.now-maxSkew {
		k.now = now
	}
	return k.now
}

// decide decides without the store, if that can be.
func (k *sharedKey) decide(rate Rate, now time.Duration) (verdict Verdict, decided bool) {
	if k.spent < k.lease.Size && now < k.lease.Until && now >= k.lease.Until-lifetime {
		k.spent++
		return k.admit(rate, now), true
	}
	if now < k.aloneUntil && now >= k.aloneUntil-alonePause {
		return k.admitAlone(rate, now), true
	}
	_, verdict = Decide(rate, k.known, now)
	if verdict.Allowed && now < k.retryAt && now >= k.retryAt-refusedPause {
		verdict = Verdict{Reset: max(0, k.known-now), RetryAfter: k.retryAt - now}
	}
	return verdict, !verdict.Allowed
}

// admit notes one that a lease covers.
func (k *sharedKey) admit(rate Rate, now time.Duration) Verdict {
	k.last = now
	next, verdict := Decide(rate, k.known, now)
	if !verdict.Allowed { // only if clocks differ
		interval, _ := rate.spacing()
		next = max(k.known, now) + interval
	}
	k.known = next
	verdict.Allowed, verdict.RetryAfter = true, 0
	return verdict
}

// admitAlone admits one if this node's own count allows it.
func (k *sharedKey) admitAlone(rate Rate, now time.Duration) Verdict {
	next, verdict := Decide(rate, k.known, now)
	if verdict.Allowed {
		k.known, k.last = next, now
		k.extra++
	}
	return verdict
}

// wait waits until the store has answered another request of the key. It is
// false if ctx ended first.
func (k *sharedKey) wait(ctx context.Context) (answered bool) {
	asking := k.asking
	k.mu.Unlock()
	defer k.mu.Lock()
	select {
	case <-asking:
		return true
	case <-ctx.Done():
		return false
	}
}
