package db

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"
)

const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

// TestEndOfContextInterrupts: a statement without end stops when its context ends, and
// the connection serves the next transaction.
func TestEndOfContextInterrupts(t *testing.T) {
	t.Parallel()
	s, _ := openLogged(t, filepath.Join(t.TempDir(), "dropyard.db"))
	for range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		err := s.engine.write(ctx, func(c Conn) error { // on the only connection that writes
			time.AfterFunc(time.Millisecond, cancel)
			_, err := oneNumber(ctx, c, endless)
			return err
		})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("endless statement: got %v, want context.Canceled", err)
		}
		must(t, s.engine.write(t.Context(), touch(t.Context())))
	}
}

// late is a context whose time is up when the test ends it.
type late struct {
	context.Context
	done chan struct{}
}

func (l late) Done() <-chan struct{} { return l.done }

func (l late) Err() error {
	select {
	case <-l.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestDeadlineInterrupts: a transaction that is interrupted because its time is up fails as too slow, not as cancelled:
// the committer tries it again with more time.
func TestDeadlineInterrupts(t *testing.T) {
	t.Parallel()
	s, _ := openLogged(t, filepath.Join(t.TempDir(), "dropyard.db"))
	ctx := late{t.Context(), make(chan struct{})}
	err := s.engine.write(ctx, func(c Conn) error {
		close(ctx.done)
		_, err := oneNumber(ctx, c, endless)
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want context.DeadlineExceeded alone", err)
	}
	must(t, s.engine.write(t.Context(), touch(t.Context())))
}

// TestEveryParameterIsBound: a statement never runs with parameters of its last use.
func TestEveryParameterIsBound(t *testing.T) {
	t.Parallel()
	s, _ := openLogged(t, filepath.Join(t.TempDir(), "dropyard.db"))
	must(t, s.engine.read(t.Context(), func(c Conn) error {
		sum := func(args ...any) (sum int64, err error) {
			err = c.Query(t.Context(), "SELECT ? + ?", args, func(r Row) error { return r.Scan(&sum) })
			return sum, err
		}
		if got, err := sum(int64(40), int64(2)); got != 42 || err != nil {
			t.Errorf("got %d, %v, want 42", got, err)
		}
		if got, err := sum(int64(1)); err == nil {
			t.Errorf("one parameter of two: got %d, want an error", got)
		}
		if got, err := sum(int64(1), int64(2)); got != 3 || err != nil {
			t.Errorf("got %d, %v, want 3", got, err)
		}
		return nil
	}))
}

// TestStatementAfterPanic: a statement during which the caller panicked serves the next
// transaction.
func TestStatementAfterPanic(t *testing.T) {
	t.Parallel()
	s, _ := openLogged(t, filepath.Join(t.TempDir(), "dropyard.db"))
	const two = "SELECT ? UNION ALL SELECT 2"
	panics := func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was lost")
			}
		}()
		_ = s.engine.write(t.Context(), func(c Conn) error {
			return c.Query(t.Context(), two, []any{int64(1)}, func(Row) error { panic("of the test") })
		})
	}
	for range 3 {
		panics()
		rows := 0
		must(t, s.engine.write(t.Context(), func(c Conn) error {
			return c.Query(t.Context(), two, []any{int64(7)}, func(Row) error {
				rows++
				return nil
			})
		}))
		if rows != 2 {
			t.Errorf("got %d rows, want 2", rows)
		}
	}
}
