package webhook

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/testkit"
	"pgregory.net/rapid"
)

// TestWaitsStayNearTheirStep: at most a fifth off, and with Retry-After never
// more than twice the step.
func TestWaitsStayNearTheirStep(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		step := rapid.SampledFrom(steps[:]).Draw(t, "step")
		asked := time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(t, "asked"))
		chance := rapid.Float64Range(0, 1).Draw(t, "chance")
		got := wait(step, asked, chance)
		least, most := step*8/10-time.Millisecond, step*12/10+time.Millisecond
		switch {
		case asked > most:
			least, most = min(asked, 2*step), min(asked, 2*step)
		case asked > least:
			least = asked
		}
		if got < least || got > most {
			t.Errorf("step %v, asked for %v: waits %v", step, asked, got)
		}
	})
}

// TestAnyHistory: whatever an endpoint answers, and however long it takes, an
// event has at most ten tries that count, probes count none, the breaker opens
// after ten failures in a row and not before, and an endpoint is disabled for
// one of two reasons.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		now := testkit.Epoch
		endpoint := &Endpoint{Enabled: true}
		event := &Event{State: outbox.Pending, DueAt: now}
		inRow, counted, attempts := 0, int64(0), 0
		var failing time.Time
		for range rapid.IntRange(1, 200).Draw(t, "attempts") {
			now = now.Add(time.Duration(rapid.Int64Range(0, int64(20*time.Hour)).Draw(t, "passes")))
			probe := endpoint.broken()
			answer := Answer{
				Status:     rapid.SampledFrom([]int{0, 200, 204, 301, 401, 410, 429, 500, 500, 500, 503}).Draw(t, "status"),
				RetryAfter: time.Duration(rapid.Int64Range(0, int64(48*time.Hour)).Draw(t, "retry after")),
			}
			before := *endpoint
			p := judge(endpoint, request{event: event, answer: answer, at: now, probe: probe}, now, rapid.Float64Range(0, 1).Draw(t, "chance"))
			attempts++
			if p.FromState != outbox.Pending || p.FromTries != event.Tries || len(p.Log) != min(attempts, maxLog) {
				t.Fatalf("progress %+v from %+v", p, event)
			}
			if answer.Delivered() {
				if p.State != outbox.Delivered || endpoint.Failures != 0 || !endpoint.OpenUntil.IsZero() || !endpoint.FailingSince.IsZero() {
					t.Fatalf("a success left %+v and %+v", p.Event, endpoint)
				}
				inRow, counted, failing, attempts = 0, 0, time.Time{}, 0
				event = &Event{State: outbox.Pending, DueAt: now} // the next one
				continue
			}
			if failing.IsZero() {
				failing = now
			}
			if !probe {
				inRow, counted = inRow+1, counted+1
			}
			if p.Tries != counted || counted > int64(len(steps))+1 || (p.State == outbox.Failed) != (counted == int64(len(steps))+1) {
				t.Fatalf("%d tries counted: %+v", counted, p.Event)
			}
			if p.State == outbox.Pending && !probe && !p.DueAt.After(now) {
				t.Fatalf("tried again at once: %+v", p.Event)
			}
			wantDisabled := answer.Status == gone || now.Sub(failing) >= patience
			if endpoint.Enabled == wantDisabled {
				t.Fatalf("enabled %v after %d, failing for %v", endpoint.Enabled, answer.Status, now.Sub(failing))
			}
			if wantDisabled {
				return
			}
			if open := endpoint.OpenUntil.After(now); open != (inRow >= breakerFailures) {
				t.Fatalf("after %d failures in a row: %+v", inRow, endpoint)
			}
			if probe && endpoint.OpenUntil.Sub(now) > 2*lastProbe {
				t.Fatalf("probed in %v", endpoint.OpenUntil.Sub(now))
			}
			if probe && before.Failures+1 != endpoint.Failures {
				t.Fatalf("a failed probe: %d failures, then %d", before.Failures, endpoint.Failures)
			}
			event = p.Event
			if event.State == outbox.Failed {
				counted, attempts = 0, 0
				event = &Event{State: outbox.Pending, DueAt: now}
			}
		}
	})
}

// FuzzBody: an event is valid JSON whatever is in it.
func FuzzBody(f *testing.F) {
	f.Add("Porte fermée", "A-1", uint8(6))
	f.Fuzz(func(t *testing.T, reason, reference string, kind uint8) {
		types := append([]delivery.EventType{EventTest}, delivery.EventTypes...)
		e := &delivery.Event{
			EventID: "e", OrderID: "o", Type: types[int(kind)%len(types)], CreatedAt: testkit.Epoch,
			Facts: delivery.EventFacts{FailureReason: reason, Reason: reason, PartnerOrderID: reference, SignatureURL: reference},
		}
		if body := Body(e); !json.Valid(body) {
			t.Errorf("%s", body)
		}
	})
}
