package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	moderncsqlite "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// sqliteEngine is the embedded store: one connection that writes, several that
// read, and one that moves the write-ahead log into the database file.
type sqliteEngine struct {
	path    string
	writer  *connPool // of one connection
	readers *connPool
	log     *walKeeper
	mark    *mark
	fitness *fitness
	warming *Warmth
	// closeHere takes the database off the list of those that this process has open.
	closeHere func()
}

// pragmas belong to every connection. FULL makes a commit durable before it is
// acknowledged; NORMAL loses acknowledged commits when the power fails.
// The walKeeper makes the checkpoints. Caches larger than SQLite's own 2 MB were measured
// to be slower: most commits look through all of it.
var pragmas = []string{
	"PRAGMA synchronous = FULL",
	"PRAGMA foreign_keys = ON",
	"PRAGMA wal_autocheckpoint = 0",
	"PRAGMA temp_store = MEMORY",
	"PRAGMA secure_delete = ON",
}

const busyTimeout = 10 * time.Second

// syncData lets all connections of this process sync with fdatasync(2), as SQLite does
// where its configure script finds it. Of fsync(2) it leaves out the timestamps of the
// file, for which the journal of a file system must be written at every commit.
var syncData = sync.OnceValue(func() error {
	_, err := moderncsqlite.Fdatasync(true)
	if errors.Is(err, moderncsqlite.ErrFdatasyncUnavailable) {
		return nil
	}
	return err
})

// Open opens the database that was examined, creates it if there is none, and brings its
// schema up to date.
func (x *Examined) Open(ctx context.Context, log *slog.Logger) (*Database, error) {
	if err := errors.Join(syncData(), createPrivate(x.path)); err != nil {
		return nil, err
	}
	e := &sqliteEngine{
		path:    x.path,
		writer:  newConnPool(1),
		readers: newConnPool(max(4, runtime.GOMAXPROCS(0))),
		fitness: &fitness{log: log},
	}
	e.warming = newWarmth(x.path, e.fitness)
	var err error
	if e.closeHere, err = registerOpen(x.path); err != nil {
		return nil, err
	}
	if err := e.open(ctx, x.schema, x.path); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &Database{engine: guarded(e), recovered: x.Log}, nil
}

// open may fail half way; Close then closes what was opened.
func (e *sqliteEngine) open(ctx context.Context, schema *Schema, path string) error {
	if err := schema.migrateSQLite(ctx, path); err != nil {
		return err
	}
	for _, pool := range []*connPool{e.writer, e.readers} {
		for range cap(pool.free) {
			c, err := openSQLiteConn(path)
			if err != nil {
				return err
			}
			pool.add(c)
		}
	}
	var err error
	if e.log, err = keepWAL(path, e.fitness); err != nil {
		return err
	}
	if e.mark, err = openMark(path); err != nil {
		return err
	}
	return e.fitness.opened(path, path+"-wal", path+"-shm")
}

// createPrivate creates a database's file, if there is none, so that no other user
// of the machine can read it. SQLite gives its other files the same mode.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return fmt.Errorf("create the database: %w", err)
	}
	return file.Close()
}

func openSQLiteConn(path string) (*sqliteConn, error) {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenWAL)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	c.SetBusyTimeout(busyTimeout)
	for _, pragma := range pragmas {
		if err := sqlitex.ExecuteTransient(c, pragma, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("set up %s: %w", path, err), c.Close())
		}
	}
	return newSQLiteConn(c), nil
}

func (e *sqliteEngine) shared() bool { return false }

func (e *sqliteEngine) sharded() bool { return false }

// Close takes every connection back, and so waits for transactions under way.
func (e *sqliteEngine) Close() error {
	// The writer comes back first: from then on nothing wakes the keeper.
	err := errors.Join(e.writer.close(), e.readers.close(), e.warming.close())
	if e.log != nil {
		err = errors.Join(err, e.log.stop(), e.log.close())
	}
	if e.mark != nil {
		err = errors.Join(err, e.mark.close())
	}
	e.closeHere()
	return err
}

func (e *sqliteEngine) read(ctx context.Context, fn func(Conn) error) error {
	return e.fitness.note(e.readers.borrow(ctx, func(c *sqliteConn) error { return c.transact(ctx, "BEGIN", fn) }))
}

func (e *sqliteEngine) readOnce(ctx context.Context, fn func(Conn) error) error {
	return e.read(ctx, fn)
}

func (e *sqliteEngine) write(ctx context.Context, fn func(Conn) error) error {
	if err := e.fitness.mayBegin(); err != nil {
		return err
	}
	err := e.writer.borrow(ctx, func(c *sqliteConn) error {
		err := c.transact(ctx, "BEGIN IMMEDIATE", func(tx Conn) error {
			if err := fn(tx); err != nil {
				return err
			}
			return e.mark.advance(ctx, c)
		})
		if err != nil {
			return err
		}
		e.mark.publish()
		e.log.committed(c)
		return e.fitness.mayAnswer()
	})
	return e.fitness.note(err)
}

func (e *sqliteEngine) unfit() error { return e.fitness.unfit() }

func (e *sqliteEngine) ping(ctx context.Context, write bool) error {
	if write {
		return e.write(ctx, func(c Conn) error {
			// SQLite writes no page that stays the same, so that a touch alone would succeed
			// on a full disk. To advance the mark changes a page.
			e.mark.overdue()
			return touch(ctx)(c)
		})
	}
	return e.read(ctx, func(c Conn) error { return c.Query(ctx, lookSQL, nil, func(Row) error { return nil }) })
}

func (e *sqliteEngine) warmth() *Warmth { return e.warming }

// hold occupies the only connection that writes.
func (e *sqliteEngine) hold(ctx context.Context, fn func(Conn) error) error { return e.write(ctx, fn) }

func (e *sqliteEngine) catalogue() catalogue {
	return catalogue{
		columns: `SELECT t.name, c.name, lower(c.type), c."notnull", c.pk
			FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT GLOB '` + derived + `*'`,
		references: `SELECT t.name, f."table"
			FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'`,
	}
}

func (e *sqliteEngine) stats() Stats {
	return Stats{
		Pools: []PoolStats{e.writer.stats("writer"), e.readers.stats("readers")},
		WAL:   e.log.stats(),
	}
}
