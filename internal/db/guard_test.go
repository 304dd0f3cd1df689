package db

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// faulty is an engine without a database. Transactions and pings fail as its fields
// say.
type faulty struct {
	engine
	nodes  bool // what shared returns
	state  atomic.Pointer[fault]
	begun  atomic.Int64 // transactions that reached the engine
	probes atomic.Int64
	narrow atomic.Bool // there is no room for a change of usual size
}

// fault is what happens to everything that needs the database.
type fault struct {
	writes, reads error
	stalls        bool // nothing returns before its context ends
	slow          bool // the same, but for transactions only
	full          bool // transactions that write find no room, but probes do
}

func newFaulty(shared bool) (*faulty, *Database) {
	f := &faulty{nodes: shared}
	f.state.Store(&fault{})
	return f, &Database{engine: guarded(f)}
}

func (f *faulty) shared() bool { return f.nodes }

func (f *faulty) Close() error { return nil }

func (f *faulty) ping(ctx context.Context, write bool) error {
	f.probes.Add(1)
	return f.answer(ctx, write, f.state.Load().stalls)
}

func (f *faulty) room(context.Context) error {
	if f.narrow.Load() {
		return refusal.ErrFull
	}
	return nil
}

func (f *faulty) read(ctx context.Context, _ func(Conn) error) error {
	f.begun.Add(1)
	return f.answer(ctx, false, f.state.Load().stalls || f.state.Load().slow)
}

func (f *faulty) write(ctx context.Context, _ func(Conn) error) error {
	f.begun.Add(1)
	if f.state.Load().full {
		return errNoRoom
	}
	return f.answer(ctx, true, f.state.Load().stalls || f.state.Load().slow)
}

func (f *faulty) answer(ctx context.Context, write, stalls bool) error {
	switch now := f.state.Load(); {
	case stalls:
		<-ctx.Done()
		return ctx.Err()
	case write:
		return now.writes
	default:
		return now.reads
	}
}

var errLost = fmt.Errorf("%w: connection refused", refusal.ErrUnreachable)

var errNoRoom = fmt.Errorf("%w: no space left on device", refusal.ErrFull)

func writeTo(s *Database) error { return s.engine.write(context.Background(), nil) }

func readFrom(s *Database) error { return s.engine.read(context.Background(), nil) }

// keepTrying writes every 100 ms for a time and returns the last error.
func keepTrying(s *Database, length time.Duration) (err error) {
	for begin := time.Now(); time.Since(begin) < length; time.Sleep(100 * time.Millisecond) {
		err = writeTo(s)
	}
	return err
}

func TestDownAfterFailures(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared=%t", shared), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, s := newFaulty(shared)
				f.state.Store(&fault{writes: errLost})
				after := map[bool]time.Duration{false: 500 * time.Millisecond, true: 5 * time.Second}[shared]
				if err := keepTrying(s, after-200*time.Millisecond); errors.Is(err, refusal.ErrDown) || s.Down() {
					t.Errorf("got %v before %v have passed, want the database's own error", err, after)
				}
				_ = keepTrying(s, time.Second)
				before := f.begun.Load()
				for range 100 {
					if err := writeTo(s); !errors.Is(err, refusal.ErrDown) || !errors.Is(err, refusal.ErrUnreachable) {
						t.Fatalf("got %v from a database that is down, want ErrDown", err)
					}
				}
				if after := f.begun.Load(); after != before {
					t.Errorf("got %d transactions while the database is down, want none", after-before)
				}
				if err := readFrom(s); err != nil {
					t.Errorf("got %v for a read, want no error: only writing fails", err)
				}
				f.state.Store(&fault{})
				time.Sleep(2 * probeEvery)
				if err := writeTo(s); err != nil || s.Down() {
					t.Errorf("got %v after the database is back, want no error", err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestFullDiskIsKnown lets changes find no room while the smaller ones of probes do. Each
// fails without waiting for a probe. The disk counts as full until there is room for a change
// of usual size, which is found without another change.
func TestFullDiskIsKnown(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		t.Run(fmt.Sprintf("shared=%t", shared), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f, s := newFaulty(shared)
				var over atomic.Int64
				s.Report(func(err error) {
					if err == nil {
						over.Add(1)
					}
				})
				if err := s.Full(); err != nil {
					t.Errorf("got %v before any change, want nil", err)
				}
				f.narrow.Store(true)
				f.state.Store(&fault{full: true})
				begin := time.Now()
				for range 3 {
					if err := writeTo(s); !errors.Is(err, refusal.ErrFull) || s.Full() == nil || time.Since(begin) != 0 {
						t.Errorf("got %v after %v, and full: %v, want ErrFull without a wait, and an error", err, time.Since(begin),
							s.Full())
					}
				}
				f.state.Store(&fault{})
				time.Sleep(time.Minute)
				if err := errors.Join(writeTo(s), readFrom(s)); err != nil || s.Full() == nil || over.Load() != 0 {
					t.Errorf("small change: got %v, full: %v, %d times over, want no error, full, and 0", err, s.Full(), over.Load())
				}
				f.narrow.Store(false)
				time.Sleep(2 * probeEvery)
				if s.Full() != nil || over.Load() != 1 {
					t.Errorf("with room: got full: %v, %d times over, want nil and 1", s.Full(), over.Load())
				}
				probes := f.probes.Load()
				time.Sleep(time.Minute)
				if got := f.probes.Load(); got != probes {
					t.Errorf("got %d probes after there was room, want none", got-probes)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestFullDiskIsReportedOnce lets every second change find no room for a minute.
func TestFullDiskIsReportedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, s := newFaulty(true)
		var over atomic.Int64
		s.Report(func(err error) {
			if err == nil {
				over.Add(1)
			}
		})
		for i := range 120 {
			f.state.Store(&fault{full: i%2 == 0})
			_ = writeTo(s)
			time.Sleep(500 * time.Millisecond)
		}
		if s.Full() == nil || over.Load() != 0 {
			t.Errorf("got full: %v, %d times over, want full all the time", s.Full(), over.Load())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestHiccupIsNotDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, s := newFaulty(true)
		for range 5 {
			f.state.Store(&fault{reads: errLost, writes: errLost})
			if err := keepTrying(s, downAfter-time.Second); errors.Is(err, refusal.ErrDown) {
				t.Fatalf("got %v, want the database's own error", err)
			}
			f.state.Store(&fault{})
			if err := keepTrying(s, time.Second); err != nil {
				t.Fatalf("got %v, want no error", err)
			}
		}
		time.Sleep(time.Hour)
		if err := errors.Join(s.Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestStalledTransactionsEnd begins transactions on a database that does not answer,
// over connections that stay open.
func TestStalledTransactionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, s := newFaulty(true)
		f.state.Store(&fault{stalls: true})
		begin := time.Now()
		for begun, want := range []time.Duration{9 * time.Second, 2 * time.Second, 0} {
			start := time.Now()
			for _, run := range []func(*Database) error{readFrom, writeTo} {
				err := run(s)
				if took := time.Since(start); !errors.Is(err, refusal.ErrDown) || took > want {
					t.Errorf("transaction %d: got %v after %v, want ErrDown within %v", begun, err, took, want)
				}
			}
		}
		t.Logf("known to be down after %v", time.Since(begin))
		f.state.Store(&fault{})
		time.Sleep(probeTime + probeEvery)
		if err := errors.Join(readFrom(s), writeTo(s), s.Close()); err != nil {
			t.Errorf("got %v after the database is back, want no error", err)
		}
	})
}

func TestSlowTransactionIsNotDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, s := newFaulty(true)
		f.state.Store(&fault{slow: true})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := s.engine.read(ctx, nil); !errors.Is(err, context.DeadlineExceeded) || s.Down() {
			t.Errorf("got %v and down=%t for a slow read, want its own deadline", err, s.Down())
		}
		if got := f.probes.Load(); got != 2 {
			t.Errorf("got %d probes, want one to read and one to write", got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestReportOfOutage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, s := newFaulty(false)
		var failed, over atomic.Int64
		s.Report(func(err error) {
			if err == nil {
				over.Add(1)
			} else {
				failed.Add(1)
			}
		})
		f.state.Store(&fault{writes: errLost})
		_ = writeTo(s)
		if failed.Load() == 0 {
			t.Error("got no report of the first failure, want it immediately")
		}
		time.Sleep(time.Minute)
		if got := failed.Load(); got < 60 {
			t.Errorf("got %d failures reported in a minute, want those of all probes", got)
		}
		f.state.Store(&fault{})
		time.Sleep(time.Second)
		if got := over.Load(); got != 1 {
			t.Errorf("got %d reports that it is over, want 1", got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestCheckWritable(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f, s := newFaulty(false)
		for range 3 {
			if err := s.CheckWritable(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if got := f.begun.Load(); got != 1 {
			t.Errorf("got %d writes for three checks within a second, want 1", got)
		}
		time.Sleep(2 * provenFor)
		f.state.Store(&fault{writes: errLost})
		if err := s.CheckWritable(t.Context()); !errors.Is(err, refusal.ErrUnreachable) {
			t.Errorf("got %v, want ErrUnreachable", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}
