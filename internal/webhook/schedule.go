package webhook

import (
	"time"

	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/outbox"
)

// steps are the waits before the second try of an event and all later ones. An
// event whose last try fails is given up.
var steps = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// jitter is the largest random change to a wait, as a part of it. It spreads
	// the retries of events that have failed together.
	jitter = 0.2
	// breakerFailures is the number of failures in a row that opens the breaker of
	// an endpoint. From then on it gets single requests, the probes.
	breakerFailures = 10
	// firstProbe is the wait before the first probe; each later one is twice as
	// long, up to lastProbe.
	firstProbe = 30 * time.Second
	lastProbe  = 15 * time.Minute
	// patience is how long an endpoint may fail before it is disabled.
	patience = 5 * 24 * time.Hour
	// maxLog is how many attempts an event keeps, the latest ones. Only events that
	// are redelivered, or serve as probes, again and again have more.
	maxLog = 100
)

// The reasons why the service disables an endpoint.
const (
	ReasonGone     = "the endpoint answered 410 Gone"
	ReasonPatience = "no delivery has succeeded for five days"
)

// broken reports whether the breaker is open, or waits for a probe to succeed.
func (e *Endpoint) broken() bool { return e.Failures >= breakerFailures }

// wakeFor sets the time at which the endpoint wakes, if it would be too late for
// an event that is due at the given time. It reports whether it did.
func (e *Endpoint) wakeFor(due time.Time) bool {
	at, sooner := e.Sooner(due)
	if sooner {
		e.WakeAt = at
	}
	return sooner
}

// request is one attempt to deliver an event, and its outcome.
type request struct {
	event    *Event
	endpoint *Endpoint // as it was when the request was started
	// probe is set if the request tests an endpoint whose breaker was open. A probe
	// that fails does not count as a try of the event: the endpoint failed.
	probe bool

	at     time.Time     // when it was posted
	aged   time.Time     // the time by which the endpoint's failures age; zero stands for now
	lasted time.Duration // until the rest of the answer was read, too
	answer Answer
	// unwanted is set if the endpoint does not take events of this type. Then nothing is
	// posted.
	unwanted bool
}

// posted reports whether the request was sent to the endpoint, or is to be.
func (r request) posted() bool { return !r.event.Damaged && !r.unwanted }

// passed reports whether the next event of the order need not wait for the one of the
// request.
func (r request) passed() bool { return r.answer.Delivered() || r.unwanted }

// agedOr returns the time by which the endpoint's failures age.
func (r request) agedOr(now time.Time) time.Time {
	if r.aged.IsZero() {
		return now
	}
	return r.aged
}

// judge returns the new state of a request's event, and updates the endpoint,
// which is nil if it has been removed. chance, from 0 to 1, sets the jitter.
func judge(endpoint *Endpoint, r request, now time.Time, chance float64) Progress {
	event := *r.event
	if endpoint != nil && r.posted() {
		endpoint.Pace = paceAfter(endpoint.Pace, r.lasted)
	}
	p := Progress{Event: &event, FromState: r.event.State, FromTries: r.event.Tries}
	if r.unwanted {
		event.State, event.DueAt = outbox.Skipped, time.Time{}
		return p
	}
	event.Log = logged(event.Log, r)
	switch {
	case r.answer.Delivered():
		event.State, event.DueAt, event.Tries = outbox.Delivered, time.Time{}, event.Tries+1
		if endpoint != nil {
			endpoint.succeed()
		}
		return p
	case r.event.Damaged:
		// The endpoint has not failed, and a retry would not help.
		event.State, event.DueAt = outbox.Failed, time.Time{}
		return p
	case r.probe:
		// It goes behind all others that are due, so that the next probe sends
		// another event: this one may be what the receiver cannot take.
		event.DueAt = now
	case int(event.Tries) == len(steps):
		event.State, event.DueAt, event.Tries = outbox.Failed, time.Time{}, event.Tries+1
	default:
		event.DueAt = timestamp.Truncate(now.Add(wait(steps[event.Tries], r.answer.RetryAfter, chance)))
		event.Tries++
	}
	if endpoint != nil {
		endpoint.fail(r, now)
	}
	return p
}

// logged returns the log with one more attempt.
func logged(log []Attempt, r request) []Attempt {
	attempt := Attempt{At: r.at, Status: r.answer.Status, TookMS: r.answer.Took.Milliseconds(), Error: r.answer.Problem}
	log = append(log[:len(log):len(log)], attempt)
	return log[max(0, len(log)-maxLog):]
}

// wait returns a step with its jitter, or what the receiver has asked for if that
// is longer, but at most twice the step.
func wait(step, asked time.Duration, chance float64) time.Duration {
	jittered := time.Duration(float64(step) * (1 - jitter + 2*jitter*chance))
	return max(jittered, min(asked, 2*step))
}

// succeed notes a success: the breaker closes.
func (e *Endpoint) succeed() {
	e.Failures, e.FailingSince, e.OpenUntil = 0, time.Time{}, time.Time{}
}

// fail notes a failed request. It may open the breaker or disable the endpoint.
func (e *Endpoint) fail(r request, now time.Time) {
	if e.FailingSince.IsZero() {
		e.FailingSince = now
	}
	switch {
	case r.answer.Status == gone:
		e.disable(ReasonGone)
		return
	case r.agedOr(now).Sub(e.FailingSince) >= patience:
		e.disable(ReasonPatience)
		return
	}
	// Requests that were under way when the breaker opened are not counted.
	if r.probe || !e.broken() {
		e.Failures++
	}
	if e.broken() && (r.probe || e.OpenUntil.IsZero()) {
		probe := min(firstProbe<<min(e.Failures-breakerFailures, 10), lastProbe)
		e.OpenUntil = timestamp.Truncate(now.Add(max(probe, min(r.answer.RetryAfter, 2*probe))))
	}
}

// disable stops sending until the partner enables the endpoint again. Its events
// stay pending.
func (e *Endpoint) disable(reason string) {
	if e.Enabled {
		e.Enabled, e.DisabledReason = false, reason
	}
}
