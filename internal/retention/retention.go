// Package retention lets go of what is kept no longer: orders that ended long
// ago, old events, used idempotency keys. It also gives a partner all of its
// data, and removes what is personal about a recipient.
package retention

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"
)

// KeysKept is how long an idempotency key is remembered; 72 hours are promised.
const KeysKept = 7 * 24 * time.Hour

// Shortest is the least that orders and events may be kept. No order goes
// before the keys that it answers for, nor an event that may still be wanted.
const Shortest = KeysKept

// Policy tells how long things are kept. Zero is for ever.
type Policy struct {
	Orders time.Duration // after an order's last change, if that was its end
	Events time.Duration
}

// Config is what a Service is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Log    *slog.Logger
	Policy Policy
	// Pictures is where the pictures of proofs are kept. Nothing but Sweep and Erase
	// asks for it.
	Pictures Pictures
	// Pause rests between two batches; nil for a rest on the real clock.
	Pause func(ctx context.Context, took time.Duration) error
	// Observer is called after each sweep that Run has begun, for metrics; nil
	// observes nothing.
	Observer Observer
}

// Observer is called with the result of a sweep: what was removed, also when the
// rest failed, and how long it took, pauses included. A sweep that Close has cut
// short is left out.
type Observer interface {
	Swept(removed Removed, took time.Duration, err error)
}

type unobserved struct{}

func (unobserved) Swept(Removed, time.Duration, error) {}

// Service removes what is old, and exports and erases.
type Service struct {
	config  Config
	cancel  context.CancelFunc // nil until Run
	stopped sync.WaitGroup
}

// NewService makes a service that does nothing by itself until Run.
func NewService(config Config) *Service {
	if config.Pause == nil {
		config.Pause = rest
	}
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	return &Service{config: config}
}

// sweepEvery is how often everything is looked through, give or take a fifth,
// so that the nodes of one database drift apart. What is kept for days is not
// missed for an hour, and a sweep reads the whole table of keys.
const sweepEvery = time.Hour

// Run sweeps now and then until Close.
func (s *Service) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.stopped.Go(func() {
		for ctx.Err() == nil {
			s.sweepOnce(ctx)
			_ = sleep(ctx, sweepEvery*4/5+rand.N(sweepEvery*2/5))
		}
	})
}

// Close ends a sweep under way, between two rows if need be, and waits for it.
// The store must still be open.
func (s *Service) Close() {
	if s.cancel != nil {
		s.cancel()
	}
	s.stopped.Wait()
}

func (s *Service) sweepOnce(ctx context.Context) {
	begun := time.Now() // the real clock: it measures work
	removed, err := s.Sweep(ctx)
	if ctx.Err() == nil {
		s.config.Observer.Swept(removed, time.Since(begun), err)
	}
	if err != nil && ctx.Err() == nil {
		s.config.Log.Error("what is old was not removed, trying again later", "error", err)
	}
	if removed != (Removed{}) {
		s.config.Log.Info("removed what is old", "orders", removed.Orders, "events", removed.Events, "idempotency_keys", removed.Keys, "pictures", removed.Pictures)
	}
}

// share is how many times as long as a batch has taken the service then rests.
// So a sweep takes a fifth of the writer's time at most, and whoever waited for
// the writer meanwhile has had it.
const share = 4

func rest(ctx context.Context, took time.Duration) error { return sleep(ctx, share*took) }

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
