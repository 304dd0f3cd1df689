// Package throttle limits how often something may happen, per key: requests of
// a partner, failed logins from an address.
//
// Decide is the arithmetic for one key. Limiter applies it to many keys in the
// memory of one process. Shared applies it to keys whose rate several nodes
// share through a database:
//
//   - Usage and Grant are what the nodes agree on, as pure functions;
//   - share is what one node does with the part of the rate that it has leased;
//   - Shared joins the two: it holds the locks and calls the database.
package throttle

import (
	"math"
	"time"
)

// Rate is how often something may happen: Limit times per Per on average, and
// up to Burst times at one moment after a quiet spell. A Limit of 0 means no
// limit; a Burst below 1 counts as 1. Burst*Per/Limit must stay below 290
// years, the longest time.Duration.
type Rate struct {
	Per   time.Duration
	Limit int
	Burst int
}

// Verdict is the decision on one request.
type Verdict struct {
	Allowed bool
	// Remaining is how many more requests would be allowed right now.
	Remaining int
	// Reset is how long until a whole burst is allowed again.
	Reset time.Duration
	// RetryAfter is how long until the next request is allowed; 0 if this one is.
	RetryAfter time.Duration
}

var unlimited = Verdict{Allowed: true, Remaining: math.MaxInt}

// Decide decides on one request by the generic cell rate algorithm (GCRA). It is
// a pure function. All times count from one arbitrary start.
//
// The whole state of a key is its theoretical arrival time, tat: the time at
// which the key would be at rest again if everything admitted so far had come
// evenly spaced, one request per interval = Per/Limit. At rest means tat <= now.
// Admitting a request moves tat one interval ahead, from now at the earliest.
// The request is admitted if tat is then at most burst*interval ahead of now.
//
// So of n requests admitted within any span t, each moved tat by an interval,
// from the start of the span at the earliest to burst*interval past its end at
// the latest: n <= burst + t/interval. The interval is rounded up to a
// nanosecond; a rate that does not divide evenly admits slightly less, never
// more.
//
// Decide returns the tat to keep, which is the old one unless the request is
// allowed.
func Decide(rate Rate, tat, now time.Duration) (next time.Duration, verdict Verdict) {
	return DecideMany(rate, 1, tat, now)
}

// DecideMany decides on a request that counts as n: all of it is admitted, or
// nothing. Of more than rate.Burst nothing is ever admitted.
func DecideMany(rate Rate, n int64, tat, now time.Duration) (next time.Duration, verdict Verdict) {
	if rate.Limit <= 0 {
		return tat, unlimited
	}
	interval, tolerance := rate.spacing()
	// A tat further ahead comes from a rate that has been lowered since, or from
	// a clock that was set back. The wait for that is cut to one interval.
	tat = min(max(tat, now), now+tolerance)
	next = tat + time.Duration(n)*interval
	if early := next - now - tolerance; early > 0 {
		return tat, Verdict{Reset: tat - now, RetryAfter: early}
	}
	verdict = Verdict{Allowed: true, Reset: next - now}
	if interval > 0 {
		verdict.Remaining = int((now + tolerance - next) / interval)
	}
	return next, verdict
}

// Charge returns the time at which a key will be at rest after one more request,
// which has happened already and so is counted whether or not it would be admitted.
// rest is that time before the request; the zero time is a key that has never been
// used. It is a pure function, for counts that are kept outside of a Limiter.
func Charge(rate Rate, rest, now time.Time) time.Time {
	interval, tolerance := rate.spacing()
	if rest.Before(now) {
		rest = now
	}
	if latest := now.Add(tolerance); rest.Add(interval).After(latest) {
		return latest
	}
	return rest.Add(interval)
}

// spacing returns the time between two requests at the average rate, and how far
// ahead of now a tat may be. The rate must have a limit.
func (r Rate) spacing() (interval, tolerance time.Duration) {
	interval = (r.Per + time.Duration(r.Limit) - 1) / time.Duration(r.Limit)
	return interval, time.Duration(max(r.Burst, 1)) * interval
}
