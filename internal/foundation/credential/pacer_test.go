package credential

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// onePermit returns a pacer for one caller at a time, as on a machine with two cores.
func onePermit() *pacer { return &pacer{permits: make(chan struct{}, 1)} }

func TestPacerRestAsLongAsTheWork(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, start := onePermit(), time.Now()
		for i, work := range []time.Duration{30 * time.Millisecond, 50 * time.Millisecond, 0} {
			release, err := p.take(t.Context(), maxWaiting)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := time.Since(start),
				[]time.Duration{0, 60 * time.Millisecond, 160 * time.Millisecond}[i]; got != want {
				t.Errorf("turn %d: got it after %v, want %v", i, got, want)
			}
			time.Sleep(work)
			release()
		}
	})
}

func TestPacerBoundWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := onePermit()
		release, err := p.take(t.Context(), maxWaiting)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		for range maxStrangers {
			go func() { _, _ = p.take(ctx, maxStrangers) }()
		}
		synctest.Wait()
		start := time.Now()
		if _, err := p.take(t.Context(), maxStrangers); !errors.Is(err, errBusy) || time.Since(start) != holdFor {
			t.Errorf("stranger behind %d others: got %v after %v, want %v after %v", maxStrangers, err, time.Since(start),
				errBusy, holdFor)
		}
		ended := make(chan error)
		go func() {
			_, err := p.take(ctx, maxWaiting)
			ended <- err
		}()
		synctest.Wait()
		if got := p.waiting.Load(); got != maxStrangers+1 {
			t.Errorf("got %d waiting, want room for a user behind %d strangers", got, maxStrangers)
		}
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("after the end of the context: got %v, want %v", err, context.Canceled)
		}
		release()
	})
}

// TestPacerHoldsSomeRefusals checks that a flood of refusals takes bounded memory.
func TestPacerHoldsSomeRefusals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := onePermit()
		for range maxHeld {
			go p.hold(t.Context())
		}
		synctest.Wait()
		start := time.Now()
		p.hold(t.Context())
		if took := time.Since(start); took != 0 {
			t.Errorf("behind %d others: got held for %v, want no wait", maxHeld, took)
		}
		time.Sleep(holdFor)
		ended, end := context.WithCancel(t.Context())
		end()
		if p.hold(ended); time.Since(start) != holdFor {
			t.Errorf("with a context that has ended: got held for %v, want no wait", time.Since(start)-holdFor)
		}
	})
}

// TestPacerOfAnyMachine checks that hashing never has more than half of two or more
// processors.
func TestPacerOfAnyMachine(t *testing.T) {
	t.Parallel()
	if got := cap(newPacer().permits); got < 1 || got > maxPermits {
		t.Errorf("got %d slots, want 1 to %d", got, maxPermits)
	}
}
