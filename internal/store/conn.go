package store

import (
	"context"
	"time"
)

// conn is one connection inside a transaction. Statements number their
// parameters $1, $2, … in ascending order, which both engines understand.
type conn interface {
	// exec runs a statement and tells how many rows it wrote.
	exec(ctx context.Context, sql string, args ...any) (rows int64, err error)
	// query runs a statement and calls each for every row.
	query(ctx context.Context, sql string, args []any, each func(row) error) error
	// apply runs one statement for each of n rows of parameters, and tells how
	// many rows were written. How a set of rows travels is the engine's affair.
	apply(ctx context.Context, st *setStatement, n int, bind func(i int, b binder)) (rows int64, err error)
	// find runs one look-up for each of n rows of keys and calls each for every
	// row found.
	find(ctx context.Context, st *setStatement, n int, bind func(i int, b binder), each func(row) error) error
}

// row is one row of an answer. scan takes *string, *int64, *[]byte and
// *time.Time (from microseconds; 0 is the zero time), or pointers to types
// made of string.
type row interface{ scan(dest ...any) error }

// binder takes one row of parameters, in order.
type binder interface {
	text(string)
	integer(int64)
	bytes([]byte)
}

// micros is a time as the database holds it: microseconds since 1970, 0 for
// the zero time.
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
