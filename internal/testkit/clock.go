package testkit

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Clock is a clock that moves only by its methods.
type Clock struct {
	mu      sync.Mutex // guards the following fields
	now     time.Time
	elapsed time.Duration // since NewClock; setting the clock does not change it
	waiting []waiter
}

// waiter is a channel that waits for a time.
type waiter struct {
	until time.Time
	fire  chan time.Time
}

// NewClock returns a clock that shows the given time.
func NewClock(at time.Time) *Clock { return &Clock{now: at} }

// Now returns the time that the clock shows.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock forward and fires the channels that are due.
func (c *Clock) Advance(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now, c.elapsed = c.now.Add(by), c.elapsed+by
	c.waiting = slices.DeleteFunc(c.waiting, func(w waiter) bool {
		due := !w.until.After(c.now)
		if due {
			w.fire <- c.now
		}
		return due
	})
}

// Set changes the time that the clock shows by so much, back if it is negative, although no
// time passes. As with the timers of a system, channels that wait go on for as long as before.
func (c *Clock) Set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(by)
	for i := range c.waiting {
		c.waiting[i].until = c.waiting[i].until.Add(by)
	}
}

// Elapsed returns how much time has passed by Advance.
func (c *Clock) Elapsed() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.elapsed
}

// At returns a channel that receives the time as soon as the clock shows until or
// later.
func (c *Clock) At(until time.Time) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	fire := make(chan time.Time, 1)
	if !until.After(c.now) {
		fire <- c.now
		return fire
	}
	c.waiting = append(c.waiting, waiter{until, fire})
	return fire
}

// Waiting returns how many channels wait for exactly this time.
func (c *Clock) Waiting(until time.Time) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, w := range c.waiting {
		if w.until.Equal(until) {
			n++
		}
	}
	return n
}

// Random is a source of bytes that are the same in every test run. It is safe for
// concurrent use.
type Random struct {
	mu     sync.Mutex
	source *rand.ChaCha8 // guarded by mu
}

// NewRandom returns a source whose bytes depend on the seed only.
func NewRandom(seed byte) *Random {
	return &Random{source: rand.NewChaCha8([32]byte{seed})}
}

// Read fills p. It never fails.
func (r *Random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}
