package db

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// Warmth has the pages that the only writer will need read into memory by other
// connections, many at once, while the database is larger than the memory that the
// system has for it. The writer would read them one after the other, and all commands
// would wait. Where a command looks up its keys, its rows are inserted afterwards.
//
// It costs nothing while look-ups are quick. Their time is measured by the writer and,
// while the database is cold, by those who warm it.
type Warmth struct {
	path    string
	fitness *fitness // asked before the readers are opened
	cold    atomic.Bool
	cost    atomic.Int64 // of a look-up, in nanoseconds: a moving average

	// readers are opened when the database is cold for the first time, and not lent
	// before all are there.
	readers *connPool
	opening sync.WaitGroup

	mu     sync.Mutex
	begun  bool // the readers are being opened, or open; guarded by mu
	ready  bool // there are readers; guarded by mu
	closed bool // guarded by mu
}

const (
	// A look-up takes some 8 µs in memory, and 100 µs and more on a disk. The database
	// is cold from coldFrom on average, until below warmBelow.
	coldFrom  = 50 * time.Microsecond
	warmBelow = 25 * time.Microsecond
	// smoothing is how many look-ups the average goes back. One that was slow for
	// another reason hardly counts.
	smoothing = 512
	// warmers is how many connections warm. Disks read quickest with many requests at
	// once, and waiting for them costs no CPU.
	warmers = 16
)

func newWarmth(path string, f *fitness) *Warmth {
	return &Warmth{path: path, fitness: f, readers: newConnPool(warmers)}
}

// Cold reports whether Look is worth its cost. It is false without a Warmth.
func (w *Warmth) Cold() bool { return w != nil && w.cold.Load() }

// Loaded takes the time that the writer needed for look-ups. It does nothing without a Warmth.
func (w *Warmth) Loaded(lookups int, took time.Duration) {
	if w == nil || w.cold.Load() {
		return
	}
	if w.average(lookups, took) > coldFrom {
		w.open()
	}
}

// open marks the database cold. The first time it opens the readers before.
func (w *Warmth) open() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
	case w.begun:
		w.cold.Store(w.ready)
	default:
		w.begun = true
		w.opening.Go(w.openReaders)
	}
}

func (w *Warmth) openReaders() {
	// Opening a file that is not in its place would make a new one.
	err := w.fitness.unfit()
	for range warmers {
		if err != nil {
			break
		}
		var c *sqliteConn
		if c, err = openSQLiteConn(w.path); err == nil {
			w.readers.add(c)
		}
	}
	if err != nil {
		w.fitness.log.Warn("connections that warm the database not opened", "error", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ready = err == nil
	w.cold.Store(w.ready)
}

// close ends warming and closes the readers.
func (w *Warmth) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.opening.Wait()
	return w.readers.close()
}

// average adds the time of some look-ups to the moving average and returns it. Of two
// measurements at the same time one may be lost.
func (w *Warmth) average(count int, took time.Duration) time.Duration {
	cost, n := w.cost.Load(), int64(min(count, smoothing))
	if n > 0 {
		cost += (int64(took)/int64(count) - cost) * n / smoothing
		w.cost.Store(cost)
	}
	return time.Duration(cost)
}

// Look has read make look-ups on one connection, and measures whether they are still slow.
// An error does not matter: the writer will meet it, too.
func (w *Warmth) Look(ctx context.Context, lookups int, read func(Conn) error) {
	if lookups == 0 {
		return
	}
	_ = w.readers.borrow(ctx, func(c *sqliteConn) error {
		start := time.Now()
		err := c.transact(ctx, "BEGIN", read)
		if err == nil {
			w.looked(lookups, time.Since(start))
		}
		return err
	})
}

// looked takes the time that look-ups took which warm.
func (w *Warmth) looked(count int, took time.Duration) {
	if w.average(count, took) < warmBelow {
		w.cold.Store(false)
	}
}
