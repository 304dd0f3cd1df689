package throttle

import (
	"cmp"
	"time"
)

// This file is the arithmetic by which nodes share a rate, as pure functions.
// All times count from 1970, so that nodes agree on them.
//
// What is admitted anywhere is charged to one tat per key (see Decide). A node
// leases some requests at a time and later tells how many it has spent. A
// request that is leased out counts as charged when the next lease is measured,
// so that no more is ever out than may be admitted; when the node accounts for
// it, it is charged if it was spent, and forgotten if not.
//
// A charge leaves a tat that is at least what the node's own requests make it.
// Hence, as with one limiter, of n admitted within any span t on any number of
// nodes, n <= burst + t/interval: there is no error but that of the nodes'
// clocks (see TestNodesWithinTheRate). Whoever leases and goes away errs in the
// other direction: what is not accounted for is charged whole.

const (
	// lifetime is how long a lease may be spent.
	lifetime = 2 * time.Second
	// span is how long one generation of leases is. Leases that have not been
	// accounted for when the generation after the next begins are charged whole:
	// their node is gone, or its key is idle. It must not be below lifetime.
	span = 2 * time.Second
	// maxSkew is how far nodes' clocks may be apart. What is further in the
	// future than a rate allows and this much was written by a clock that is
	// wrong, and is cut down.
	maxSkew = 10 * time.Second
	// A lease is at most this share of the burst, because that much is lost when
	// its node goes away; and of what is free, so that others find some too.
	leaseShare, freeShare = 64, 4
)

// Ledger is what all nodes together know of one key. The zero value is a key at
// rest.
type Ledger struct {
	// Tat holds everything that was accounted for, in whole microseconds.
	Tat time.Duration
	// Generation numbers the spans of time since 1970: the last in which there
	// was a lease.
	Generation int64
	// Leased is how many requests were leased out in this generation, and
	// LeasedBefore in the one before, and are not accounted for.
	Leased, LeasedBefore int64
}

// Account is what a node tells of the lease that it has had.
type Account struct {
	Generation int64 // of the lease
	Leased     int64 // its size, 0 if there was none
	Spent      int64 // of it
	Extra      int64 // admitted without any lease
	// Interval is what each of them is charged, which the rate may have had when
	// they were admitted; 0 if the rate has not changed.
	Interval time.Duration
	// From is when all of these could have been admitted at once and left the
	// same tat behind: at the latest when the last of them was.
	From time.Duration
}

// Lease is a number of requests that a node may admit without asking.
type Lease struct {
	Generation int64
	Size       int64         // 0 if nothing is free
	Until      time.Duration // when it ends
	// Known is the tat of everything that is charged or leased out, without this
	// lease. It is what to tell callers.
	Known time.Duration
}

// Grant settles an account and leases up to want requests.
func Grant(rate Rate, ledger Ledger, account Account, want int64, now time.Duration) (next Ledger, lease Lease) {
	interval, tolerance := rate.spacing()
	ledger.settle(cmp.Or(account.Interval, interval), account)
	ledger.advance(interval, now)
	if ledger.Tat > now+tolerance+maxSkew {
		ledger.Tat = wholeMicros(now + tolerance)
	}
	known := max(ledger.Tat, now) + time.Duration(ledger.Leased+ledger.LeasedBefore)*interval
	free := int64((now + tolerance - known) / max(interval, 1))
	size := max(0, min(want, free, max(1, free/freeShare), max(1, int64(rate.Burst)/leaseShare)))
	ledger.Leased += size
	return ledger, Lease{
		Generation: ledger.Generation, Size: size, Until: now + lifetime, Known: min(known, now+tolerance),
	}
}

// settle charges what a node has spent. What of its lease it has not spent is
// free again, unless the lease has been charged whole in the meantime.
func (l *Ledger) settle(interval time.Duration, account Account) {
	charged := account.Extra
	switch account.Generation {
	case l.Generation:
		l.Leased = max(0, l.Leased-account.Leased)
		charged += account.Spent
	case l.Generation - 1:
		l.LeasedBefore = max(0, l.LeasedBefore-account.Leased)
		charged += account.Spent
	}
	l.charge(interval, charged, account.From)
}

// advance begins the generation of now. Leases of generations before the last
// have ended for sure, at the given times at the latest, and are charged whole.
func (l *Ledger) advance(interval, now time.Duration) {
	current := int64(now / span)
	switch ahead := l.Generation - current; {
	case ahead > int64(maxSkew/span)+1: // by a clock that was wrong
		l.charge(interval, l.LeasedBefore+l.Leased, now)
		l.LeasedBefore = 0
	case ahead >= 0:
		return
	default:
		begun := time.Duration(l.Generation) * span
		l.charge(interval, l.LeasedBefore, begun+lifetime)
		l.LeasedBefore = l.Leased
		if ahead < -1 {
			l.charge(interval, l.Leased, begun+span+lifetime)
			l.LeasedBefore = 0
		}
	}
	l.Leased, l.Generation = 0, current
}

// charge counts n that were admitted at the given time or before.
func (l *Ledger) charge(interval time.Duration, n int64, at time.Duration) {
	if n > 0 {
		l.Tat = wholeMicros(max(l.Tat, at) + time.Duration(n)*interval)
	}
}

// wholeMicros rounds up to what a database keeps.
func wholeMicros(d time.Duration) time.Duration {
	return (d + time.Microsecond - 1).Truncate(time.Microsecond)
}
