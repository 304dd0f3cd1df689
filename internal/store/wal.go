package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"

	"zombiezen.com/go/sqlite"
)

// walKeeper moves the write-ahead log into the database file without making
// the writer wait for most of it. A checkpoint by the writer itself would stall
// everyone for as long as the disk takes; one by another connection alone never
// gets to the end of a log that grows meanwhile, so that the log is never
// begun anew. So the keeper's own connection copies nearly all of it, and the
// writer, between two groups, the little that came since.
type walKeeper struct {
	conn   *sqlite.Conn
	index  *os.File      // the log's shared-memory index
	wake   chan struct{} // holds one; closed to stop
	finish atomic.Bool   // the writer shall copy the rest
	done   sync.WaitGroup
}

const (
	// startFrames is the length of the log, in pages of 4 KiB, from which the
	// keeper works. Longer logs save writes, because pages that change often
	// are copied once; shorter ones keep every single checkpoint short.
	startFrames = 8192
	// passes is how often the keeper copies before it asks the writer for the
	// rest. Each pass has only those pages left that came during the one before.
	passes = 2
)

func keepWAL(path string) (*walKeeper, error) {
	conn, err := openSQLiteConn(path)
	if err != nil {
		return nil, err
	}
	index, err := os.Open(path + "-shm")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open the log's index: %w", err), conn.Close())
	}
	k := &walKeeper{conn: conn, index: index, wake: make(chan struct{}, 1)}
	k.done.Go(k.run)
	return k, nil
}

// stop ends the keeper's work and closes its connection.
func (k *walKeeper) stop() error {
	close(k.wake)
	k.done.Wait()
	return k.conn.Close()
}

// close lets go of the log's index. No connection of this process may be open
// any more: closing any descriptor of a file drops all POSIX locks that the
// process has on it, SQLite's too.
func (k *walKeeper) close() error { return k.index.Close() }

// committed is called by the writer after each commit, while it still holds
// its connection.
func (k *walKeeper) committed(writer *sqlite.Conn) {
	if k.finish.CompareAndSwap(true, false) {
		checkpoint(writer)
		return
	}
	if k.frames() >= startFrames {
		select {
		case k.wake <- struct{}{}:
		default:
		}
	}
}

func (k *walKeeper) run() {
	for range k.wake {
		for range passes {
			checkpoint(k.conn)
		}
		k.finish.Store(true)
	}
}

// frames is how many pages of the log are not yet in the database: mxFrame
// less nBackfill of the log's index (sqlite.org/walformat.html, 2.1 and 2.2).
func (k *walKeeper) frames() uint32 {
	var header [100]byte
	if _, err := k.index.ReadAt(header[:], 0); err != nil {
		return 0
	}
	return binary.NativeEndian.Uint32(header[16:]) - binary.NativeEndian.Uint32(header[96:])
}

// checkpoint copies what no reader needs in the log any more. It waits for
// nobody. A failure loses nothing: the log is still there for the next one.
func checkpoint(c *sqlite.Conn) {
	db := &sqliteConn{c}
	st, err := db.statement("PRAGMA wal_checkpoint(PASSIVE)")
	if err == nil {
		err = db.run(st, nil)
	}
	if err != nil {
		slog.Warn("checkpoint failed", "error", err)
	}
}
