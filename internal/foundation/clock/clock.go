// Package clock gives a service a clock that never goes back, although that of the
// machine may be set back: by a time service, by hand, or with the snapshot of a virtual
// machine. So what sorts by time sorts by the order in which it was made.
package clock

import (
	"log/slog"
	"sync"
	"time"
)

// Furthest is how far a steady clock is ahead of the machine's at most, once that was set
// back. When it would be more, the machine's clock was wrong by days before, or is now, and
// times that are wrong for weeks would do more harm than a wrong order.
const Furthest = 48 * time.Hour

// worthLogging is from how much on it is logged that the clock was set back. Time services
// correct a clock by less all the time.
const worthLogging = time.Second

// Steady shows the time of the machine's clock. If that is set back, it goes on from the
// last time that it has shown, at half the speed, until the machine's clock has caught up:
// after twice the time that it was set back by. It is safe for concurrent use.
type Steady struct {
	machine func() time.Time
	elapsed func() time.Duration
	at      func(time.Time) <-chan time.Time
	log     *slog.Logger

	mu    sync.Mutex    // guards the following fields
	last  time.Time     // the last time that was shown
	mono  time.Duration // by elapsed, at that moment
	ahead time.Duration // last, compared with the machine's clock at that moment; 0 while they agree
	wrong bool          // it was logged that the machine's clock was set back
}

// New returns a steady clock for the clock of a machine. elapsed returns the time since a
// fixed moment by a clock that is never set; nil stands for one on which no time passes.
// at is a function of the machine's clock like At.
func New(
	machine func() time.Time, elapsed func() time.Duration, at func(time.Time) <-chan time.Time, log *slog.Logger,
) *Steady {
	if elapsed == nil {
		elapsed = func() time.Duration { return 0 }
	}
	return &Steady{machine: machine, elapsed: elapsed, at: at, log: log}
}

// Resume sets the clock to the last time that it showed before the process ended, unless
// the machine's clock shows a later one.
func (c *Steady) Resume(last time.Time) {
	c.mu.Lock()
	if last.After(c.last) {
		c.last, c.mono = last, c.elapsed()
	}
	c.mu.Unlock()
	c.Now()
}

// Now returns the time.
func (c *Steady) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, mono := c.machine(), c.elapsed()
	// Round drops the reading of the clock that is never set, by which Before would compare.
	least := c.last.Round(0).Add((mono - c.mono) / 2)
	behind := least.Sub(now.Round(0))
	c.report(behind)
	c.mono = mono
	if behind <= 0 || behind > Furthest {
		c.last, c.ahead = now, 0
	} else {
		c.last, c.ahead = least, behind
	}
	return c.last
}

// report logs when the machine's clock was set back, and when it has caught up. The caller
// holds mu.
func (c *Steady) report(behind time.Duration) {
	switch {
	case behind > Furthest:
		c.log.Error("the machine's clock is so far behind the times of earlier records that new ones do not continue from those: lists sort them before",
			"behind", behind.Round(time.Second))
	case behind > worthLogging && !c.wrong:
		c.wrong = true
		c.log.Warn("the machine's clock is behind the times of earlier records, it was set back: times go on from those at half the speed until it has caught up",
			"behind", behind.Round(time.Second))
	case behind <= 0 && c.wrong:
		c.wrong = false
		c.log.Info("the machine's clock has caught up with the times of earlier records")
	}
}

// Ahead returns how far the clock is ahead of the machine's; 0 unless that was set back.
func (c *Steady) Ahead() time.Duration {
	c.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead
}

// At returns a channel that receives the time after a wait of until - Now. While the clock
// goes at half the speed, it has not reached until by then: a wait is never longer than was
// meant, and callers that wait for a moment look at the clock again.
func (c *Steady) At(until time.Time) <-chan time.Time {
	for {
		from := c.machine()
		fires := c.at(from.Add(until.Sub(c.Now())))
		if !c.machine().Before(from) {
			return fires
		}
		// The clock was set back in between, so that the wait may be as much too long.
	}
}
