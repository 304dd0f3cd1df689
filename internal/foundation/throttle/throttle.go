// Package throttle bounds how often something may happen, per key: requests of
// a partner, failures from an address. It uses the generic cell rate algorithm
// (GCRA), which needs one number per key and no timer.
package throttle

import (
	"math"
	"time"
)

// Rate is how often something may happen: Limit times in each Per on average,
// and up to Burst times at once after a quiet spell. A Limit of 0 is no limit;
// a Burst below 1 counts as 1. Burst*Per/Limit must stay below 290 years, the
// longest time.Duration.
type Rate struct {
	Per   time.Duration
	Limit int
	Burst int
}

// Verdict is the outcome of one try.
type Verdict struct {
	Allowed bool
	// Remaining is how many more are allowed right now.
	Remaining int
	// Reset is how long until a whole burst is allowed again.
	Reset time.Duration
	// RetryAfter is how long until the next one is allowed; 0 when Allowed.
	RetryAfter time.Duration
}

var unlimited = Verdict{Allowed: true, Remaining: math.MaxInt}

// Decide is the algorithm, as a pure function. All times count from one
// arbitrary start.
//
// A key's whole state is its theoretical arrival time, tat: when it would be
// back at rest if everything admitted so far had come evenly spaced, one per
// interval = Per/Limit. At rest means tat <= now. Admitting one moves tat an
// interval ahead, from now at the earliest; it is admitted if tat then is no
// more than burst*interval ahead of now.
//
// So of n admitted within any span t, each moved tat by an interval, from the
// span's start at the earliest to burst*interval past its end at the latest:
// n <= burst + t/interval. The interval is rounded up to a nanosecond, hence a
// rate that does not divide evenly admits a trifle less, never more.
//
// next is the tat to keep; it is the old one unless the try is allowed.
func Decide(rate Rate, tat, now time.Duration) (next time.Duration, verdict Verdict) {
	if rate.Limit <= 0 {
		return tat, unlimited
	}
	interval, tolerance := rate.spacing()
	// A tat further ahead stems from a rate that has since been lowered, or a
	// clock that was set back. Nobody waits longer for that than for one.
	tat = min(max(tat, now), now+tolerance)
	next = tat + interval
	if early := next - now - tolerance; early > 0 {
		return tat, Verdict{Reset: tat - now, RetryAfter: early}
	}
	verdict = Verdict{Allowed: true, Reset: next - now}
	if interval > 0 {
		verdict.Remaining = int((now + tolerance - next) / interval)
	}
	return next, verdict
}

// spacing is the time between two at the average rate, and how far ahead of now
// a tat may be. The rate must have a limit.
func (r Rate) spacing() (interval, tolerance time.Duration) {
	interval = (r.Per + time.Duration(r.Limit) - 1) / time.Duration(r.Limit)
	return interval, time.Duration(max(r.Burst, 1)) * interval
}
