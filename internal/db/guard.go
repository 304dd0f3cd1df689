package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// guard is an engine that refuses transactions with refusal.ErrDown while the database
// is known to be down, so that callers get their answer immediately instead of each
// waiting for a timeout. Reading and writing are judged separately: a database on a
// full disk can still be read.
//
// The prober starts when a transaction cannot reach the database or, on a shared
// engine, takes longer than suspectAfter. It tries to read and to write until both
// succeed. A side that has failed for downAfter without one success is down until the
// first success. So a slow transaction is not taken for a database that is down, and no
// caller has to wait to find out whether it is back.
//
// A transaction that finds no room on the disk fails immediately, whatever the probes do: a
// small one may succeed where an order does not. Later ones are still tried, which costs
// little, and notices room as soon as there is some. That the disk is full is known until
// the prober has proven that there is room.
type guard struct {
	engine
	reads, writes side
	full          atomic.Int64                // when a transaction last found no room, see sinceLoaded; 0 if there is room
	report        atomic.Pointer[func(error)] // see Database.Report
	traces        traces
	before        atomic.Pointer[func(context.Context) error] // see Database.BeforeWrites

	mu       sync.Mutex
	probing  bool               // whether the prober runs; guarded by mu
	closed   bool               // whether it may no longer start; guarded by mu
	endProbe context.CancelFunc // ends the prober; guarded by mu
	done     sync.WaitGroup
}

const (
	// suspectAfter is how long a transaction on a shared engine may take before the
	// prober looks whether the database answers at all.
	suspectAfter = time.Second
	// probeEvery is the pause between two probes, and probeTime limits each.
	probeEvery = 500 * time.Millisecond
	probeTime  = 2 * time.Second
	// downAfter is longer than a database usually needs to fail over or to restart,
	// so that commands that can wait are settled afterwards.
	downAfter = 5 * time.Second
	// aloneDownAfter is the same for an engine that is not shared. Nothing takes over from
	// it, and its errors are those of the disk. Two probes in a row have failed then.
	aloneDownAfter = probeEvery
	// fullFor is how long the disk counts as full at least, so that one on which some
	// transactions find room, and others do not, is not reported again each time.
	fullFor = 2 * time.Second
)

func guarded(e engine) *guard {
	g := &guard{engine: e, endProbe: func() {}}
	g.reads.downAfter, g.writes.downAfter = downAfter, downAfter
	if !e.shared() {
		g.reads.downAfter, g.writes.downAfter = aloneDownAfter, aloneDownAfter
	}
	return g
}

// Close stops the prober and closes the engine.
func (g *guard) Close() error {
	g.mu.Lock()
	g.closed = true
	g.endProbe()
	g.mu.Unlock()
	g.done.Wait()
	return g.engine.Close()
}

func (g *guard) read(ctx context.Context, fn func(Conn) error) error {
	return g.reading(ctx, func(ctx context.Context) error { return g.engine.read(ctx, fn) })
}

func (g *guard) readOnce(ctx context.Context, fn func(Conn) error) error {
	return g.reading(ctx, func(ctx context.Context) error { return g.engine.readOnce(ctx, fn) })
}

func (g *guard) reading(ctx context.Context, run func(context.Context) error) error {
	ctx, span := g.traces.start(ctx, "read transaction")
	err := g.transact(ctx, &g.reads, run)
	ended(span, err)
	return err
}

func (g *guard) write(ctx context.Context, fn func(Conn) error) error {
	ctx, span := g.traces.start(ctx, "write transaction")
	err := g.transact(ctx, &g.writes, func(ctx context.Context) error {
		if before := g.before.Load(); before != nil {
			if err := (*before)(ctx); err != nil {
				return err
			}
		}
		return g.engine.write(ctx, fn)
	})
	ended(span, err)
	return err
}

func (g *guard) transact(ctx context.Context, s *side, run func(context.Context) error) (err error) {
	if s.down.Load() {
		return refusal.ErrDown
	}
	start := time.Now()
	if g.shared() {
		err = g.watch(ctx, s, run)
	} else {
		err = run(ctx)
	}
	switch {
	case err == nil:
		s.last.Store(sinceLoaded())
		// On the embedded engine a transaction that writes nothing succeeds on a full
		// disk, too. There only a probe proves that it has room again.
		if g.shared() && s.failing.Load() {
			s.succeeded()
			g.tell(nil)
		}
	case errors.Is(err, refusal.ErrUnreachable) && !errors.Is(err, refusal.ErrDown):
		g.noteFull(err)
		s.failed(start)
		g.tell(err)
		g.suspect()
	}
	return err
}

// watch runs a transaction, which is cancelled when its side is found to be down.
func (g *guard) watch(ctx context.Context, s *side, run func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	slow := &slowTransaction{cancel: cancel}
	timer := time.AfterFunc(suspectAfter, func() {
		s.add(slow)
		g.suspect()
	})
	err := run(ctx)
	if !timer.Stop() {
		s.drop(slow)
	}
	if err != nil && errors.Is(context.Cause(ctx), refusal.ErrDown) {
		return fmt.Errorf("%w: %w", refusal.ErrDown, err)
	}
	return err
}

// tell reports a failure, or with nil that both sides work.
func (g *guard) tell(err error) {
	if report := g.report.Load(); report != nil && (err != nil || !g.failing()) {
		(*report)(err)
	}
}

func (g *guard) failing() bool {
	return g.reads.failing.Load() || g.writes.failing.Load() || g.full.Load() != 0
}

// noteFull notes whether an error means that the disk is full.
func (g *guard) noteFull(err error) {
	if errors.Is(err, refusal.ErrFull) {
		g.full.Store(sinceLoaded())
	}
}

// proveRoom ends a full disk once there is room again and fullFor has passed. It returns an
// error as long as the disk counts as full.
func (g *guard) proveRoom(ctx context.Context) error {
	at := g.full.Load()
	if at == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	if err := g.room(ctx); err != nil {
		return err
	}
	// A transaction may have found no room meanwhile.
	if sinceLoaded()-at < int64(fullFor) || !g.full.CompareAndSwap(at, 0) {
		return refusal.ErrFull
	}
	return nil
}

// suspect starts the prober unless it runs.
func (g *guard) suspect() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.probing || g.closed {
		return
	}
	g.probing = true
	ctx, end := context.WithCancel(context.Background())
	g.endProbe = end
	g.done.Go(func() {
		defer end()
		g.probe(ctx)
	})
}

// probe tries to read and to write until both succeed, and there is room.
func (g *guard) probe(ctx context.Context) {
	for {
		err := g.try(ctx, &g.reads, false)
		if err == nil {
			err = g.try(ctx, &g.writes, true)
		} else {
			g.writes.failed(time.Now()) // what cannot be read cannot be written
		}
		if err == nil {
			err = g.proveRoom(ctx)
		}
		g.tell(err)
		if g.ended() || pace.Pause(ctx, probeEvery) != nil {
			return
		}
	}
}

// try probes one side. An error with which the database answers, such as that of a
// missing table, does not mean that it is down.
func (g *guard) try(ctx context.Context, s *side, write bool) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	start := time.Now()
	err := g.ping(ctx, write)
	g.noteFull(err)
	if errors.Is(err, refusal.ErrUnreachable) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, context.Canceled) {
		s.failed(start)
		return err
	}
	s.succeeded()
	return nil
}

// ended reports whether the prober has found both sides working. The next suspicion
// then starts another one.
func (g *guard) ended() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.probing = g.failing()
	return !g.probing
}

// side is what is known about reading from a database, or writing to it.
type side struct {
	down    atomic.Bool
	failing atomic.Bool  // whether since is set; spares a success the lock
	last    atomic.Int64 // when a transaction last succeeded, see sinceLoaded
	// downAfter is how long the side fails before it is down; set once.
	downAfter time.Duration

	mu    sync.Mutex
	since time.Time                 // when the first failure since the last success began; guarded by mu
	slow  map[*slowTransaction]bool // guarded by mu
}

// slowTransaction is a transaction under way for longer than suspectAfter.
type slowTransaction struct {
	cancel context.CancelCauseFunc
	ended  bool // guarded by the mutex of its side
}

func (s *side) succeeded() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = time.Time{}
	s.failing.Store(false)
	s.down.Store(false)
}

// failed notes the failure of what began at start. Once the side is down, all slow
// transactions are cancelled.
func (s *side) failed(start time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		s.since = start
		s.failing.Store(true)
	}
	if time.Since(s.since) < s.downAfter {
		return
	}
	s.down.Store(true)
	for slow := range s.slow {
		slow.cancel(refusal.ErrDown)
	}
}

// add adds a transaction that has become slow. It is cancelled if the side is down.
func (s *side) add(t *slowTransaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case t.ended:
	case s.down.Load():
		t.cancel(refusal.ErrDown)
	default:
		if s.slow == nil {
			s.slow = map[*slowTransaction]bool{}
		}
		s.slow[t] = true
	}
}

func (s *side) drop(t *slowTransaction) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.ended = true
	delete(s.slow, t)
}

var loaded = time.Now()

// sinceLoaded returns the time since the program was loaded, in nanoseconds, by a clock
// that is never set.
func sinceLoaded() int64 { return int64(time.Since(loaded)) }

// Report calls fn with every error that means that the database cannot be reached, and
// with nil when it can be read and written again. fn must be safe for concurrent use.
func (d *Database) Report(fn func(error)) { d.guard().report.Store(&fn) }

func (d *Database) guard() *guard {
	g, _ := d.engine.(*guard)
	return g
}

// Down reports whether the database is known to be down for reading or writing, so
// that transactions are refused.
func (d *Database) Down() bool { return d.guard().reads.down.Load() || d.guard().writes.down.Load() }

// Full returns an error if a transaction has found no room on the disk, and none has been
// proven since.
func (d *Database) Full() error {
	if d.guard().full.Load() == 0 {
		return nil
	}
	return errors.New("a change found no room on the disk of the database")
}

// BeforeWrites lets fn be called before each transaction that writes, with its context. An
// error is that of the transaction, which is not begun. Tests hold a change there, between its
// authentication and its transaction, or let it fail as on a full disk.
func (d *Database) BeforeWrites(fn func(context.Context) error) { d.guard().before.Store(&fn) }

// provenFor is how long a successful write proves that the next one would succeed.
const provenFor = time.Second

// CheckWritable returns an error unless a transaction has written within the last
// second, or one that it makes itself is committed before ctx ends.
func (d *Database) CheckWritable(ctx context.Context) error {
	writes := &d.guard().writes
	last := writes.last.Load()
	if last != 0 && sinceLoaded()-last < int64(provenFor) && !writes.failing.Load() {
		return nil
	}
	return d.engine.write(ctx, touch(ctx))
}

// touch returns a transaction that writes, and changes nothing.
func touch(ctx context.Context) func(Conn) error {
	return func(c Conn) error {
		_, err := c.Exec(ctx, touchSQL)
		return err
	}
}

const (
	touchSQL = "UPDATE settings SET value = value WHERE name = (SELECT min(name) FROM settings)"
	lookSQL  = "SELECT min(name) FROM settings"
)
