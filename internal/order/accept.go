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
	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/record"
)

// Acceptor accepts the orders of partners that have automatic acceptance set,
// right after their creation. It holds nothing that could be lost: orders that
// wait are pending in the store, and are found there when a service starts, when
// a setting changes, and every minute in case another node has died.
type Acceptor struct {
	service *Service
	log     *slog.Logger
	cancel  context.CancelFunc
	stopped sync.WaitGroup
	wake    chan struct{} // holds one

	mu      sync.Mutex
	created map[string]bool // partners whose orders may wait; guarded by mu
	all     bool            // the orders of all partners may wait; guarded by mu
}

const (
	// acceptSweep is how often the orders of all partners are looked for.
	acceptSweep = time.Minute
	// settingsLife is how long the list of partners is used before it is read
	// again. A setting that is changed on another node takes effect after this.
	settingsLife = time.Second
	// acceptBatch is how many orders are accepted concurrently.
	acceptBatch = 128
	// acceptRest is the pause after a failure.
	acceptRest = time.Second
)

// NewAcceptor makes an acceptor that does nothing until Run. Create wakes it:
// hand Wake to the service's Config as Created.
func NewAcceptor(log *slog.Logger) *Acceptor {
	return &Acceptor{log: log, wake: make(chan struct{}, 1), created: map[string]bool{}, all: true}
}

// Wake reports that these partners have new orders. It never blocks.
func (a *Acceptor) Wake(partnerIDs ...string) {
	a.mu.Lock()
	for _, id := range partnerIDs {
		a.created[id] = true
	}
	a.mu.Unlock()
	a.nudge()
}

// WakeAll reports that the orders of any partner may wait, as after a change of
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
	default: // it is awake already
	}
}

// take returns the partners whose orders may wait, and empties the list.
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
				_ = pace.Pause(ctx, acceptRest)
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

// Close stops Run and waits for it. The service must not be closed before.
func (a *Acceptor) Close() {
	if a.cancel != nil {
		a.cancel()
	}
	a.stopped.Wait()
}

// settings holds the partners whose orders are accepted, as read at a time.
type settings struct {
	partners []string
	at       time.Time
}

// round accepts the orders that wait now.
func (a *Acceptor) round(ctx context.Context, known *settings) error {
	created, all := a.take()
	if all || time.Since(known.at) > settingsLife {
		before := known.partners
		err := a.service.config.Store.Read(ctx, func(tx Reader) (err error) {
			known.partners, err = tx.AutoAccepting(ctx)
			return err
		})
		if err != nil {
			return err
		}
		known.at = time.Now()
		for _, id := range known.partners {
			if !slices.Contains(before, id) {
				created[id] = true // orders created before the setting was known here
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
		err := a.service.config.Store.Read(ctx, func(tx Reader) (err error) {
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

// accept accepts one order. It is not a failure if another caller was faster.
func (a *Acceptor) accept(ctx context.Context, key OrderKey) error {
	now := a.service.now()
	eventID, err := identifier.NewUUID(a.service.config.Random, now)
	if err != nil {
		return err
	}
	_, err = a.service.settle(ctx, &advanceCommand{
		target:  key,
		version: firstVersion, // no order returns to pending
		encode:  record.Encode,
		step:    step{to: delivery.StatusAccepted, by: delivery.ActorService, at: now, eventID: eventID},
	})
	if refusal.HasCode(err, delivery.CodeInvalidTransition) || refusal.HasCode(err, refusal.CodeNotFound) {
		return nil
	}
	return err
}

// firstVersion is the version of an order while it is pending.
const firstVersion = 1

// eachAtOnce runs fn concurrently for 0 to n-1 and waits for all.
func eachAtOnce(times int, fn func(i int)) {
	var running sync.WaitGroup
	for i := range times {
		running.Go(func() { fn(i) })
	}
	running.Wait()
}
