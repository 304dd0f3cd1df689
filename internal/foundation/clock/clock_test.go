package clock_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// newSteady returns a steady clock for a machine's clock, and its log.
func newSteady() (steady *clock.Steady, machine *testkit.Clock, log *bytes.Buffer) {
	machine, log = testkit.NewClock(testkit.Epoch), &bytes.Buffer{}
	return clock.New(machine.Now, machine.Elapsed, machine.At, slog.New(slog.NewTextHandler(log, nil))), machine, log
}

func TestSteadyClock(t *testing.T) {
	t.Parallel()
	for _, step := range []struct {
		name  string
		set   time.Duration // how far the machine's clock is set, before time passes
		pass  time.Duration
		ahead time.Duration
		log   string // in the line that is logged; empty for none
	}{
		{name: "undisturbed", pass: time.Hour},
		{name: "set forward", set: time.Hour, pass: time.Minute},
		{name: "set back a little", set: -100 * time.Millisecond, ahead: 100 * time.Millisecond},
		{name: "set back", set: -10 * time.Minute, ahead: 10 * time.Minute, log: "level=WARN"},
		{name: "catching up", set: -10 * time.Minute, pass: 4 * time.Minute, ahead: 8 * time.Minute, log: "behind=8m"},
		{name: "caught up", set: -10 * time.Minute, pass: 20 * time.Minute},
		{name: "two days", set: -48 * time.Hour, ahead: 48 * time.Hour, log: "behind=48h"},
		{name: "more than two days", set: -48*time.Hour - time.Second, log: "level=ERROR"},
		{name: "a year", set: -365 * 24 * time.Hour, pass: time.Minute, log: "level=ERROR"},
	} {
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			steady, machine, log := newSteady()
			steady.Now()
			machine.Set(step.set)
			machine.Advance(step.pass)
			if got := steady.Ahead(); got != step.ahead {
				t.Errorf("got %v ahead, want %v", got, step.ahead)
			}
			if got, want := steady.Now(), machine.Now().Add(step.ahead); !got.Equal(want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if !strings.Contains(log.String(), step.log) || step.log == "" && log.Len() > 0 {
				t.Errorf("got the log %q, want %q in it", log, step.log)
			}
		})
	}
}

// TestSteadyClockAscends sets the machine's clock at random, and looks at the time at random
// moments.
func TestSteadyClockAscends(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(rt *rapid.T) {
		steady, machine, _ := newSteady()
		last := steady.Now()
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			machine.Set(time.Duration(rapid.Int64Range(-int64(2*time.Hour), int64(2*time.Hour)).Draw(rt, "set")))
			machine.Advance(time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(rt, "pass")))
			now := steady.Now()
			if now.Before(last) || now.Before(machine.Now()) {
				rt.Fatalf("got %v after %v while the machine's clock shows %v", now, last, machine.Now())
			}
			last = now
		}
	})
}

func TestSteadyClockResumes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ last, want time.Duration }{
		"from before": {-time.Hour, 0}, "from later": {time.Hour, time.Hour}, "from a year later": {365 * 24 * time.Hour, 0},
	} {
		steady, machine, _ := newSteady()
		steady.Resume(machine.Now().Add(c.last))
		if got := steady.Ahead(); got != c.want {
			t.Errorf("%s: got %v ahead, want %v", name, got, c.want)
		}
	}
}

// TestSteadyClockWaits waits for as long as was meant, although the clock was set back.
func TestSteadyClockWaits(t *testing.T) {
	t.Parallel()
	steady, machine, _ := newSteady()
	before := steady.At(steady.Now().Add(time.Minute))
	machine.Set(-time.Hour)
	after := steady.At(steady.Now().Add(time.Minute))
	for name, wait := range map[string]<-chan time.Time{"before": before, "after": after} {
		select {
		case <-wait:
			t.Errorf("the wait from %s is over, want a minute", name)
		default:
		}
	}
	machine.Advance(time.Minute)
	<-before
	<-after
}

// TestSteadyClockReportsOnce sets the clock back once and looks at the time often.
func TestSteadyClockReportsOnce(t *testing.T) {
	t.Parallel()
	steady, machine, log := newSteady()
	machine.Set(-time.Minute)
	steady.Resume(testkit.Epoch)
	for range 200 {
		machine.Advance(time.Second)
		steady.Now()
	}
	if lines := strings.Count(log.String(), "\n"); lines != 2 || !strings.Contains(log.String(), "caught up with") {
		t.Errorf("got %d lines, want one of the step and one of its end:\n%s", lines, log)
	}
}
