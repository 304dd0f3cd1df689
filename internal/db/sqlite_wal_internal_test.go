package db

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit"
)

// TestCheckpointsExcludeEachOther: while the keeper copies, until the database file is
// synced, the writer makes no checkpoint. Its end would undo what copyAgain has written.
func TestCheckpointsExcludeEachOther(t *testing.T) {
	t.Parallel()
	s, _ := openLogged(t, filepath.Join(t.TempDir(), "dropyard.db"))
	e := s.guard().engine.(*sqliteEngine)
	must(t, s.guard().ping(t.Context(), true))
	e.log.copying.Lock()
	e.log.finish.Store(true)
	before := e.log.runs.Load()
	must(t, s.guard().ping(t.Context(), true))
	if runs := e.log.runs.Load(); runs != before || !e.log.finish.Load() {
		t.Errorf("while the keeper copies: got %d checkpoints, want none, and the writer still asked for one", runs-before)
	}
	e.log.checkpoint(e.log.conn) // as the first part of copy, whose sync then fails
	must(t, e.log.copyAgain())
	must(t, s.guard().ping(t.Context(), true))
	if index := e.log.readIndex(); index.backfilled != 0 || index.frames == 0 {
		t.Errorf("after a sync that failed: got %+v, want a log with nothing copied", index)
	}
	e.log.copying.Unlock()
	must(t, s.guard().ping(t.Context(), true))
	if index := e.log.readIndex(); e.log.runs.Load() != before+2 || e.log.finish.Load() ||
		index.backfilled != index.frames {
		t.Errorf("after the keeper has copied: got %+v, want all copied by the writer", index)
	}
}

const (
	movesSQL  = `CREATE TABLE moves (place INTEGER PRIMARY KEY, amount INTEGER NOT NULL, filling BLOB NOT NULL)`
	placesSQL = `INSERT INTO moves SELECT value, 0, zeroblob(6000) FROM json_each('[0,1,2,3,4,5,6,7,8,9]')`
	moveSQL   = `UPDATE moves SET amount = amount + CASE place WHEN ? THEN 2 ELSE -1 END, filling = randomblob(6000) WHERE place IN (?, ?)`
	movedSQL  = `SELECT sum(amount) FROM moves` // the number of moves
)

// TestCopyAgainBesideSQLite lets copyAgain write into the log's index beside SQLite's
// writer, readers and checkpoints. The invariant is that any value of nBackfill that is not
// above the number of pages copied is right: each reader sees all transactions that were
// acknowledged before, and whole ones, and so does one of the database and its log alone, as
// after a crash.
func TestCopyAgainBesideSQLite(t *testing.T) {
	t.Parallel()
	path := filepath.Join(testkit.FastDir(t), "dropyard.db")
	s, _ := openLogged(t, path)
	e := s.guard().engine.(*sqliteEngine)
	must(t, e.write(t.Context(), func(c Conn) error {
		if _, err := c.Exec(t.Context(), movesSQL); err != nil {
			return err
		}
		_, err := c.Exec(t.Context(), placesSQL)
		return err
	}))
	written := make(chan struct{})
	var beside sync.WaitGroup
	until := func(fn func()) {
		beside.Go(func() {
			for {
				select {
				case <-written:
					return
				default:
					fn()
				}
			}
		})
	}
	var begun, done atomic.Int64 // moves
	moved := func(c Conn) error {
		least := done.Load()
		got, err := oneNumber(t.Context(), c, movedSQL)
		if most := begun.Load(); err == nil && (got < least || got > most) {
			t.Errorf("got %d moves, want %d to %d", got, least, most)
		}
		return err
	}
	noError := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		until(func() { noError(e.read(t.Context(), moved)) })
	}
	until(func() {
		e.log.copying.Lock()
		e.log.checkpoint(e.log.conn)
		noError(e.log.copyAgain())
		e.log.copying.Unlock()
		e.log.finish.Store(true)
	})
	for i := range testkit.Scaled(20000, 400) {
		begun.Add(1)
		must(t, e.write(t.Context(), func(c Conn) error {
			_, err := c.Exec(t.Context(), moveSQL, i%10, i%10, (i+1+i/10%9)%10)
			return err
		}))
		done.Add(1)
	}
	close(written)
	beside.Wait()
	afterCrash(t, path, moved)
}

// afterCrash opens a copy of the database and its log.
func afterCrash(t *testing.T, path string, check func(Conn) error) {
	t.Helper()
	there := filepath.Join(testkit.FastDir(t), "dropyard.db")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(path + suffix)
		must(t, err)
		must(t, os.WriteFile(there+suffix, content, 0o600))
	}
	c, err := openSQLiteConn(there)
	must(t, err)
	must(t, check(c))
	must(t, c.Query(t.Context(), "PRAGMA integrity_check", nil, func(r Row) error {
		var found string
		if err := r.Scan(&found); err != nil || found != "ok" {
			t.Errorf("got %q, error %v, want ok", found, err)
		}
		return nil
	}))
	must(t, c.Close())
}
