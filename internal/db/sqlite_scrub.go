package db

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// secure_delete overwrites a row that is deleted or rewritten, and pages that become free.
// It leaves copies: when SQLite distributes the rows of a full page among its neighbours,
// a row that moves stays in the unused middle of the page that it has left, and is not
// found there when it is deleted later. Databases of earlier releases also have free pages
// that were never overwritten. The log holds all of them until it is written from its
// beginning again. So scrub looks at every page, overwrites what is unused in it, and
// empties the log.

const (
	// scrubRead is how many pages are looked at in one view of the data, and scrubWrite how
	// many are overwritten in one transaction, for which all other changes wait.
	scrubRead, scrubWrite = 512, 32
	// emptyTries and emptyPause bound how long emptyLog waits for readers, and emptyWait how
	// long each try keeps the writer waiting for them.
	emptyTries = 20
	emptyPause = 50 * time.Millisecond
	emptyWait  = 200 * time.Millisecond
)

// errLogInUse means that the log could not be emptied: a transaction reads from it.
var errLogInUse = errors.New(
	"the log of the database could not be emptied, because a long transaction, such as a backup, reads from it",
)

// pause waits after work that took the given time. Its error ends the work.
type pause func(ctx context.Context, took time.Duration) error

// scrub overwrites what is unused in the pages of the database, and empties its log. It
// pauses after each part of the work. It may be interrupted, and run again.
func (e *sqliteEngine) scrub(ctx context.Context, rested pause) error {
	if err := e.scrubPages(ctx, rested); err != nil {
		return fmt.Errorf("overwrite what was deleted: %w", err)
	}
	return e.emptyLog(ctx)
}

func (e *sqliteEngine) scrubPages(ctx context.Context, rested pause) error {
	var free []uint32
	size := uint32(1)
	for first := uint32(1); first <= size; first += scrubRead {
		began := time.Now() // the real clock: it measures work
		var used []uint32
		err := e.read(ctx, func(c Conn) (err error) {
			p := pages{ctx: ctx, conn: c}
			if size, err = p.size(); err != nil {
				return err
			}
			if first == 1 {
				if free, err = p.dirtyFree(); err != nil {
					return err
				}
			}
			used, err = p.dirty(first, min(size, first+scrubRead-1))
			return err
		})
		if err != nil {
			return err
		}
		for some := range slices.Chunk(used, scrubWrite) {
			if err := e.overwrite(ctx, some, pages.tidy); err != nil {
				return err
			}
		}
		if err := rested(ctx, time.Since(began)); err != nil {
			return err
		}
	}
	for some := range slices.Chunk(free, scrubWrite) {
		began := time.Now()
		if err := e.overwrite(ctx, some, pages.clear); err != nil {
			return err
		}
		if err := rested(ctx, time.Since(began)); err != nil {
			return err
		}
	}
	return nil
}

// overwrite lets fn overwrite pages in one transaction.
func (e *sqliteEngine) overwrite(ctx context.Context, numbers []uint32, fn func(pages, []uint32) error) error {
	return e.write(ctx, func(c Conn) error { return fn(pages{ctx: ctx, conn: c}, numbers) })
}

// pages reads and writes pages of the database in a transaction, through SQLite's own
// cache and log (sqlite.org/dbpage.html). The format is that of
// sqlite.org/fileformat2.html.
type pages struct {
	ctx  context.Context //nolint:containedctx // lives as long as the transaction
	conn Conn
}

// mostPages is the number of pages from which on a page of a tree can no longer be known
// by its first byte. It stands for 137 GB.
const mostPages = 2 << 24

// size returns the number of pages of the database.
func (p pages) size() (size uint32, err error) {
	var n int64
	err = p.conn.Query(p.ctx, "PRAGMA page_count", nil, func(r Row) error { return r.Scan(&n) })
	if err == nil && n >= mostPages {
		err = fmt.Errorf("the database has %d pages: at most %d can be overwritten; use VACUUM", n, mostPages-1)
	}
	return uint32(n), err //nolint:gosec // at most mostPages
}

func (p pages) read(number uint32) (content []byte, err error) {
	err = p.conn.Query(p.ctx, "SELECT data FROM sqlite_dbpage WHERE pgno = $1", []any{int64(number)},
		func(r Row) error { return r.Scan(&content) })
	return content, err
}

func (p pages) write(number uint32, content []byte) error {
	_, err := p.conn.Exec(p.ctx, "UPDATE sqlite_dbpage SET data = $1 WHERE pgno = $2", content, int64(number))
	return err
}

// dirty returns the pages of trees, from the first to the last, that are not tidy.
func (p pages) dirty(first, last uint32) (dirty []uint32, err error) {
	for number := first; number <= last; number++ {
		content, err := p.read(number)
		if err != nil {
			return nil, err
		}
		if tidyPage(number, content) {
			dirty = append(dirty, number)
		}
	}
	return dirty, nil
}

// tidy overwrites what is unused in pages of trees. They may have changed since they were
// found, and even belong to another tree or be free: each is read again.
func (p pages) tidy(numbers []uint32) error {
	for _, number := range numbers {
		content, err := p.read(number)
		if err == nil && tidyPage(number, content) {
			err = p.write(number, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// The list of free pages begins in page 1. It consists of trunks, each with the number of
// the next one, the number of its leaves, and their numbers.
const (
	firstTrunkAt = 32
	leavesAt     = 8
)

// walkFree calls each for every trunk of the list of free pages, with its leaves.
func (p pages) walkFree(each func(trunk uint32, content []byte, leaves []uint32) error) error {
	size, err := p.size()
	if err != nil {
		return err
	}
	content, err := p.read(1)
	if err != nil || len(content) < firstTrunkAt+4 {
		return err
	}
	trunk := binary.BigEndian.Uint32(content[firstTrunkAt:])
	for seen := uint32(0); trunk != 0 && trunk <= size && seen < size; seen++ {
		if content, err = p.read(trunk); err != nil {
			return err
		}
		count := binary.BigEndian.Uint32(content[4:])
		if int64(leavesAt)+4*int64(count) > int64(len(content)) {
			return nil // damaged: the integrity check reports it
		}
		leaves := make([]uint32, count)
		for i := range leaves {
			leaves[i] = binary.BigEndian.Uint32(content[leavesAt+4*i:])
		}
		if err := each(trunk, content, leaves); err != nil {
			return err
		}
		trunk = binary.BigEndian.Uint32(content)
	}
	return nil
}

// dirtyFree returns the free pages that hold something.
func (p pages) dirtyFree() (dirty []uint32, err error) {
	err = p.walkFree(func(trunk uint32, content []byte, leaves []uint32) error {
		if !isZero(content[leavesAt+4*len(leaves):]) {
			dirty = append(dirty, trunk)
		}
		for _, leaf := range leaves {
			content, err := p.read(leaf)
			if err != nil {
				return err
			}
			if !isZero(content) {
				dirty = append(dirty, leaf)
			}
		}
		return nil
	})
	return dirty, err
}

// clear overwrites those of some pages that are still free.
func (p pages) clear(numbers []uint32) error {
	wanted := make(map[uint32]bool, len(numbers))
	for _, number := range numbers {
		wanted[number] = true
	}
	cleared := map[uint32][]byte{}
	err := p.walkFree(func(trunk uint32, content []byte, leaves []uint32) error {
		if wanted[trunk] {
			clear(content[leavesAt+4*len(leaves):])
			cleared[trunk] = bytes.Clone(content)
		}
		for _, leaf := range leaves {
			if wanted[leaf] {
				cleared[leaf] = make([]byte, len(content))
			}
		}
		return nil
	})
	for number, content := range cleared {
		if err == nil {
			err = p.write(number, content)
		}
	}
	return err
}

// emptyLog copies the whole log into the database file and truncates it. It returns
// errLogInUse if transactions read from it for long.
func (e *sqliteEngine) emptyLog(ctx context.Context) error {
	for range emptyTries {
		emptied, err := e.tryEmptyLog(ctx)
		if emptied || err != nil {
			return err
		}
		if err := pace.Pause(ctx, emptyPause); err != nil {
			return err
		}
	}
	return errLogInUse
}

// tryEmptyLog lets the keeper copy most of the log while the writer goes on. Unless a
// reader needs what the log holds, the writer then copies the rest.
func (e *sqliteEngine) tryEmptyLog(ctx context.Context) (emptied bool, err error) {
	e.log.copying.Lock()
	defer e.log.copying.Unlock()
	busy, frames, copied, err := checkpointBy(e.log.conn, "PASSIVE")
	if err != nil || busy || copied < frames { // a reader needs the rest
		return false, e.fitness.note(err)
	}
	err = e.writer.borrow(ctx, func(c *sqliteConn) error {
		c.SetBusyTimeout(emptyWait)
		defer c.SetBusyTimeout(busyTimeout)
		busy, _, _, err := checkpointBy(c, "TRUNCATE")
		emptied = err == nil && !busy
		return err
	})
	return emptied, e.fitness.note(err)
}

// checkpointBy runs a checkpoint. busy means that it did not come to its end.
func checkpointBy(c *sqliteConn, mode string) (busy bool, frames, copied int64, err error) {
	err = c.Query(context.Background(), "PRAGMA wal_checkpoint("+mode+")", nil,
		func(r Row) error { return r.Scan(&busy, &frames, &copied) })
	return busy, frames, copied, err
}
