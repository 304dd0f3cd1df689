package order

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Acceptor accepts orders of partners that are set to it, right after their
// creation. Nothing is lost with it: what waits is pending in the store, and
// found there when a service starts, when a setting changes, and every minute
// in case another node has gone.
type Acceptor struct {
	service *Service
	log     *slog.Logger
	cancel  context.CancelFunc
	stopped sync.WaitGroup
	wake    chan struct{} // holds one

	mu      sync.Mutex
	created map[string]bool // whose orders may wait; guarded by mu
	all     bool            // everybody's may; guarded by mu
}

const (
	// acceptSweep is how often all partners are looked through.
	acceptSweep = time.Minute
	// settingsLife is how long the list of partners is believed. A setting that
	// is changed on another node counts for new orders after this.
	settingsLife = time.Second
	// acceptBatch is how many orders are accepted at once.
	acceptBatch = 128
	// acceptRest is the pause after a failure.
	acceptRest = time.Second
)

// NewAcceptor makes an acceptor that does nothing until Run. Create wakes it:
// hand Wake to the service's Config as Created.
func NewAcceptor(log *slog.Logger) *Acceptor {
	return &Acceptor{log: log, wake: make(chan struct{}, 1), created: map[string]bool{}, all: true}
}

// Wake tells that these partners have new orders. It never blocks.
func (a *Acceptor) Wake(partnerIDs ...string) {
	a.mu.Lock()
	for _, id := range partnerIDs {
		a.created[id] = true
	}
	a.mu.Unlock()
	a.nudge()
}

// WakeAll tells that any partner's orders may wait, as after a change of
// settings. It never blocks.
func (a *Acceptor) WakeAll() {
	a.mu.Lock()
	a.all = true
	a.mu.Unlock()
	a.nudge()
}

func (a *Acceptor) nudge() {
	select {
	case a.wake <- struct{}{}:
	default: // it is awake
	}
}

// take empties the list of those who may wait.
func (a *Acceptor) take() (created map[string]bool, all bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	created, all = a.created, a.all
	a.created, a.all = map[string]bool{}, false
	return created, all
}

// Run accepts orders through the service until Close.
func (a *Acceptor) Run(service *Service) {
	ctx, cancel := context.WithCancel(context.Background())
	a.service, a.cancel = service, cancel
	a.stopped.Go(func() {
		ticker := time.NewTicker(acceptSweep)
		defer ticker.Stop()
		var known settings
		for ctx.Err() == nil {
			if err := a.round(ctx, &known); err != nil && ctx.Err() == nil {
				a.log.Error("orders were not accepted automatically, trying again", "error", err)
				a.WakeAll()
				select {
				case <-time.After(acceptRest):
				case <-ctx.Done():
				}
			}
			select {
			case <-a.wake:
			case <-ticker.C:
				a.WakeAll()
			case <-ctx.Done():
			}
		}
	})
}

// Close ends what Run does, and waits for it. The service must still be there.
func (a *Acceptor) Close() {
	if a.cancel != nil {
		a.cancel()
	}
	a.stopped.Wait()
}

// settings are the partners whose orders are accepted, as they were at a time.
type settings struct {
	partners []string
	at       time.Time
}

// round accepts what waits now.
func (a *Acceptor) round(ctx context.Context, known *settings) error {
	created, all := a.take()
	if all || time.Since(known.at) > settingsLife {
		before := known.partners
		err := a.service.Store.Read(ctx, func(tx Reader) (err error) {
			known.partners, err = tx.AutoAccepting(ctx)
			return err
		})
		if err != nil {
			return err
		}
		known.at = time.Now()
		for _, id := range known.partners {
			if !slices.Contains(before, id) {
				created[id] = true // what came before its setting was known here
			}
		}
	}
	for _, id := range known.partners {
		if all || created[id] {
			if err := a.acceptAll(ctx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// acceptAll accepts the pending orders of a partner.
func (a *Acceptor) acceptAll(ctx context.Context, partnerID string) error {
	for after := ""; ; {
		var ids []string
		err := a.service.Store.Read(ctx, func(tx Reader) (err error) {
			ids, err = tx.Pending(ctx, partnerID, after, acceptBatch)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		after = ids[len(ids)-1]
		errs := make([]error, len(ids))
		eachAtOnce(len(ids), func(i int) { errs[i] = a.accept(ctx, OrderKey{partnerID, ids[i]}) })
		if err := errors.Join(errs...); err != nil {
			return err
		}
	}
}

// accept moves one order. It is no failure if somebody was faster.
func (a *Acceptor) accept(ctx context.Context, key OrderKey) error {
	now := a.service.now()
	eventID, err := identifier.NewUUID(a.service.Random, now)
	if err != nil {
		return err
	}
	_, err = a.service.settle(ctx, &advanceCommand{
		target:  key,
		version: firstVersion, // no order comes back to pending
		encode:  a.service.Encode,
		step:    step{to: delivery.StatusAccepted, by: delivery.ActorService, at: now, eventID: eventID},
	})
	if refusal.HasCode(err, delivery.CodeInvalidTransition) || refusal.HasCode(err, refusal.CodeNotFound) {
		return nil
	}
	return err
}

// firstVersion is an order's version as long as it is pending.
const firstVersion = 1

// eachAtOnce runs fn for each of so many at once, and waits for all.
func eachAtOnce(times int, fn func(i int)) {
	var running sync.WaitGroup
	for i := range times {
		running.Go(func() { fn(i) })
	}
	running.Wait()
}
