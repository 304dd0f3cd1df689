package webhook

import (
	"time"

	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/outbox"
)

// steps are the waits before each try after the first. An event whose last try
// fails is given up.
var steps = [...]time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
	10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	// jitter is by how much of itself a wait may be longer or shorter, so that
	// what failed together does not come back together.
	jitter = 0.2
	// breakerFailures is after how many failures in a row an endpoint is left
	// alone but for probes.
	breakerFailures = 10
	firstProbe      = 30 * time.Second
	lastProbe       = 15 * time.Minute
	// patience is how long an endpoint may go without a success.
	patience = 5 * 24 * time.Hour
	// maxLog is how many attempts are remembered of one event, the last ones. It
	// has no more unless it is redelivered, or serves as a probe, again and again.
	maxLog = 100
)

// The reasons why the service disables an endpoint.
const (
	reasonGone     = "the endpoint answered 410 Gone"
	reasonPatience = "no delivery has succeeded for five days"
)

// broken tells whether the breaker is open, or waits for a probe to succeed.
func (e *Endpoint) broken() bool { return e.Failures >= breakerFailures }

// request is one attempt to deliver an event, and its outcome.
type request struct {
	event    *Event
	endpoint *Endpoint // as it was when the request was started
	// probe is set if the request tests an endpoint whose breaker was open. A probe
	// that fails does not count as a try of the event: the endpoint failed.
	probe bool

	at     time.Time // when it was posted
	answer Answer
}

// judge decides what an attempt means for its event and the endpoint. chance,
// from 0 to 1, decides the jitter. The endpoint may be nil: it is gone.
func judge(endpoint *Endpoint, r request, now time.Time, chance float64) Progress {
	event := *r.event
	p := Progress{Event: &event, FromState: r.event.State, FromTries: r.event.Tries}
	event.Log = logged(event.Log, r)
	switch {
	case r.answer.Delivered():
		event.State, event.DueAt, event.Tries = outbox.Delivered, time.Time{}, event.Tries+1
		if endpoint != nil {
			endpoint.succeed()
		}
		return p
	case r.event.Damaged:
		// Nobody else's fault, and no better the next time.
		event.State, event.DueAt = outbox.Failed, time.Time{}
		return p
	case r.probe: // and failed: another event has its turn, lest it was this one's fault
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

func logged(log []Attempt, r request) []Attempt {
	attempt := Attempt{At: r.at, Status: r.answer.Status, TookMS: r.answer.Took.Milliseconds(), Error: r.answer.Problem}
	log = append(log[:len(log):len(log)], attempt)
	return log[max(0, len(log)-maxLog):]
}

// wait is a step with its jitter, or what the receiver asks for, up to twice
// the step.
func wait(step, asked time.Duration, chance float64) time.Duration {
	jittered := time.Duration(float64(step) * (1 - jitter + 2*jitter*chance))
	return max(jittered, min(asked, 2*step))
}

func (e *Endpoint) succeed() {
	e.Failures, e.FailingSince, e.OpenUntil = 0, time.Time{}, time.Time{}
}

func (e *Endpoint) fail(r request, now time.Time) {
	if e.FailingSince.IsZero() {
		e.FailingSince = now
	}
	switch {
	case r.answer.Status == gone:
		e.disable(reasonGone)
		return
	case now.Sub(e.FailingSince) >= patience:
		e.disable(reasonPatience)
		return
	}
	// What was under way when the breaker opened fails without meaning anything new.
	if r.probe || !e.broken() {
		e.Failures++
	}
	if e.broken() && (r.probe || e.OpenUntil.IsZero()) {
		probe := min(firstProbe<<min(e.Failures-breakerFailures, 10), lastProbe)
		e.OpenUntil = timestamp.Truncate(now.Add(max(probe, min(r.answer.RetryAfter, 2*probe))))
	}
}

// disable stops sending until the partner enables the endpoint again. Events
// are kept.
func (e *Endpoint) disable(reason string) {
	if e.Enabled {
		e.Enabled, e.DisabledReason = false, reason
	}
}
