package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	moderncsqlite "modernc.org/sqlite"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// sqliteEngine is the embedded store: one connection that writes, several that
// read, and one that moves the write-ahead log into the database file.
type sqliteEngine struct {
	writer  *connPool // of one connection
	readers *connPool
	log     *walKeeper
	mark    *mark
	fitness *fitness
	warming *warmth
	// closeHere takes the database off the list of those that this process has open.
	closeHere func()
}

// pragmas belong to every connection. FULL makes a commit durable before it is
// acknowledged; NORMAL loses acknowledged commits when the power fails.
// The walKeeper makes the checkpoints. Larger caches were measured to be slower.
var pragmas = []string{
	"PRAGMA synchronous = FULL",
	"PRAGMA foreign_keys = ON",
	"PRAGMA wal_autocheckpoint = 0",
	"PRAGMA temp_store = MEMORY",
	"PRAGMA cache_size = -8000", // KiB
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

// OpenSQLite opens the embedded store, creates it if there is none, and brings
// its schema up to date. The error is a *FaultError if the files are damaged, or if a
// database that was here is missing.
func OpenSQLite(ctx context.Context, path string) (*Store, error) {
	examined, err := ExamineSQLite(ctx, path)
	if err != nil {
		return nil, err
	}
	return examined.Open(ctx, slog.Default())
}

// Open opens the database that was examined, as OpenSQLite does.
func (x *Examined) Open(ctx context.Context, log *slog.Logger) (*Store, error) {
	if err := errors.Join(syncData(), createPrivate(x.path)); err != nil {
		return nil, err
	}
	e := &sqliteEngine{
		writer:  newConnPool(1),
		readers: newConnPool(max(4, runtime.GOMAXPROCS(0))),
		fitness: &fitness{log: log},
	}
	e.warming = newWarmth(x.path, e.fitness)
	var err error
	if e.closeHere, err = registerOpen(x.path); err != nil {
		return nil, err
	}
	if err := e.open(ctx, x.path); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &Store{engine: guarded(e), recovered: x.Log}, nil
}

// open may fail half way; Close then closes what was opened.
func (e *sqliteEngine) open(ctx context.Context, path string) error {
	if err := migrateSQLite(ctx, path); err != nil {
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
	return &sqliteConn{Conn: c, statements: map[string]*sqlite.Stmt{}}, nil
}

func (e *sqliteEngine) writers() int { return 1 }

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

func (e *sqliteEngine) read(ctx context.Context, fn func(conn) error) error {
	return e.fitness.note(e.readers.borrow(ctx, func(c *sqliteConn) error { return c.transact(ctx, "BEGIN", fn) }))
}

func (e *sqliteEngine) write(ctx context.Context, fn func(conn) error) error {
	if err := e.fitness.mayBegin(); err != nil {
		return err
	}
	err := e.writer.borrow(ctx, func(c *sqliteConn) error {
		err := c.transact(ctx, "BEGIN IMMEDIATE", func(tx conn) error {
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
		return e.write(ctx, touch(ctx))
	}
	return e.read(ctx, func(c conn) error { return c.query(ctx, lookSQL, nil, func(row) error { return nil }) })
}

func (e *sqliteEngine) warmth() *warmth { return e.warming }

// hold occupies the only connection that writes.
func (e *sqliteEngine) hold(ctx context.Context, fn func(conn) error) error { return e.write(ctx, fn) }

func (e *sqliteEngine) catalogue() catalogue {
	return catalogue{
		columns: `SELECT t.name, c.name, lower(c.type), c."notnull", c.pk
			FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`,
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

// sqliteConn is a connection with the statements that were prepared on it.
type sqliteConn struct {
	*sqlite.Conn
	statements map[string]*sqlite.Stmt // by their texts
}

func (c *sqliteConn) transact(ctx context.Context, begin string, fn func(conn) error) (err error) {
	if _, err := c.exec(ctx, begin); err != nil {
		return err
	}
	defer func() {
		if !c.AutocommitEnabled() { // not committed
			c.SetInterrupt(nil)
			_, undone := c.exec(context.WithoutCancel(ctx), "ROLLBACK")
			err = errors.Join(err, undone)
		}
	}()
	if err := fn(c); err != nil {
		return err
	}
	_, err = c.exec(ctx, "COMMIT")
	return err
}

// statement returns the prepared statement of a text, prepared at most once, with the
// parameters of its last use. Conn.Prepare would clear them, and SQLite, since 3.54, then
// plans a query anew that has a parameter in a join or is ordered.
func (c *sqliteConn) statement(sql string) (*sqlite.Stmt, error) {
	if st := c.statements[sql]; st != nil {
		return st, nil
	}
	st, err := c.Prepare(sql)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, sqliteError(err))
	}
	c.statements[sql] = st
	return st, nil
}

func (c *sqliteConn) exec(_ context.Context, sql string, args ...any) (int64, error) {
	if err := c.runWith(sql, args, nil); err != nil {
		return 0, err
	}
	return int64(c.Changes()), nil
}

func (c *sqliteConn) query(_ context.Context, sql string, args []any, each func(row) error) error {
	return c.runWith(sql, args, each)
}

func (c *sqliteConn) runWith(sql string, args []any, each func(row) error) error {
	st, err := c.statement(sql)
	if err != nil {
		return err
	}
	b := sqliteBinder{st: st}
	b.all(args)
	if err := b.finish(); err != nil {
		return err
	}
	return c.run(st, each)
}

// run steps through a bound statement, and resets it for its next use.
func (c *sqliteConn) run(st *sqlite.Stmt, each func(row) error) error {
	for {
		more, err := st.Step()
		if err != nil {
			return sqliteError(err)
		}
		if !more {
			return st.Reset()
		}
		if each == nil {
			continue
		}
		if err := each(sqliteRow{st}); err != nil {
			return errors.Join(err, st.Reset())
		}
	}
}

func sqliteError(err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultInterrupt:
		return fmt.Errorf("%w: %w", context.Canceled, err)
	case sqlite.ResultBusy, sqlite.ResultFull, sqlite.ResultIOErr, sqlite.ResultReadOnly:
		return fmt.Errorf("%w: %w", refusal.ErrUnreachable, err)
	default:
		return err
	}
}

func (c *sqliteConn) goesRowByRow() bool { return true }

func (c *sqliteConn) send(_ context.Context, statements []*queued) error {
	for _, q := range statements {
		written, err := c.rowByRow(q)
		if err == nil && q.done != nil {
			err = q.done(written)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rowByRow runs a set statement for each of its rows.
func (c *sqliteConn) rowByRow(q *queued) (written int64, err error) {
	st, err := c.statement(q.set.rowSQL)
	if err != nil {
		return 0, err
	}
	for i := range q.rows {
		b := sqliteBinder{st: st}
		q.bind(i, &b)
		if err := b.finish(); err != nil {
			return written, err
		}
		if err := c.run(st, q.each); err != nil {
			return written, err
		}
		if !q.set.reads() {
			written += int64(c.Changes())
		}
	}
	return written, nil
}

type sqliteBinder struct {
	st  *sqlite.Stmt
	at  int
	err error // the first error that fail was called with
}

func (b *sqliteBinder) fail(err error) { b.err = cmp.Or(b.err, err) }

func (b *sqliteBinder) text(s string) {
	b.at++
	b.st.BindText(b.at, s)
}

func (b *sqliteBinder) integer(n int64) {
	b.at++
	b.st.BindInt64(b.at, n)
}

func (b *sqliteBinder) bytes(p []byte) {
	b.at++
	b.st.BindBytes(b.at, p)
}

func (b *sqliteBinder) all(args []any) {
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			b.text(arg)
		case int64:
			b.integer(arg)
		case int:
			b.integer(int64(arg))
		case []byte:
			b.bytes(arg)
		case bool:
			b.integer(flagOf(arg))
		case time.Time:
			b.integer(micros(arg))
		default:
			b.fail(fmt.Errorf("parameter %d is a %T, which the store cannot hold", i+1, arg))
		}
	}
}

// finish returns an error unless every parameter was bound. One that was not would
// have its value of the last use.
func (b *sqliteBinder) finish() error {
	if want := b.st.BindParamCount(); b.err == nil && b.at != want {
		return fmt.Errorf("%d parameters were bound, want %d", b.at, want)
	}
	return b.err
}

type sqliteRow struct{ st *sqlite.Stmt }

func (r sqliteRow) scan(dest ...any) error {
	for i, d := range dest {
		switch d := d.(type) {
		case *string:
			*d = r.st.ColumnText(i)
		case *int64:
			*d = r.st.ColumnInt64(i)
		case *int:
			*d = r.st.ColumnInt(i)
		case *[]byte:
			n := r.st.ColumnLen(i)
			if *d == nil || cap(*d) < n {
				*d = make([]byte, n)
			}
			*d = (*d)[:n]
			r.st.ColumnBytes(i, *d)
		case *time.Time:
			*d = fromMicros(r.st.ColumnInt64(i))
		case *bool:
			*d = r.st.ColumnInt64(i) != 0
		case fixedBytes:
			r.st.ColumnBytes(i, d)
		case bytesScanner:
			stored := make([]byte, r.st.ColumnLen(i))
			r.st.ColumnBytes(i, stored)
			d.scanBytes(stored)
		case textScanner:
			if err := d.scanText(r.st.ColumnText(i)); err != nil {
				return err
			}
		default:
			return fmt.Errorf("column %d cannot be read into a %T", i+1, d)
		}
	}
	return nil
}
