package clock_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

const day = 24 * time.Hour

// memory holds settings in memory, and a database's clock.
type memory struct {
	settings map[string]string
	database func() time.Time // nil for none
	broken   bool             // writes fail
}

func (m *memory) Setting(_ context.Context, name string) (string, error) {
	return m.settings[name], nil
}

func (m *memory) AddSetting(_ context.Context, name, value string) (string, error) {
	if m.settings[name] == "" {
		m.settings[name] = value
	}
	return m.settings[name], nil
}

func (m *memory) ReplaceSetting(_ context.Context, name, before, value string) (bool, error) {
	if m.broken {
		return false, context.DeadlineExceeded
	}
	if m.settings[name] != before {
		return false, nil
	}
	m.settings[name] = value
	return true, nil
}

func (m *memory) Look(context.Context) (version int64, now time.Time, err error) {
	if m.database != nil {
		now = m.database()
	}
	return 1, now, nil
}

// trusted is a process on a machine, whose store outlives it.
type trusted struct {
	t       testing.TB
	store   *memory
	machine *testkit.Clock
	log     *bytes.Buffer
	*clock.Trust
}

func newTrusted(t testing.TB) *trusted {
	f := &trusted{
		t: t, store: &memory{settings: map[string]string{}}, machine: testkit.NewClock(testkit.Epoch), log: &bytes.Buffer{},
	}
	f.restart()
	return f
}

// restart starts another process, whose clock that is never set begins at zero.
func (f *trusted) restart() {
	f.t.Helper()
	began := f.machine.Elapsed()
	elapsed := func() time.Duration { return f.machine.Elapsed() - began }
	log := slog.New(slog.NewTextHandler(f.log, nil))
	steady := clock.New(f.machine.Now, elapsed, f.machine.At, log)
	trust, err := clock.OpenTrust(f.t.Context(), f.store, time.Time{}, f.machine.Now, steady.Now, elapsed, log)
	if err != nil {
		f.t.Fatal(err)
	}
	f.Trust = trust
}

// run lets time pass, and looks at the clock once a minute.
func (f *trusted) run(passes time.Duration) {
	f.t.Helper()
	for ; passes > 0; passes -= time.Minute {
		f.machine.Advance(min(passes, time.Minute))
		f.look()
	}
}

func (f *trusted) look() {
	f.t.Helper()
	if err := f.Look(f.t.Context()); err != nil {
		f.t.Fatal(err)
	}
}

// check compares the time by which data ages with the machine's.
func (f *trusted) check(when string, want time.Time) {
	f.t.Helper()
	if got := f.Now(); !got.Equal(want) {
		f.t.Errorf("%s: data ages by %v, want %v", when, got, want)
	}
}

// TestTrustAfterJump sets the clock of a running process, and that of one between two starts.
func TestTrustAfterJump(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		set     time.Duration
		hourOff time.Duration // how far data ages behind the machine's clock an hour later
		refused bool
	}{
		{name: "undisturbed"},
		{name: "a minute ahead", set: time.Minute},
		{name: "a day ahead", set: day},
		{name: "96 hours ahead", set: clock.MostJump},
		{name: "60 days ahead", set: 60 * day, hourOff: 60 * day, refused: true},
		{name: "a day behind", set: -day, refused: true},
		{name: "60 days behind", set: -60 * day, refused: true},
	} {
		for _, restarted := range []bool{false, true} {
			f := newTrusted(t)
			f.run(10 * time.Minute)
			f.machine.Set(c.set)
			if restarted {
				f.restart()
			}
			passed := 0 * time.Minute
			if c.set > clock.Tolerance {
				f.check(c.name+", before a look", f.machine.Now().Add(-c.set))
				f.run(59 * time.Minute)
				passed = 59 * time.Minute
				f.check(c.name+", within the hour", f.machine.Now().Add(-c.set))
			}
			f.run(time.Hour + 2*time.Minute - passed)
			f.check(c.name+", after it", f.machine.Now().Add(-c.hourOff))
			if doubt := f.Doubt(); (doubt != nil) != c.refused || doubt != nil && !doubt.Refused {
				t.Errorf("%s: got the doubt %v, want one: %v", c.name, doubt, c.refused)
			}
			if c.refused {
				f.accept()
				f.check(c.name+", accepted", f.machine.Now())
				f.run(time.Minute)
				if age := f.Age(); !age.Keeps() || f.Doubt() != nil {
					t.Errorf("%s: accepted: got keys kept %v and the doubt %v, want true and none", c.name, age.Keeps(), f.Doubt())
				}
				f.run(clock.Promised)
				if f.Age().Keeps() {
					t.Errorf("%s: keys are kept for longer than 72 hours", c.name)
				}
			}
		}
	}
}

func (f *trusted) accept() {
	f.t.Helper()
	if _, err := clock.Accept(f.t.Context(), f.store, f.machine.Now()); err != nil {
		f.t.Fatal(err)
	}
	f.look()
}

// TestTrustTwoWrongStarts starts twice on a clock that is 60 days ahead, and runs for long.
func TestTrustTwoWrongStarts(t *testing.T) {
	t.Parallel()
	f := newTrusted(t)
	f.machine.Set(60 * day)
	for range 3 {
		f.restart()
		f.run(2 * time.Hour)
		f.check("a wrong start", f.machine.Now().Add(-60*day))
	}
	f.machine.Set(-60 * day)
	f.restart()
	f.check("set right", f.machine.Now())
	if f.Doubt() != nil {
		t.Errorf("set right: got the doubt %v, want none", f.Doubt())
	}
	if lines := strings.Count(f.log.String(), "level=ERROR"); lines != 3 {
		t.Errorf("got %d errors in the log, want one for each wrong start:\n%s", lines, f.log)
	}
}

// TestTrustComparesTheDatabase has a database whose clock differs from the machine's.
func TestTrustComparesTheDatabase(t *testing.T) {
	t.Parallel()
	f := newTrusted(t)
	right := testkit.Epoch
	f.store.database = func() time.Time { return right }
	f.machine.Set(day)
	f.look()
	for range 3 {
		f.machine.Advance(time.Hour)
		right = right.Add(time.Hour)
		f.look()
		f.check("while the clocks differ", right)
	}
	if _, err := clock.Accept(t.Context(), f.store, f.machine.Now()); err == nil {
		t.Error("a clock that differs from the database's was accepted")
	}
	f.machine.Set(-day)
	f.look()
	f.check("when they agree", f.machine.Now())
	if f.Doubt() != nil {
		t.Errorf("when they agree: got the doubt %v, want none", f.Doubt())
	}
}

// TestTrustWithoutWrites has a store that cannot be written for hours.
func TestTrustWithoutWrites(t *testing.T) {
	t.Parallel()
	f := newTrusted(t)
	f.store.broken = true
	for range 300 {
		f.machine.Advance(time.Minute)
		_ = f.Look(t.Context()) // its error is that of the store
	}
	f.check("after five hours", f.machine.Now())
	if f.Doubt() != nil {
		t.Errorf("got the doubt %v, want none", f.Doubt())
	}
}

// TestRecordsOfAClockBehind writes records while the clock is a year behind, which is then
// set right: they age from when they were written.
func TestRecordsOfAClockBehind(t *testing.T) {
	t.Parallel()
	f := newTrusted(t)
	f.run(time.Hour)
	f.machine.Set(-365 * day)
	f.restart()
	first := f.machine.Now()
	f.run(90 * time.Minute)
	last := f.machine.Now()
	f.machine.Set(365 * day)
	f.restart()
	age := f.Age()
	for _, written := range []time.Time{first, last} {
		if old := age.Now.Sub(age.Of(written)); old > 2*time.Hour {
			t.Errorf("a record of %v counts as %v old, want at most 2 hours", written, old)
		}
	}
	if !age.Doubtful(f.machine.Now().Add(-7 * day)) {
		t.Error("times of a week ago are not doubtful")
	}
	for _, right := range []time.Time{first.Add(-day), last.Add(day), f.machine.Now()} {
		if got := age.Of(right); !got.Equal(right) {
			t.Errorf("got %v for a record of %v, want the same", got, right)
		}
	}
	f.run(8 * 24 * time.Hour)
	if f.Age().Doubtful(f.machine.Now().Add(-7 * day)) {
		t.Error("times of a week ago are still doubtful a week later")
	}
}

// TestTrustNeverAgesFaster sets the clock at random, never accepts it, and compares how much
// data has aged with how much time has passed, which is too short for a jump to settle. Only
// steps of up to the tolerance may add to it.
func TestTrustNeverAgesFaster(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(rt *rapid.T) {
		f := newTrusted(t)
		began := f.machine.Elapsed()
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			f.machine.Set(time.Duration(rapid.Int64Range(int64(-200*day), int64(200*day)).Draw(rt, "set")))
			if rapid.Bool().Draw(rt, "restart") {
				f.restart()
			}
			// All of them together are shorter than what a jump takes to settle.
			f.run(time.Duration(rapid.Int64Range(0, int64(clock.Settling/12-1)).Draw(rt, "pass")))
			slack := time.Duration(12) * clock.Tolerance
			if aged, passed := f.Now().Sub(testkit.Epoch), f.machine.Elapsed()-began; aged > passed+slack ||
				f.Now().After(f.machine.Now()) {
				rt.Fatalf("data has aged by %v in %v, by the machine's clock it is %v", aged, passed, f.machine.Now())
			}
		}
	})
}

// TestExamine looks at a mark as doctor does.
func TestExamine(t *testing.T) {
	t.Parallel()
	f := newTrusted(t)
	mark := f.store.settings[clock.MarkSetting]
	for off, want := range map[time.Duration]bool{
		0: false, day: false, clock.MostJump: false, 60 * day: true, -day: true,
	} {
		if got := clock.Examine(mark, f.machine.Now().Add(off)); (got != nil) != want {
			t.Errorf("%v off: got %v, want a doubt: %v", off, got, want)
		}
	}
	for _, text := range []string{"", "damaged"} {
		if got := clock.Examine(text, f.machine.Now()); got != nil {
			t.Errorf("mark %q: got %v, want no doubt", text, got)
		}
	}
}

// TestLogOfDoubts: a start after the service was down for some minutes is a warning, because the
// doubt passes by itself. One that an admin has to end is an error.
func TestLogOfDoubts(t *testing.T) {
	t.Parallel()
	for set, want := range map[time.Duration]string{
		30 * time.Minute: "level=WARN", day: "level=WARN", 60 * day: "level=ERROR", -day: "level=ERROR",
	} {
		f := newTrusted(t)
		f.run(10 * time.Minute)
		f.machine.Set(set)
		f.restart()
		f.look()
		var levels []string
		for line := range strings.Lines(f.log.String()) {
			if strings.Contains(line, "the machine's clock is in doubt") {
				levels = append(levels, strings.Fields(line)[1])
			}
		}
		if len(levels) != 1 || levels[0] != want {
			t.Errorf("%v: got the levels %v, want %s once:\n%s", set, levels, want, f.log)
		}
	}
}
