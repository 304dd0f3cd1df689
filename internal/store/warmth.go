package store

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/order"
)

// warmth has the pages that the only writer will need read into memory by other
// connections, many at once, while the database is larger than the memory that the
// system has for it. The writer would read them one after the other, and all commands
// would wait. Where a command looks up its keys, its rows are inserted afterwards.
//
// It costs nothing while look-ups are quick. Their time is measured by the writer and,
// while the database is cold, by those who warm it.
type warmth struct {
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
	// warmFor bounds how long a command is warmed before it is queued.
	warmFor = 200 * time.Millisecond
	// warmTogether is how many look-ups of a large command one connection makes.
	warmTogether = 16
)

func newWarmth(path string, f *fitness) *warmth {
	return &warmth{path: path, fitness: f, readers: newConnPool(warmers)}
}

// loaded takes the time that the writer needed for look-ups.
func (w *warmth) loaded(needs *order.Needs, took time.Duration) {
	if w == nil || w.cold.Load() {
		return
	}
	if w.average(lookups(needs), took) > coldFrom {
		w.open()
	}
}

// open marks the database cold. The first time it opens the readers before.
func (w *warmth) open() {
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

func (w *warmth) openReaders() {
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
func (w *warmth) close() error {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	w.opening.Wait()
	return w.readers.close()
}

// average adds the time of some look-ups to the moving average and returns it. Of two
// measurements at the same time one may be lost.
func (w *warmth) average(count int, took time.Duration) time.Duration {
	cost, n := w.cost.Load(), int64(min(count, smoothing))
	if n > 0 {
		cost += (int64(took)/int64(count) - cost) * n / smoothing
		w.cost.Store(cost)
	}
	return time.Duration(cost)
}

func lookups(needs *order.Needs) int {
	return len(needs.Receipts) + len(needs.References) + len(needs.Orders) + len(needs.Products) + len(needs.Proofs)
}

// warm looks up what lies at random places: keys, references, and orders. It does not
// wait longer than warmFor.
func (w *warmth) warm(ctx context.Context, needs *order.Needs) {
	ctx, cancel := context.WithTimeout(ctx, warmFor)
	defer cancel()
	random := order.Needs{Receipts: needs.Receipts, References: needs.References, Orders: needs.Orders}
	if count := lookups(&random); count <= warmTogether {
		w.look(ctx, &random, count)
		return
	}
	var all sync.WaitGroup
	for _, part := range partsOf(&random) {
		all.Go(func() { w.look(ctx, part, lookups(part)) })
	}
	all.Wait()
}

func partsOf(needs *order.Needs) (parts []*order.Needs) {
	for some := range slices.Chunk(needs.Receipts, warmTogether) {
		parts = append(parts, &order.Needs{Receipts: some})
	}
	for some := range slices.Chunk(needs.References, warmTogether) {
		parts = append(parts, &order.Needs{References: some})
	}
	for some := range slices.Chunk(needs.Orders, warmTogether) {
		parts = append(parts, &order.Needs{Orders: some})
	}
	return parts
}

// look makes look-ups on one connection, and measures whether they are still slow. An
// error does not matter: the writer will meet it, too.
func (w *warmth) look(ctx context.Context, needs *order.Needs, count int) {
	if count == 0 {
		return
	}
	_ = w.readers.borrow(ctx, func(c *sqliteConn) error {
		start := time.Now()
		err := c.transact(ctx, "BEGIN", func(c conn) error {
			_, err := readState(ctx, c, needs, false)
			return err
		})
		if err == nil {
			w.looked(count, time.Since(start))
		}
		return err
	})
}

// looked takes the time that look-ups took which warm.
func (w *warmth) looked(count int, took time.Duration) {
	if w.average(count, took) < warmBelow {
		w.cold.Store(false)
	}
}

// orderStore is the store as the order room sees it.
type orderStore struct {
	view[order.Reader, order.Writer]
	warmth  *warmth     // nil if the engine needs none
	grouped *orderReads // nil if reads are not grouped
}

// Cold reports whether Warm is worth its cost.
func (s orderStore) Cold() bool { return s.warmth != nil && s.warmth.cold.Load() }

// Warm reads what a command will look up, so that Load finds it in memory.
func (s orderStore) Warm(ctx context.Context, needs *order.Needs) { s.warmth.warm(ctx, needs) }
