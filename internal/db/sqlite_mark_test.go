package db

import (
	"path/filepath"
	"testing"
)

// TestProbeWrites: each probe of whether the database can be written changes a page of it,
// because SQLite writes none that stays the same. On a full disk a probe that wrote nothing
// would succeed, and the service would never refuse at once what waits for the disk.
func TestProbeWrites(t *testing.T) {
	t.Parallel()
	s, _ := openLogged(t, filepath.Join(t.TempDir(), "dropyard.db"))
	mark := func() (mark int64) {
		must(t, s.engine.read(t.Context(), func(c Conn) (err error) {
			mark, err = oneNumber(t.Context(), c, "PRAGMA user_version")
			return err
		}))
		return mark
	}
	must(t, s.guard().ping(t.Context(), true)) // the first mark is drawn
	for range 3 {
		before := mark()
		must(t, s.guard().ping(t.Context(), true))
		if after := mark(); after != before+1 {
			t.Errorf("got the mark %d after a probe, want %d", after, before+1)
		}
	}
}

// TestFailedTransactionLeavesTheMark: what a transaction that fails has done to the mark
// does not count, and the next one advances it.
func TestFailedTransactionLeavesTheMark(t *testing.T) {
	t.Parallel()
	s, _ := openLogged(t, filepath.Join(t.TempDir(), "dropyard.db"))
	e := s.guard().engine.(*sqliteEngine)
	must(t, s.guard().ping(t.Context(), true))
	e.mark.overdue()
	before := e.mark.last
	err := e.writer.borrow(t.Context(), func(c *sqliteConn) error {
		return c.transact(t.Context(), "BEGIN IMMEDIATE", func(Conn) error {
			if err := e.mark.advance(t.Context(), c); err != nil {
				return err
			}
			return errLost
		})
	})
	if err == nil || e.mark.last != before {
		t.Errorf("got %v and the mark %v after a failed transaction, want an error and %v", err, e.mark.last, before)
	}
}
