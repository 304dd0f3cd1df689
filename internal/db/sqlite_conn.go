package db

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"zombiezen.com/go/sqlite"
)

// sqliteConn is a connection with the statements that were prepared on it.
type sqliteConn struct {
	*sqlite.Conn
	statements map[string]*sqliteStatement // by their texts
	value      []byte                      // of a column that is being scanned
	interrupt  chan struct{}               // closed to interrupt a statement
}

func newSQLiteConn(opened *sqlite.Conn) *sqliteConn {
	c := &sqliteConn{Conn: opened, statements: map[string]*sqliteStatement{}, value: make([]byte, usualValue)}
	c.interruptible()
	return c
}

// interruptible lets the next end of a context interrupt statements. Conn.SetInterrupt
// starts a goroutine, which is too much for each transaction.
func (c *sqliteConn) interruptible() {
	c.interrupt = make(chan struct{})
	c.SetInterrupt(c.interrupt)
}

// interruptAfter interrupts statements when ctx ends, until the function that it
// returns is called.
func (c *sqliteConn) interruptAfter(ctx context.Context) (end func()) {
	interrupt := c.interrupt
	stop := context.AfterFunc(ctx, func() { close(interrupt) })
	return func() {
		if !stop() {
			<-interrupt
			c.interruptible()
		}
	}
}

// transact runs fn in a transaction, whose statements are interrupted when ctx ends.
func (c *sqliteConn) transact(ctx context.Context, begin string, fn func(Conn) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	end := c.interruptAfter(ctx)
	defer func() {
		end()
		if errors.Is(err, context.Canceled) && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			// SQLite knows no deadlines, but callers do: a transaction that was too slow is tried again with more time.
			err = fmt.Errorf("%w: %v", context.DeadlineExceeded, err) //nolint:errorlint // it was not cancelled
		}
		if !c.AutocommitEnabled() { // not committed
			_, undone := c.Exec(context.WithoutCancel(ctx), "ROLLBACK")
			err = errors.Join(err, undone)
		}
	}()
	if _, err := c.Exec(ctx, begin); err != nil {
		return err
	}
	if err := fn(c); err != nil {
		return err
	}
	_, err = c.Exec(ctx, "COMMIT")
	return err
}

// statement returns the prepared statement of a text, prepared at most once, with the
// parameters of its last use. Conn.Prepare would clear them. Since 3.54, SQLite makes a new
// plan for an ordered query or a join each time that its parameters have been cleared.
func (c *sqliteConn) statement(sql string) (*sqliteStatement, error) {
	if st := c.statements[sql]; st != nil {
		return st, nil
	}
	prepared, err := c.Prepare(sql)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", sql, sqliteError(err))
	}
	st := &sqliteStatement{prepared, c}
	c.statements[sql] = st
	return st, nil
}

func (c *sqliteConn) Exec(ctx context.Context, sql string, args ...any) (int64, error) {
	if err := c.Query(ctx, sql, args, nil); err != nil {
		return 0, err
	}
	return int64(c.Changes()), nil
}

func (c *sqliteConn) Query(_ context.Context, sql string, args []any, each func(Row) error) error {
	st, err := c.statement(sql)
	if err != nil {
		return err
	}
	b := sqliteBinder{st: st.Stmt}
	b.all(args)
	if err := b.finish(); err != nil {
		return err
	}
	return c.run(st, each)
}

// run steps through a bound statement, and resets it for its next use, also if each
// panics.
func (c *sqliteConn) run(st *sqliteStatement, each func(Row) error) (err error) {
	defer func() { err = errors.Join(err, st.Reset()) }()
	for {
		more, err := st.Step()
		if err != nil {
			return sqliteError(err)
		}
		if !more {
			return nil
		}
		if each == nil {
			continue
		}
		if err := each(st); err != nil {
			return err
		}
	}
}

func sqliteError(err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultInterrupt:
		return fmt.Errorf("%w: %w", context.Canceled, err)
	case sqlite.ResultFull:
		return fmt.Errorf("%w: %w", refusal.ErrFull, err)
	case sqlite.ResultBusy, sqlite.ResultIOErr, sqlite.ResultReadOnly:
		return fmt.Errorf("%w: %w", refusal.ErrUnreachable, err)
	default:
		return err
	}
}

func (c *sqliteConn) GoesRowByRow() bool { return true }

func (c *sqliteConn) WritesAlone() bool { return true }

// WaitForLocks does nothing: there is one writer.
func (c *sqliteConn) WaitForLocks(context.Context, time.Duration) error { return nil }

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
	st, err := c.statement(q.set.rowSQL())
	if err != nil {
		return 0, err
	}
	for i := range q.rows {
		b := sqliteBinder{st: st.Stmt}
		q.bind(i, &b)
		if err := b.finish(); err != nil {
			return written, err
		}
		if err := c.run(st, q.each); err != nil {
			return written, err
		}
		if q.set.looksUp() {
			continue
		}
		changed := int64(c.Changes())
		if written += changed; changed > 0 && q.wrote != nil {
			q.wrote(i)
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

// sqliteStatement is a prepared statement and, while it runs, its row.
type sqliteStatement struct {
	*sqlite.Stmt
	conn *sqliteConn
}

// usualValue is the length of values, in bytes, that are scanned without allocating.
const usualValue = 4 << 10

func (s *sqliteStatement) Scan(dest ...any) error {
	for i, d := range dest {
		switch d := d.(type) {
		case *string:
			if value := s.columnBytes(i); string(value) != *d { // in lists it is often the same
				*d = string(value)
			}
		case *int64:
			*d = s.ColumnInt64(i)
		case *int:
			*d = s.ColumnInt(i)
		case *[]byte:
			n := s.ColumnLen(i)
			if *d == nil || cap(*d) < n {
				*d = make([]byte, n)
			}
			*d = (*d)[:n]
			s.ColumnBytes(i, *d)
		case *time.Time:
			*d = fromMicros(s.ColumnInt64(i))
		case *bool:
			*d = s.ColumnInt64(i) != 0
		case fixedBytes:
			s.ColumnBytes(i, d)
		case bytesScanner:
			d.scanBytes(s.columnBytes(i))
		case textScanner:
			if err := d.scanText(s.ColumnText(i)); err != nil {
				return err
			}
		default:
			return fmt.Errorf("column %d cannot be read into a %T", i+1, d)
		}
	}
	return nil
}

// columnBytes returns the value of a column, which is valid until the next call.
func (s *sqliteStatement) columnBytes(i int) []byte {
	value := s.conn.value
	if n := s.ColumnBytes(i, value); n < len(value) {
		return value[:n]
	}
	value = make([]byte, s.ColumnLen(i))
	s.ColumnBytes(i, value)
	return value
}
