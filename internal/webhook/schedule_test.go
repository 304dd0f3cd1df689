package webhook

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestRetryWaits: a wait differs from its step by at most a fifth, unless the
// receiver asks for more, and then is at most twice the step.
func TestRetryWaits(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
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
			t.Errorf("step %v, asked for %v: got %v, want %v to %v", step, asked, got, least, most)
		}
	})
}

// TestJudgeHistories draws answers and the times between them. An event has at most
// ten tries, not counting probes; the breaker opens after exactly ten failures in
// a row; an endpoint is disabled by a 410 or after five days of failures.
func TestJudgeHistories(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
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
			p := judge(endpoint, request{event: event, answer: answer, at: now, probe: probe}, now,
				rapid.Float64Range(0, 1).Draw(t, "chance"))
			attempts++
			if p.FromState != outbox.Pending || p.FromTries != event.Tries || len(p.Log) != min(attempts, maxLog) {
				t.Fatalf("got progress %+v after %d attempts, from %+v", p, attempts, event)
			}
			if answer.Delivered() {
				if p.State != outbox.Delivered || endpoint.Failures != 0 || !endpoint.OpenUntil.IsZero() ||
					!endpoint.FailingSince.IsZero() {
					t.Fatalf("after a success: got %+v and %+v, want no failures", p.Event, endpoint)
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
			if p.Tries != counted || counted > int64(len(steps))+1 ||
				(p.State == outbox.Failed) != (counted == int64(len(steps))+1) {
				t.Fatalf("after %d tries: got %+v", counted, p.Event)
			}
			if p.State == outbox.Pending && !probe && !p.DueAt.After(now) {
				t.Fatalf("after a failure: got %+v, want it due later than %v", p.Event, now)
			}
			wantDisabled := answer.Status == gone || now.Sub(failing) >= patience
			if endpoint.Enabled == wantDisabled {
				t.Fatalf("after status %d, failing for %v: got enabled %v", answer.Status, now.Sub(failing), endpoint.Enabled)
			}
			if wantDisabled {
				return
			}
			if open := endpoint.OpenUntil.After(now); open != (inRow >= breakerFailures) {
				t.Fatalf("after %d failures in a row: got breaker open %v, %+v", inRow, open, endpoint)
			}
			if probe && endpoint.OpenUntil.Sub(now) > 2*lastProbe {
				t.Fatalf("got the next probe in %v, want at most %v", endpoint.OpenUntil.Sub(now), 2*lastProbe)
			}
			if probe && before.Failures+1 != endpoint.Failures {
				t.Fatalf("after a failed probe: got %d failures, want %d", endpoint.Failures, before.Failures+1)
			}
			event = p.Event
			if event.State == outbox.Failed {
				counted, attempts = 0, 0
				event = &Event{State: outbox.Pending, DueAt: now}
			}
		}
	})
}

// FuzzBody checks that every body is valid JSON, whatever texts are in it.
func FuzzBody(f *testing.F) {
	f.Add("Porte fermée", "A-1", uint8(6))
	f.Fuzz(func(t *testing.T, reason, reference string, kind uint8) {
		types := append([]delivery.EventType{EventTest}, delivery.EventTypes...)
		e := &delivery.Event{
			EventID: "e", OrderID: "o", Type: types[int(kind)%len(types)], CreatedAt: testkit.Epoch,
			Facts: delivery.EventFacts{
				FailureReason: reason, Reason: reason, PartnerOrderID: reference, SignatureURL: reference,
			},
		}
		if body := Body(e); !json.Valid(body) {
			t.Errorf("got %q, want valid JSON", body)
		}
	})
}
