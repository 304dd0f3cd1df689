package search

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/pace"
)

const (
	// behind is how long an order waits for others that are written with it.
	behind = time.Second
	// again is how long the next try waits after a failed one.
	again = 5 * time.Second
	// rush is how many orders in one time of behind put the index off until there are fewer: filling it costs
	// half of what a creation does. It is put off for patience at the most.
	rush     = 300
	patience = 10 * time.Second
	// atOnce is how many orders one transaction writes: on the embedded database, commits wait for it, some 3 ms.
	atOnce = 50
	// mostWaiting bounds the orders that wait. Those beyond it are found by the next look.
	mostWaiting = 100_000
	// lookEvery is how often each node looks for orders that the index lacks: those of a node that has
	// crashed, or of one of an earlier release.
	lookEvery = 10 * time.Minute
	// overlap is what a look begins before the end of the one before: clocks of nodes differ, and an order
	// is committed seconds after the moment that its id holds.
	overlap = 10 * time.Minute
)

// Config is what a Filler needs.
type Config struct {
	Store Store
	Now   func() time.Time
	At    func(time.Time) <-chan time.Time
	Log   *slog.Logger
}

// Filler writes the words of orders to the index, a second or two after their commits, and during a rush some
// seconds later.
type Filler struct {
	config Config
	cancel context.CancelFunc
	ended  chan struct{}
	woken  chan struct{}

	mu      sync.Mutex
	waiting []Key // guarded by mu
	// missed is set when orders may have been lost from waiting; guarded by mu. A look that was asked for finds
	// them, also after it has failed.
	missed bool
}

// NewFiller returns a filler that does not run yet.
func NewFiller(config Config) *Filler {
	return &Filler{config: config, woken: make(chan struct{}, 1)}
}

// Committed names orders that were created, or whose content was changed. It does not wait.
func (f *Filler) Committed(keys ...Key) {
	if len(keys) == 0 {
		return
	}
	f.mu.Lock()
	if f.waiting = append(f.waiting, keys...); len(f.waiting) > mostWaiting {
		f.waiting, f.missed = f.waiting[:mostWaiting], true
	}
	f.mu.Unlock()
	select {
	case f.woken <- struct{}{}:
	default:
	}
}

// Run fills the index in the background until Close.
func (f *Filler) Run() {
	ctx, cancel := context.WithCancel(context.Background())
	f.cancel, f.ended = cancel, make(chan struct{})
	go func() {
		defer close(f.ended)
		f.run(ctx)
	}()
}

// Close stops Run and waits for it. What still waits is found by a look of the next start. The store must
// still be open.
func (f *Filler) Close() {
	if f.cancel != nil {
		f.cancel()
		<-f.ended
	}
}

func (f *Filler) run(ctx context.Context) {
	look := f.in(behind)
	for {
		select {
		case <-ctx.Done():
			return
		case <-look:
			err := f.Look(ctx)
			f.report(ctx, err)
			if look = f.in(lookEvery); err != nil {
				look = f.in(again)
			}
		case <-f.woken:
			if !f.gather(ctx) {
				return
			}
			for err := f.Fill(ctx); err != nil; err = f.Fill(ctx) {
				f.report(ctx, err)
				if !f.pause(ctx, again) {
					return
				}
			}
		}
		if f.takeMissed() {
			look = f.in(behind)
		}
	}
}

func (f *Filler) in(d time.Duration) <-chan time.Time { return f.config.At(f.config.Now().Add(d)) }

// pause reports whether the time has passed, and false if ctx has ended before.
func (f *Filler) pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-f.in(d):
		return true
	}
}

func (f *Filler) report(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		f.config.Log.Error("searches do not find the newest orders yet, trying again", "error", err)
	}
}

// gather waits for the orders that are written together. It reports false if ctx has ended before.
func (f *Filler) gather(ctx context.Context) bool {
	for waited, before := time.Duration(0), 0; waited < patience; waited += behind {
		if !f.pause(ctx, behind) {
			return false
		}
		now := f.waits()
		if now-before < rush {
			break
		}
		before = now
	}
	return true
}

func (f *Filler) waits() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.waiting)
}

// Fill writes the orders that wait. Between its transactions all others get their turn, so in a rush that does not end
// the index falls behind, and creations do not.
func (f *Filler) Fill(ctx context.Context) error {
	for {
		f.mu.Lock()
		keys := f.waiting[:min(atOnce, len(f.waiting))]
		f.mu.Unlock()
		if len(keys) == 0 {
			return nil
		}
		took, err := f.write(ctx, keys)
		if err != nil {
			return err
		}
		f.mu.Lock()
		left := len(f.waiting) - len(keys)
		if f.waiting = f.waiting[len(keys):]; left == 0 {
			f.waiting = nil
		}
		f.mu.Unlock()
		if left == 0 {
			return nil
		}
		if err := pace.After(ctx, took); err != nil {
			return err
		}
	}
}

// write writes the words of orders, and returns how long the transaction took, without the time for which it waited.
func (f *Filler) write(ctx context.Context, keys []Key) (took time.Duration, err error) {
	var began time.Time
	err = f.config.Store.Write(ctx, func(tx Writer) error {
		began = time.Now()
		return tx.Fill(ctx, keys)
	})
	return time.Since(began), err
}

// takeMissed reports whether orders may have been lost from waiting since it last did.
func (f *Filler) takeMissed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	missed := f.missed
	f.missed = false
	return missed
}

// Look writes the orders that the index lacks, except those that are created meanwhile: Committed names them.
// In a database of an earlier release these are all orders: after each part of the work, all others get their
// turn.
func (f *Filler) Look(ctx context.Context) error {
	began := f.config.Now()
	var until time.Time
	var accounts []string
	err := f.config.Store.Read(ctx, func(tx Reader) (err error) {
		if until, err = tx.FilledUntil(ctx); err != nil {
			return err
		}
		accounts, err = tx.Accounts(ctx)
		return err
	})
	if err != nil {
		return err
	}
	since := time.Time{}
	if !until.IsZero() {
		since = until.Add(-overlap)
	}
	for _, account := range accounts {
		if err := f.lookAt(ctx, account, since, began.Add(behind)); err != nil {
			return err
		}
	}
	if err := f.lookForEdits(ctx, since); err != nil {
		return err
	}
	return f.config.Store.Write(ctx, func(tx Writer) error { return tx.SetFilledUntil(ctx, began) })
}

// lookAt writes the orders of an account that were created in a period and that the index lacks.
func (f *Filler) lookAt(ctx context.Context, account string, since, until time.Time) error {
	after, err := delivery.FirstOrderID(account, since)
	if err != nil {
		return err
	}
	end, err := delivery.FirstOrderID(account, until)
	if err != nil {
		return err
	}
	return f.writeAll(ctx, func(tx Reader) (keys []Key, err error) {
		ids, err := tx.Missing(ctx, account, after, end, atOnce)
		for _, id := range ids {
			keys, after = append(keys, Key{account, id}), id
		}
		return keys, err
	})
}

// lookForEdits writes the orders that were edited since a time.
func (f *Filler) lookForEdits(ctx context.Context, since time.Time) error {
	if since.IsZero() {
		return nil // all were written as they are
	}
	var after Key
	return f.writeAll(ctx, func(tx Reader) (keys []Key, err error) {
		if keys, err = tx.EditedSince(ctx, since, after, atOnce); len(keys) > 0 {
			after = keys[len(keys)-1]
		}
		return keys, err
	})
}

// writeAll writes the orders that next returns, until there are none.
func (f *Filler) writeAll(ctx context.Context, next func(Reader) ([]Key, error)) error {
	for {
		start := time.Now()
		var keys []Key
		err := f.config.Store.Read(ctx, func(tx Reader) (err error) {
			keys, err = next(tx)
			return err
		})
		reading := time.Since(start)
		if err != nil || len(keys) == 0 {
			return err
		}
		took, err := f.write(ctx, keys)
		if err != nil {
			return err
		}
		if err := pace.After(ctx, reading+took); err != nil {
			return err
		}
	}
}
