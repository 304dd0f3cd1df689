package throttle

import "time"

const (
	// alonePause is how long a node admits a key's requests by its own count after
	// the store has failed, before it asks again.
	alonePause = time.Second
	// refusedPause is how long a node does not ask again after the store had less
	// free than requests were waiting. Without it, a key with a high rate would ask
	// for each request, because with such a rate something becomes free every
	// moment.
	refusedPause = 20 * time.Millisecond
	// maxAhead is far above the size of any lease.
	maxAhead = 1 << 20
)

// share is what one node knows and may spend of one key's rate. It is plain
// state: it has no lock, reads no clock and calls no store. A sharedKey guards
// it.
//
// A share is in one of four conditions. It has a lease, and spends it; it counts
// alone, because the store has failed; it knows that the rate is used up, and
// refuses; or only the store can decide, and the lease must be renewed.
type share struct {
	// rate is the rate of the last renewal. It is what spent and extra are charged
	// at, and the only rate that the lease may be spent at.
	rate  Rate
	lease Lease
	spent int64         // requests admitted under the lease
	extra int64         // requests admitted without a lease that no call has accounted for
	last  time.Duration // when the latest of them was admitted
	// tat is the key's tat (see Decide) as far as the node knows it: the store's at
	// the last renewal, and what was admitted here since.
	tat   time.Duration
	ahead int64  // how many requests to lease ahead next
	alone period // in which the node admits by its own count
	pause period // in which the store is not asked, because too little was free
}

func newShare(rate Rate) share { return share{rate: rate, ahead: 1} }

// take decides on a request that counts as n. decided is false if only the store
// can decide: then the lease must be renewed first.
func (s *share) take(rate Rate, n int64, now time.Duration) (verdict Verdict, decided bool) {
	switch {
	case s.rate == rate && s.spent+n <= s.lease.Size && s.lease.period().contains(now):
		return s.spend(n, now), true
	case s.alone.contains(now):
		return s.takeAlone(rate, n, now), true
	}
	_, verdict = DecideMany(rate, n, s.tat, now)
	if verdict.Allowed && s.pause.contains(now) {
		verdict = Verdict{Reset: max(0, s.tat-now), RetryAfter: s.pause.until - now}
	}
	return verdict, !verdict.Allowed
}

// peek decides on one request without counting it. What only the store can decide is
// allowed.
func (s *share) peek(rate Rate, now time.Duration) Verdict {
	if s.rate == rate && s.spent < s.lease.Size && s.lease.period().contains(now) {
		return unlimited
	}
	_, verdict := Decide(rate, s.tat, now)
	return verdict
}

// spend admits a request that counts as n under the lease.
func (s *share) spend(n int64, now time.Duration) Verdict {
	next, verdict := DecideMany(s.rate, n, s.tat, now)
	if !verdict.Allowed { // the lease counts even so; this happens only if clocks differ
		interval, _ := s.rate.spacing()
		next = max(s.tat, now) + time.Duration(n)*interval
	}
	s.spent += n
	s.tat, s.last = next, now
	verdict.Allowed, verdict.RetryAfter = true, 0
	return verdict
}

// takeAlone admits a request that counts as n if the node's own count allows it.
func (s *share) takeAlone(rate Rate, n int64, now time.Duration) Verdict {
	next, verdict := DecideMany(rate, n, s.tat, now)
	if verdict.Allowed {
		s.extra += n
		s.tat, s.last = next, now
	}
	return verdict
}

// startRenewal gives up the lease, from now on at the given rate. It returns the
// account of the lease and how many requests to lease ahead.
func (s *share) startRenewal(rate Rate, now time.Duration) (account Account, ahead int64) {
	interval, _ := s.rate.spacing()
	// Of what was admitted alone, only what is not at rest yet still counts.
	s.extra = min(s.extra, int64(max(0, s.tat-now)/max(interval, 1)))
	account = Account{
		Generation: s.lease.Generation, Leased: s.lease.Size, Spent: s.spent, Extra: s.extra, Interval: interval,
		From: min(s.last, s.tat-time.Duration(s.spent+s.extra)*interval),
	}
	s.ahead = s.nextAhead(rate, now)
	s.rate, s.lease, s.spent = rate, Lease{}, 0
	return account, s.ahead
}

// nextAhead returns how many requests to lease ahead: twice as many as last time
// if the lease was used up before it ended, otherwise as many as were used.
func (s *share) nextAhead(rate Rate, now time.Duration) int64 {
	switch {
	case s.rate != rate:
		return 1
	case s.lease.Size == 0: // nothing was free, so that the use does not show the demand
		return s.ahead
	case s.spent == s.lease.Size && now < s.lease.Until:
		return min(2*s.ahead, maxAhead)
	default:
		return max(1, s.spent)
	}
}

// finishRenewal begins the new lease, for which so many requests were waiting. The
// store has accepted the account.
func (s *share) finishRenewal(account Account, lease Lease, waiting int64, now time.Duration) {
	s.extra -= account.Extra
	s.lease, s.tat = lease, lease.Tat
	s.alone = period{}
	if lease.Size < waiting {
		s.pause = period{now, now + refusedPause}
	}
}

// failRenewal lets the node count alone. Whether the store has granted a lease or
// accepted the account is unknown; what it may have leased, old and new, is left
// to be charged whole.
func (s *share) failRenewal(now time.Duration) { s.alone = period{now, now + alonePause} }

// period is the time from one moment until before another. Its zero value
// contains nothing. It has a beginning because a clock that was set back must
// not make a short pause last for hours.
type period struct{ from, until time.Duration }

func (p period) contains(t time.Duration) bool { return p.from <= t && t < p.until }

// steadyClock smooths the readings of a clock that may be set.
type steadyClock struct{ latest time.Duration }

// at returns the time to use for a reading: the reading, or the latest time if
// the reading is a little earlier. A step back by more than maxSkew is followed,
// because then the clock has been corrected.
func (c *steadyClock) at(reading time.Duration) time.Duration {
	if reading > c.latest || reading < c.latest-maxSkew {
		c.latest = reading
	}
	return c.latest
}
