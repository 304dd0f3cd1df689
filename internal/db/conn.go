package db

import (
	"context"
	"time"
)

// Conn is one connection inside a transaction. Statements number their
// parameters $1, $2, … in ascending order, which both engines understand.
type Conn interface {
	// Exec runs a statement and returns how many rows it wrote. An argument is a
	// string, int, int64, []byte, bool or time.Time.
	Exec(ctx context.Context, sql string, args ...any) (rows int64, err error)
	// Query runs a statement and calls each for every row.
	Query(ctx context.Context, sql string, args []any, each func(Row) error) error
	// send runs set statements in their order, all of them in one round trip
	// where the engine can. The first error of the database or of a function
	// that a statement calls is returned.
	send(ctx context.Context, statements []*queued) error
	// GoesRowByRow reports whether a set statement costs the engine as much as
	// its rows one by one.
	GoesRowByRow() bool
	// WritesAlone reports whether no other transaction writes while this one does, so that
	// it needs no locks.
	WritesAlone() bool
	// WaitForLocks bounds the wait for each lock of the transaction from now on, where
	// several transactions can write at the same time.
	WaitForLocks(ctx context.Context, atMost time.Duration) error
}

// queued is a set statement and its rows of parameters.
type queued struct {
	set  *setStatement
	rows int                    // how many rows of parameters; none means that nothing is sent
	bind func(i int, b binder)  // binds row i: the columns of set.bound, in order
	each func(Row) error        // of a look-up: called for every row that is found
	done func(rows int64) error // of any other: called with the number of rows written
	// wrote is called by an engine that goes row by row, instead of each, for each row of
	// parameters of an updateReturn with which it has written a row.
	wrote func(i int)
}

// Row is one row of a result. scan takes pointers to string, int64, int,
// []byte, bool and time.Time, and a textScanner or bytesScanner of the columns' own.
type Row interface{ Scan(into ...any) error }

// textScanner takes the value of a text column.
type textScanner interface{ scanText(string) error }

// bytesScanner takes the value of a column of bytes, which is valid until scanBytes returns.
type bytesScanner interface{ scanBytes(stored []byte) }

// fixedBytes takes the value of a bytes column of fixed length.
type fixedBytes []byte

// binder takes one row of parameters, in order.
type binder interface {
	text(string)
	integer(int64)
	bytes([]byte)
	// fail ends the statement with an error: a value cannot be written.
	fail(error)
}

// micros returns a time as the database holds it: microseconds since 1970, 0
// for the zero time.
func micros(at time.Time) int64 {
	if at.IsZero() {
		return 0
	}
	return at.UnixMicro()
}

func fromMicros(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
