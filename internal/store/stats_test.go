package store_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// poolOf returns the numbers of one pool of connections.
func poolOf(t *testing.T, s *store.Store, name string) db.PoolStats {
	t.Helper()
	for _, pool := range s.Stats().Pools {
		if pool.Name == name {
			return pool
		}
	}
	t.Fatalf("no pool %q in %+v", name, s.Stats().Pools)
	return db.PoolStats{}
}

// eventually polls until the condition holds, or fails the test after a while.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(repeatable.Hang); !holds(); time.Sleep(repeatable.Poll) {
		if time.Now().After(deadline) {
			t.Fatal("the condition does not hold")
		}
	}
}

// holdWriter runs a transaction that holds the writer until the returned
// function is called.
func holdWriter(t *testing.T, s *store.Store) (release func()) {
	t.Helper()
	held, leave, done := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		done <- s.Operators().Write(context.WithoutCancel(t.Context()), func(w operator.Writer) error {
			if _, err := w.RemoveToken(t.Context(), "none"); err != nil { // the first statement takes the connection
				t.Error(err)
			}
			close(held)
			<-leave
			return nil
		})
	}()
	<-held
	return func() {
		close(leave)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestSQLitePoolStats(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	if got, want := poolOf(t, s, "writer"), (db.PoolStats{Name: "writer", Max: 1, Idle: 1}); got != want {
		t.Errorf("at rest: got %+v, want %+v", got, want)
	}
	release := holdWriter(t, s)
	if got := poolOf(t, s, "writer"); got.InUse != 1 || got.Idle != 0 {
		t.Errorf("during a transaction: got %+v, want one connection in use", got)
	}
	waiting := make(chan error)
	go func() { waiting <- s.Operators().Write(t.Context(), func(operator.Writer) error { return nil }) }()
	eventually(t, func() bool { return poolOf(t, s, "writer").Waits == 1 })
	release()
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}
	if got := poolOf(t, s, "writer"); got.Waits != 1 || got.WaitTime <= 0 || got.Idle != 1 {
		t.Errorf("afterwards: got %+v, want one wait that took time, and an idle connection", got)
	}
	if got := poolOf(t, s, "readers"); got.Idle != got.Max || got.Max < 4 {
		t.Errorf("readers: got %+v, want at least 4, all idle", got)
	}
}

func TestWALStats(t *testing.T) {
	t.Parallel()
	s := openSQLite(t)
	before, began := s.Stats().WAL, time.Now()
	const writes = 50 // of 4 MiB each: more than the log holds before it begins again
	for i := range writes {
		text := strings.Repeat(string(rune('a'+i%26)), 4<<20)
		err := s.SetSetting(t.Context(), "large", text)
		if err != nil {
			t.Fatal(err)
		}
		// On a busy machine the log grows until the keeper gets the processor.
		eventually(t, func() bool { return s.Stats().WAL.Pending < 16<<20 })
	}
	got := s.Stats().WAL
	passed := time.Since(began)
	if got.Checkpoints <= before.Checkpoints || got.Pages < 8192 || got.Time <= 0 || got.Time > passed {
		t.Errorf("after 200 MiB of writes: got %d pages copied by %d checkpoints in %v, want at least 8192 in some of %v",
			got.Pages, got.Checkpoints-before.Checkpoints, got.Time, passed)
	}
	if got.Size < 16<<20 || got.Size > 170<<20 {
		t.Errorf("after 200 MiB of writes, the log has %d bytes, want 16 to 170 MiB", got.Size)
	}
	if got.Pending < 0 || got.Pending > got.Size {
		t.Errorf("%d bytes pending, want at most the log's %d", got.Pending, got.Size)
	}
}

func TestPostgresPoolStats(t *testing.T) {
	t.Parallel()
	s := openPostgres(t)
	release := holdWriter(t, s)
	got := poolOf(t, s, "postgres")
	release()
	if got.InUse != 1 || got.Max < 4 {
		t.Errorf("during a transaction: got %+v, want one connection in use of at least 4", got)
	}
	if s.Stats().WAL != nil {
		t.Error("PostgreSQL has the numbers of a write-ahead log")
	}
}
