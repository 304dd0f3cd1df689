package clock

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// MarkSetting is the setting that holds the mark.
const MarkSetting = "trusted_time"

// Settings is where the mark is kept, which outlives processes and is shared by nodes.
type Settings interface {
	// Setting returns a setting; empty if it was never set.
	Setting(ctx context.Context, name string) (string, error)
	// AddSetting writes a setting unless there is one, and returns the stored value.
	AddSetting(ctx context.Context, name, value string) (string, error)
	// ReplaceSetting writes a setting if it still has the value before.
	ReplaceSetting(ctx context.Context, name, before, value string) (bool, error)
	// Look also returns the time of the database's clock; zero if it has none of its own.
	Look(ctx context.Context) (version int64, clock time.Time, err error)
}

// Doubt says why data does not age by the machine's clock.
type Doubt struct {
	// Off is how far the machine's clock is ahead of the time by which data ages; negative if
	// it is behind.
	Off time.Duration
	// Refused means that an admin has to agree, or the clock has to be set right.
	Refused bool
	// Wait is how long the clock must still go on before data ages by it. 0 if Refused.
	Wait time.Duration
	// Database is how far the machine's clock is ahead of the database's; 0 unless it differs.
	Database time.Duration
}

// String says what is wrong and what to do.
func (d Doubt) String() string {
	off := d.Off.Round(time.Second)
	switch {
	case d.Database != 0:
		return fmt.Sprintf("the clock of this machine differs from the database's by %v: data ages by the earlier one; look at the time services of both", d.Database.Round(time.Second))
	case d.Off < 0:
		return fmt.Sprintf("the clock of this machine is %s behind the latest time in the store: set it right; if it is right, run dropyard clock accept", inDays(-off))
	case d.Refused:
		return fmt.Sprintf("the clock of this machine is %s ahead of the latest time in the store: nothing is removed for its age by it; if it is right, run dropyard clock accept", inDays(off))
	}
	return fmt.Sprintf("the clock of this machine has jumped ahead by %v, or the service was down for so long: nothing is removed for its age by it for another %v",
		off, d.Wait.Round(time.Minute))
}

// inDays returns a duration in days if it is several of them, which reads better than thousands of hours.
func inDays(d time.Duration) string {
	const day = 24 * time.Hour
	if d < 3*day {
		return d.String()
	}
	return fmt.Sprintf("%d days", d/day)
}

// Trust finds the time by which data ages. The machine's clock alone does not say it: a clock
// that is wrong for seconds could have months of data removed. The clock is believed if it
// goes on from the time in the store. After a jump ahead of up to MostJump data ages by it
// an hour later; a longer one an admin must accept. It is safe for concurrent use.
type Trust struct {
	settings Settings
	machine  func() time.Time
	records  func() time.Time // the time of new records
	elapsed  func() time.Duration
	log      *slog.Logger

	mu    sync.Mutex // guards the following fields
	text  string     // of the mark as it was read or written last
	mark  Mark
	mono  time.Duration // by elapsed, at the time of the mark
	doubt *Doubt        // at the last look; nil for none
	since time.Duration // by elapsed, when the jump was seen
	jump  time.Duration // its length; 0 for none
}

// OpenTrust returns the time by which the data in a store ages. last is the last time of
// earlier processes, which counts if the store has no mark; it may be zero. elapsed is a clock
// that is never set; with nil the machine's clock is always believed.
func OpenTrust(ctx context.Context, settings Settings, last time.Time, machine, records func() time.Time,
	elapsed func() time.Duration, log *slog.Logger) (*Trust, error) {
	t := &Trust{settings: settings, machine: machine, records: records, elapsed: elapsed, log: log}
	if elapsed == nil {
		return t, nil
	}
	if last.IsZero() {
		last = whole(machine())
	}
	_, database, err := settings.Look(ctx)
	if err != nil {
		return nil, err
	}
	if !database.IsZero() {
		last = earlier(last, whole(database))
	}
	if _, err := settings.AddSetting(ctx, MarkSetting, Mark{At: last}.String()); err != nil {
		return nil, err
	}
	return t, t.Look(ctx)
}

// whole drops the reading of the clock that is never set, and parts of milliseconds.
func whole(t time.Time) time.Time { return timestamp.Truncate(t.Round(0).UTC()) }

// Look compares the machine's clock with the store's time and the database's clock, and
// writes the time if it is believed. It is to be called once a minute.
func (t *Trust) Look(ctx context.Context) error {
	if t.elapsed == nil {
		return nil
	}
	text, err := t.settings.Setting(ctx, MarkSetting)
	if err != nil {
		return err
	}
	_, database, err := t.settings.Look(ctx)
	if err != nil {
		return err
	}
	before, after := t.judge(text, database)
	if after.String() == before {
		return nil
	}
	// Another node, or an admin, may have written the mark in between: that counts at the next look.
	written, err := t.settings.ReplaceSetting(ctx, MarkSetting, before, after.String())
	if written {
		t.mu.Lock()
		t.text = after.String()
		t.mu.Unlock()
	}
	return err
}

// judge takes over the mark in the store, and returns its text and the mark to be stored.
func (t *Trust) judge(text string, database time.Time) (before string, after Mark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now, mono := whole(t.machine()), t.elapsed()
	if text != t.text {
		t.mark, t.mono, t.text = parseMark(text), mono, text
	}
	expected := whole(t.mark.At.Add(mono - t.mono))
	doubt := t.doubtOf(now.Sub(expected), mono)
	if off := now.Sub(database); !database.IsZero() && off.Abs() > Tolerance {
		t.since = mono
		if doubt == nil {
			doubt = &Doubt{}
		}
		doubt.Database = off
	}
	if doubt == nil {
		t.mark.At = now
	} else {
		t.mark.At = expected
	}
	t.mono = mono
	if written := whole(t.records()); written.Before(expected.Add(-Tolerance)) {
		t.mark.addWrong(written, expected)
	}
	t.report(doubt)
	t.doubt = doubt
	return text, t.mark
}

// doubtOf returns nil if the clock is believed, which is ahead by off. The caller holds mu.
func (t *Trust) doubtOf(off, mono time.Duration) *Doubt {
	switch {
	case off.Abs() <= Tolerance:
		t.jump = 0
		return nil
	case off < 0 || off > MostJump:
		t.jump = 0
		return &Doubt{Off: off, Refused: true}
	case t.jump == 0 || (off-t.jump).Abs() > Tolerance:
		t.jump, t.since = off, mono
	case mono-t.since >= Settling:
		t.jump = 0
		return nil
	}
	return &Doubt{Off: off, Wait: Settling - (mono - t.since)}
}

// report logs when a doubt begins, changes and ends. The caller holds mu.
func (t *Trust) report(doubt *Doubt) {
	switch was := t.doubt; {
	case doubt == nil && was != nil:
		t.log.Info("the machine's clock is believed: data ages by it")
	case doubt != nil && (was == nil || was.Refused != doubt.Refused || (was.Off-doubt.Off).Abs() > Tolerance):
		level := slog.LevelWarn // it passes by itself, and follows each start after some minutes
		if doubt.Refused || doubt.Database != 0 {
			level = slog.LevelError
		}
		t.log.Log(context.Background(), level, "the machine's clock is in doubt", "cause", doubt.String())
	}
}

// Doubt returns why data does not age by the machine's clock; nil if it does.
func (t *Trust) Doubt() *Doubt {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.doubt
}

// Age returns how old data is. It also notices a jump since the last look.
func (t *Trust) Age() Age {
	now := t.machine()
	if t.elapsed == nil {
		return At(now)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now = now.Round(0)
	expected := t.mark.At.Add(t.elapsed() - t.mono)
	if t.doubt != nil || now.Sub(expected) > Tolerance {
		now = earlier(now, expected)
	}
	if t.doubt != nil && t.doubt.Database > 0 {
		now = earlier(now, t.machine().Round(0).Add(-t.doubt.Database))
	}
	return Age{Now: now, KeepUntil: t.mark.KeepUntil, wrong: t.mark.Wrong}
}

// Now returns the time by which data ages.
func (t *Trust) Now() time.Time { return t.Age().Now }

// Examine returns why an admin has to agree before data ages by a machine's clock, given the
// mark in a store; nil if none has to, or there is no mark.
func Examine(text string, machine time.Time) *Doubt {
	mark := parseMark(text)
	off := machine.Sub(mark.At)
	if mark.At.IsZero() || off >= -Tolerance && off <= MostJump {
		return nil
	}
	return &Doubt{Off: off, Refused: true}
}

// Accept agrees with the machine's clock: from now on data ages by it. Idempotency keys, and
// the orders that they answer, stay for at least Promised. It refuses with conflict if the
// database's clock differs.
func Accept(ctx context.Context, settings Settings, machine time.Time) (was time.Time, err error) {
	_, database, err := settings.Look(ctx)
	if err != nil {
		return was, err
	}
	if off := machine.Sub(database); !database.IsZero() && off.Abs() > Tolerance {
		return was, refusal.New(refusal.CodeConflict,
			fmt.Sprintf("the clock of this machine differs from the database's by %v: set both right first",
				off.Round(time.Second)))
	}
	return AcceptUnchecked(ctx, settings, machine)
}

// AcceptUnchecked does the same, but does not compare the database's clock.
func AcceptUnchecked(ctx context.Context, settings Settings, machine time.Time) (was time.Time, err error) {
	now := whole(machine)
	for {
		before, err := settings.AddSetting(ctx, MarkSetting, Mark{At: now}.String())
		if err != nil {
			return was, err
		}
		mark := parseMark(before)
		written, err := settings.ReplaceSetting(ctx, MarkSetting, before, mark.accept(now).String())
		if err != nil || written {
			return mark.At, err
		}
	}
}
