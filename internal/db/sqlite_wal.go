package db

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// walKeeper copies the write-ahead log into the database file, most of it while the
// writer goes on. A checkpoint by the writer itself would hold up all writes for as
// long as the disk takes. One by another connection never reaches the end of a log
// that grows meanwhile, so that SQLite could never write it from its beginning
// again. So the keeper's own connection copies the log piece by piece, and once it is
// long, the writer copies the little that was added since, between two groups.
type walKeeper struct {
	conn     *sqliteConn
	database *os.File      // to sync it
	index    *os.File      // the log's shared-memory index
	wake     chan struct{} // holds one; closed to stop
	finish   atomic.Bool   // the writer shall copy the rest
	done     sync.WaitGroup
	path     string // of the log
	// copying is held from the beginning of a checkpoint until the database file is synced.
	// No other checkpoint runs meanwhile, as under SQLite's own lock WAL_CKPT_LOCK, which
	// only guards the checkpoint itself. All checkpoints of the process are the keeper's.
	copying sync.Mutex
	health  *fitness     // learns of damage that a checkpoint finds
	runs    atomic.Int64 // checkpoints so far
	copied  atomic.Int64 // pages that they copied
	took    atomic.Int64 // how long they took, in nanoseconds
}

const (
	// piece is how much of the log, in pages of 4 KiB, waits before the keeper copies it.
	// Larger pieces save writes, because pages that change often are copied once; smaller
	// ones keep the disk busy for a shorter time, in which commits wait for it.
	piece = 4096
	// longLog is the length of the log, in pages, from which on the writer is asked to
	// finish.
	longLog = 8 * piece
)

func keepWAL(path string, health *fitness) (*walKeeper, error) {
	conn, err := openSQLiteConn(path)
	if err != nil {
		return nil, err
	}
	k := &walKeeper{conn: conn, wake: make(chan struct{}, 1), path: path + "-wal", health: health}
	if k.index, err = os.OpenFile(path+"-shm", os.O_RDWR, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("open the log's index: %w", err), conn.Close())
	}
	if k.database, err = os.OpenFile(path, os.O_RDWR, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("open the database: %w", err), conn.Close(), k.index.Close())
	}
	k.done.Go(k.run)
	return k, nil
}

// stop ends the keeper's work and closes its connection.
func (k *walKeeper) stop() error {
	close(k.wake)
	k.done.Wait()
	return k.conn.Close()
}

// close lets go of the files. No connection of this process may be open any more:
// closing any descriptor of a file drops all POSIX locks that the process has on it,
// SQLite's too.
func (k *walKeeper) close() error { return errors.Join(k.database.Close(), k.index.Close()) }

// committed is called by the writer after each commit, while it still holds
// its connection.
func (k *walKeeper) committed(writer *sqliteConn) {
	if k.finish.Load() && k.copying.TryLock() { // else the keeper copies, and the writer goes on
		k.finish.Store(false)
		k.checkpoint(writer)
		k.copying.Unlock()
		return
	}
	if k.pending() >= piece {
		select {
		case k.wake <- struct{}{}:
		default:
		}
	}
}

func (k *walKeeper) run() {
	for range k.wake {
		if k.finish.Load() || k.pending() < piece {
			continue // it is the writer's turn, or the keeper was copying when the writer woke it
		}
		k.copy()
		if k.readIndex().frames >= longLog {
			k.copy() // what came meanwhile, so that the writer has less to do
			k.finish.Store(true)
		}
	}
}

// copy copies what is in the log, and waits until it is on the disk. SQLite itself syncs
// the database file only in a checkpoint that reaches the end of the log. That is the
// writer's: it would write all pieces to the disk at once, and all commits would wait.
func (k *walKeeper) copy() {
	k.copying.Lock()
	defer k.copying.Unlock()
	k.checkpoint(k.conn)
	if err := k.database.Sync(); err != nil {
		slog.Warn("the database file was not synced: the log is copied again", "error", errors.Join(err, k.copyAgain()))
	}
}

// copyAgain makes the whole log count as not copied. After a sync that failed, the system
// may have forgotten pages, and a later sync that succeeds says nothing about them: without
// this, the log would begin again although it is the only place that has them.
//
// It writes nBackfill into the index that SQLite has mapped into memory. This is safe
// beside SQLite's readers and its writer because of an invariant: any value that is not
// above the number of pages copied is right, at any time.
//   - Readers and the writer read a page from the log if it is among the frames after
//     nBackfill, and from the database file otherwise. The log has all frames as long as it
//     has not begun again, so that a lower value sends them to the log more often.
//   - SQLite raises the value at the end of a checkpoint, and would undo this. The caller
//     holds copying, so that no checkpoint runs.
//   - The writer sets it to 0 as well, when the log begins again. It does so only if all
//     pages are copied, and then SQLite has synced the database file itself, without an
//     error, before it raised the value. The new log has nothing copied: 0 is right again.
//   - The four bytes are 0, so that each of them, seen without the others, lowers the value.
//
// The caller holds copying.
func (k *walKeeper) copyAgain() error {
	_, err := k.index.WriteAt(make([]byte, 4), backfilledAt)
	return err
}

// backfilledAt is where the log's index has nBackfill.
const backfilledAt = 96

// walIndex is the part of the log's index that the keeper reads
// (sqlite.org/walformat.html, 2.1 and 2.2).
type walIndex struct {
	pageSize   int64  // in bytes
	frames     uint32 // mxFrame: pages in the log
	backfilled uint32 // nBackfill: of these, pages that are in the database file
}

// readIndex returns the zero walIndex if the index cannot be read.
func (k *walKeeper) readIndex() walIndex {
	var header [100]byte
	if _, err := k.index.ReadAt(header[:], 0); err != nil {
		return walIndex{}
	}
	size := int64(binary.NativeEndian.Uint16(header[14:]))
	if size == 1 { // stands for what does not fit into 16 bits
		size = 1 << 16
	}
	return walIndex{
		pageSize: size, frames: binary.NativeEndian.Uint32(header[16:]),
		backfilled: binary.NativeEndian.Uint32(header[backfilledAt:]),
	}
}

// pending returns how many pages of the log are not yet in the database file.
func (k *walKeeper) pending() uint32 {
	index := k.readIndex()
	return index.frames - index.backfilled
}

// checkpoint copies what no reader needs in the log any more. It does not wait
// for readers or the writer. A failure loses nothing: the log is still there for
// the next one.
func (k *walKeeper) checkpoint(c *sqliteConn) {
	before, start := k.readIndex(), time.Now()
	var frames, copied int64 // since the writer last began the log again
	err := c.Query(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)", nil, func(r Row) error {
		var busy int64
		return r.Scan(&busy, &frames, &copied)
	})
	if err != nil {
		slog.Warn("checkpoint failed", "error", k.health.note(err))
		return
	}
	k.runs.Add(1)
	k.took.Add(int64(time.Since(start)))
	if copied >= int64(before.backfilled) { // else the log was begun again meanwhile
		copied -= int64(before.backfilled)
	}
	k.copied.Add(max(0, copied)) // -1 if another connection is copying
}

// stats returns the current numbers of the log.
func (k *walKeeper) stats() *WALStats {
	index := k.readIndex()
	stats := &WALStats{
		Pending:     int64(index.frames-index.backfilled) * index.pageSize,
		Checkpoints: k.runs.Load(), Pages: k.copied.Load(), Time: time.Duration(k.took.Load()),
	}
	if file, err := os.Stat(k.path); err == nil {
		stats.Size = file.Size()
	}
	return stats
}
