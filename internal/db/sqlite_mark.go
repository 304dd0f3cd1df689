package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/durable"
	"github.com/dropyard/dropyard/internal/foundation/sqlitefile"
	"zombiezen.com/go/sqlite/sqlitex"
)

// mark is a number that grows with what is committed. It is in the database (PRAGMA
// user_version) and, once the commit is durable, in a file beside it. So a database
// whose number is lower than that of the file has lost acknowledged changes: its log
// was deleted or cut, or an older copy was put in its place.
//
// The file is written without waiting for the disk. After a power failure its number
// may be too low, which hides a loss but never reports one that did not happen.
// The writer's connection is held by whoever calls advance and publish.
type mark struct {
	file *os.File
	last markStep
	// pending is that of the transaction under way. If the transaction fails, it is not
	// last, and the next one advances the mark.
	pending markStep
}

// markStep is one advance of the mark.
type markStep struct {
	to      uint32    // 0 if there is none
	at      time.Time // when it was made
	changes int64     // rows that the connection had changed by then
}

// noChanges is a number of changed rows that no connection has.
const noChanges = -1

const (
	markSuffix = "-mark"
	// markEvery bounds what can be lost unnoticed: the end of a burst of changes. An
	// advance costs three short statements, and a page of the log that most
	// transactions write anyway.
	markEvery = 20 * time.Millisecond
	// A new database begins at a random mark up to this, so that its log is not taken
	// for that of another one.
	firstMark = 1 << 30
)

func openMark(path string) (*mark, error) {
	file, err := os.OpenFile(path+markSuffix, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the mark: %w", err)
	}
	if err := durable.SyncFolder(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &mark{file: file, last: markStep{changes: noChanges}}, nil
}

// advance raises the database's mark if rows have changed since the last time and that
// is long enough ago.
func (m *mark) advance(ctx context.Context, c *sqliteConn) error {
	m.pending = markStep{}
	now := time.Now()
	if now.Sub(m.last.at) < markEvery {
		return nil
	}
	changes, err := oneNumber(ctx, c, "SELECT total_changes()")
	if err != nil || changes == m.last.changes {
		return err
	}
	value, err := oneNumber(ctx, c, "PRAGMA user_version")
	if err != nil {
		return err
	}
	next := uint32(value) + 1
	if value == 0 || next == 0 {
		next = 1 + rand.Uint32N(firstMark)
	}
	// Prepared statements are kept, and this text is never the same again.
	if err := sqlitex.ExecuteTransient(c.Conn, fmt.Sprint("PRAGMA user_version = ", int32(next)), nil); err != nil {
		return sqliteError(err)
	}
	m.pending = markStep{next, now, changes}
	return nil
}

// overdue makes the transaction under way advance the mark in any case.
func (m *mark) overdue() { m.last = markStep{changes: noChanges} }

func oneNumber(ctx context.Context, c Conn, sql string) (n int64, err error) {
	err = c.Query(ctx, sql, nil, func(r Row) error { return r.Scan(&n) })
	return n, err
}

// publish writes the mark of a transaction that is durable.
func (m *mark) publish() {
	if m.pending.to == 0 {
		return
	}
	if _, err := m.file.WriteAt(fmt.Appendf(nil, "%010d\n", m.pending.to), 0); err != nil {
		slog.Warn("the mark of the database was not written", "error", err)
	}
	m.last, m.pending = m.pending, markStep{}
}

func (m *mark) close() error { return errors.Join(m.file.Sync(), m.file.Close()) }

// readMark returns the mark in the file; 0 if there is none that can be read.
func readMark(path string) (uint32, error) {
	text, err := os.ReadFile(path + markSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if number, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 32); err == nil {
		return uint32(number), nil
	}
	return 0, nil // a crash has cut it off; the next one replaces it
}

// checkMark compares the mark in the file with that in the database.
func checkMark(path string, files *sqlitefile.State) error {
	published, err := readMark(path)
	if err != nil {
		return unreadable(err)
	}
	held := files.UserVersion
	switch {
	case published == 0 || int32(published-held) <= 0 && held != 0:
		return nil
	case files.Log.Committed == 0:
		return newFault(FaultOld, nil,
			"%s has lost changes that were acknowledged: its log %s is missing or empty (mark %d, want %d as in %s)", path,
			filepath.Base(path)+"-wal", held, published, filepath.Base(path)+markSuffix)
	default:
		return newFault(FaultOld, nil, "%s has lost changes that were acknowledged: it is an older copy, or the end of its log is missing (%d of %d frames can be read; mark %d, want %d as in %s)",
			path, files.Log.Valid, files.Log.Frames, held, published, filepath.Base(path)+markSuffix)
	}
}

// AbandonSQLite gives up a database that is missing or empty, so that a new one can be
// begun. It fails if there is a log, which may hold what is left of it.
func AbandonSQLite(path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		return fmt.Errorf("the database %s exists already", path)
	}
	if log, err := os.Stat(path + "-wal"); err == nil && log.Size() > 0 {
		return fmt.Errorf("%s is the log of a database that is missing: put the database back, or move the log away",
			path+"-wal")
	}
	if err := os.Remove(path + markSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
