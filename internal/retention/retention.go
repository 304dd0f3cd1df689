// Package retention removes data that is no longer kept: orders that ended long
// ago, old events, used idempotency keys. It also exports all data of a partner,
// and erases the personal data of recipients.
package retention

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/clock"
	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// KeysKept is how long an idempotency key is kept. The interface promises 72 hours.
const KeysKept = 7 * 24 * time.Hour

// MessagesKept is how long messages to couriers are kept.
const MessagesKept = 30 * 24 * time.Hour

// Shortest is the shortest time that orders and events may be kept. An order must
// not be removed before its idempotency keys, which it answers, nor an event that
// may still have to be sent.
const Shortest = KeysKept

// Policy holds how long orders and events are kept; zero means for ever.
type Policy struct {
	Orders time.Duration // counted from the change that ended an order
	Events time.Duration // counted from an event's creation
}

// TestsKept is the longest time that the orders and events of test accounts are kept.
const TestsKept = 30 * 24 * time.Hour

// of returns the policy for an account.
func (p Policy) of(partnerID string) Policy {
	if !delivery.IsTest(partnerID) {
		return p
	}
	return Policy{Orders: atMost(p.Orders, TestsKept), Events: atMost(p.Events, TestsKept)}
}

// atMost returns how long is kept, which is not for ever, and at most the given time.
func atMost(kept, most time.Duration) time.Duration {
	if kept == 0 {
		return most
	}
	return min(kept, most)
}

// Config holds what a Service is made of.
type Config struct {
	Store Store
	Now   func() time.Time
	// Aged returns the time by which data ages, which differs from Now while the clock is in
	// doubt; nil stands for one that is not.
	Aged   func() clock.Age
	Random io.Reader // of the audit log's entries; safe for use by many goroutines
	Log    *slog.Logger
	Policy Policy
	// Pictures keeps the pictures of proofs. Only Sweep and Erase use it.
	Pictures Pictures
	// Pause waits between two batches, the first of which took the given time. If it
	// is nil, the service waits in proportion, on the real clock.
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

// note returns an entry of the audit log for something done with a partner's data.
func (s *Service) note(ctx context.Context, action audit.Action, partnerID string, done any) (*audit.Entry, error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, timestamp.Truncate(s.config.Now()), action)
	if err != nil {
		return nil, err
	}
	entry.PartnerID, entry.ObjectID, entry.After = partnerID, partnerID, done
	return entry, nil
}

func (unobserved) Swept(Removed, time.Duration, error) {}

// Service carries out the use cases of retention. It is safe for concurrent use.
type Service struct {
	config  Config
	cancel  context.CancelFunc // nil until Run
	stopped sync.WaitGroup
}

// NewService returns a service, which does nothing by itself until Run.
func NewService(config Config) *Service {
	if config.Pause == nil {
		config.Pause = pace.After
	}
	if config.Aged == nil {
		config.Aged = func() clock.Age { return clock.At(config.Now()) }
	}
	if config.Observer == nil {
		config.Observer = unobserved{}
	}
	return &Service{config: config}
}

// sweepEvery is the time between two sweeps, give or take a fifth, so that the
// nodes of one database do not all sweep at the same time. An hour is short beside
// the days that data is kept, and a sweep is not cheap: it reads the whole table of
// keys.
const sweepEvery = time.Hour

// Run starts sweeping, now and every sweepEvery, until Close. It does not wait.
func (s *Service) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.stopped.Go(func() {
		for ctx.Err() == nil {
			s.sweepOnce(ctx)
			_ = pace.Pause(ctx, sweepEvery*4/5+rand.N(sweepEvery*2/5))
		}
	})
}

// Close stops what Run has started, also in the middle of a sweep, and waits for
// its end. The store must still be open.
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
		s.config.Log.Error("old data was not removed, trying again later", "error", err)
	}
	if removed != (Removed{}) {
		s.config.Log.Info("removed old data", "orders", removed.Orders, "events", removed.Events, "idempotency_keys",
			removed.Keys, "pictures", removed.Pictures)
	}
}
