package throttle

import "time"

// This file is the arithmetic by which nodes share a rate. It is pure: a node
// runs Grant inside a transaction on the key's Usage. All times count from
// 1970, so that nodes agree on them.
//
// A node leases a few requests ahead, admits that many without asking, and at
// its next call accounts for them. What is leased out counts as used when the
// next lease is measured, so that no more is ever out than may be admitted. When
// the node accounts for a lease, what it spent is charged to the key's tat (see
// Decide), and what it did not spend is free again.
//
// A charge leaves a tat that is at least the one the node's own requests lead
// to. Hence, as with one limiter, of n requests admitted within any span t on
// any number of nodes, n <= burst + t/interval. The only error in this direction
// is the difference between the nodes' clocks. A node that dies with a lease
// errs in the other direction: the whole lease is charged.

const (
	// leaseLifetime is how long a lease may be spent.
	leaseLifetime = 2 * time.Second
	// generationSpan is the length of one generation of leases. A lease that has
	// not been accounted for when the generation after the next begins is charged
	// whole: its node is gone, or its key is idle. It must not be shorter than
	// leaseLifetime.
	generationSpan = 2 * time.Second
	// maxSkew is how far apart the nodes' clocks may be. A time that is further in
	// the future than the rate allows plus this much was written by a clock that
	// was wrong, and is cut.
	maxSkew = 10 * time.Second
	// burstShare and freeShare bound what is leased ahead: to a 64th of the burst,
	// because that much is lost when the node dies, and to a quarter of what is
	// free, so that other nodes find some too.
	burstShare, freeShare = 64, 4
)

// Usage is what all nodes together know about one key. The zero value is a key
// at rest.
type Usage struct {
	// Tat includes everything that was accounted for. It is in whole microseconds.
	Tat time.Duration
	// Generation is the number, counted from 1970, of the latest generation in
	// which a lease was granted.
	Generation int64
	// Leased and LeasedBefore are how many requests were leased out in this
	// generation and in the one before it, and are not accounted for.
	Leased, LeasedBefore int64
}

// Account is a node's report on the lease that it has had.
type Account struct {
	Generation int64 // the lease's generation
	Leased     int64 // the lease's size, 0 if the node had none
	Spent      int64 // how many requests were admitted under the lease
	Extra      int64 // how many were admitted without any lease
	// Interval is what each admitted request is charged: the interval of the rate
	// that it was admitted at.
	Interval time.Duration
	// From is a time at which all these requests could have been admitted together
	// and would have led to the same tat: the admission of the last one, or earlier.
	From time.Duration
}

// Demand is how many requests a node asks for.
type Demand struct {
	// Waiting is how many requests wait for the answer. They get all that is free,
	// as they would from one limiter; so those left over are refused for good.
	Waiting int64
	// Ahead is how many requests are likely to come while the lease lasts.
	Ahead int64
}

// Lease is a number of requests that a node may admit without asking.
type Lease struct {
	Generation int64
	Size       int64         // 0 if nothing is free
	Until      time.Duration // when the lease ends
	// Tat is the key's tat with everything charged or leased out, this lease
	// excepted. The node's verdicts count from it.
	Tat time.Duration
}

// period returns when the lease may be spent.
func (l Lease) period() period { return period{l.Until - leaseLifetime, l.Until} }

// Grant settles an account and leases some of the requests asked for. It returns
// the usage to write back.
func Grant(rate Rate, usage Usage, account Account, demand Demand, now time.Duration) (next Usage, lease Lease) {
	interval, tolerance := rate.spacing()
	usage.settle(account)
	usage.advance(interval, now)
	if usage.Tat > now+tolerance+maxSkew {
		usage.Tat = wholeMicros(now + tolerance)
	}
	tat := max(usage.Tat, now) + time.Duration(usage.Leased+usage.LeasedBefore)*interval
	free := int64((now + tolerance - tat) / max(interval, 1))
	ahead := min(demand.Ahead, max(1, free/freeShare), max(1, int64(rate.Burst)/burstShare))
	size := max(0, min(max(demand.Waiting, ahead), free))
	usage.Leased += size
	return usage, Lease{
		Generation: usage.Generation, Size: size, Until: now + leaseLifetime, Tat: min(tat, now+tolerance),
	}
}

// settle charges what a node has admitted, and frees what it has not spent of
// its lease. A lease of an earlier generation has been charged whole already;
// only what was admitted without a lease is added then.
func (l *Usage) settle(account Account) {
	admitted := account.Extra
	switch account.Generation {
	case l.Generation:
		l.Leased = max(0, l.Leased-account.Leased)
		admitted += account.Spent
	case l.Generation - 1:
		l.LeasedBefore = max(0, l.LeasedBefore-account.Leased)
		admitted += account.Spent
	}
	l.charge(account.Interval, admitted, account.From)
}

// advance begins the generation that now is in, if the usage is of an earlier
// one. Leases older than the previous generation have ended, and are charged
// whole as of the latest time at which they could have been spent.
func (l *Usage) advance(interval, now time.Duration) {
	current := int64(now / generationSpan)
	begun := time.Duration(l.Generation) * generationSpan
	switch behind := current - l.Generation; {
	case behind < -int64(maxSkew/generationSpan)-1: // written by a clock that was wrong
		l.charge(interval, l.LeasedBefore+l.Leased, now)
		l.LeasedBefore = 0
	case behind <= 0:
		return
	case behind == 1:
		l.charge(interval, l.LeasedBefore, begun+leaseLifetime)
		l.LeasedBefore = l.Leased
	default:
		l.charge(interval, l.LeasedBefore, begun+leaseLifetime)
		l.charge(interval, l.Leased, begun+generationSpan+leaseLifetime)
		l.LeasedBefore = 0
	}
	l.Leased, l.Generation = 0, current
}

// charge adds n requests that were admitted at the given time or earlier.
func (l *Usage) charge(interval time.Duration, n int64, at time.Duration) {
	if n > 0 {
		l.Tat = wholeMicros(max(l.Tat, at) + time.Duration(n)*interval)
	}
}

// wholeMicros rounds up to the microseconds that a database holds.
func wholeMicros(d time.Duration) time.Duration {
	return (d + time.Microsecond - 1).Truncate(time.Microsecond)
}
