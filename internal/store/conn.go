package store

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// conn is one connection inside a transaction. Statements number their
// parameters $1, $2, … in ascending order, which both engines understand.
type conn interface {
	// exec runs a statement and tells how many rows it wrote. A violated
	// unique key is ErrDuplicate.
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

// setStatement is a statement that is run for many rows at once. Engines make
// their own SQL of it: one prepared statement run row by row, or one statement
// over arrays.
type setStatement struct {
	verb   verb
	table  string
	values []column // read or written, in the order of binding (and of scanning)
	keys   []column // compared, bound after the values
	rowSQL string   // for one row
}

type verb byte

const (
	insertNew  verb = iota // insert; a row that exists is left alone and not counted
	insertOver             // insert or overwrite the row with the same keys
	update                 // write values where all keys match
	lookUp                 // read values where all keys match
	lookUpLock             // the same, locking the rows until the transaction ends
)

type column struct {
	name string
	kind columnKind
}

type columnKind byte

const (
	textColumn columnKind = iota
	integerColumn
	bytesColumn
)

func texts(names ...string) []column    { return columns(textColumn, names) }
func integers(names ...string) []column { return columns(integerColumn, names) }
func byteses(names ...string) []column  { return columns(bytesColumn, names) }

func columns(kind columnKind, names []string) []column {
	all := make([]column, len(names))
	for i, name := range names {
		all[i] = column{name, kind}
	}
	return all
}

func newSet(verb verb, table string, keys, values []column) *setStatement {
	st := &setStatement{verb: verb, table: table, keys: keys, values: values}
	st.rowSQL = st.forOneRow()
	return st
}

// forOneRow writes the statement for a single row of parameters.
func (st *setStatement) forOneRow() string {
	switch st.verb {
	case update:
		set := numbered(st.values, " = ", ", ", 1)
		return "UPDATE " + st.table + " SET " + set + " WHERE " + numbered(st.keys, " = ", " AND ", 1+len(st.values))
	case lookUp, lookUpLock:
		return "SELECT " + names(st.values) + " FROM " + st.table + " WHERE " + numbered(st.keys, " = ", " AND ", 1)
	}
	all := append(append([]column{}, st.values...), st.keys...)
	text := "INSERT INTO " + st.table + " (" + names(all) + ") VALUES (" + numbered(all, "", ", ", 1) + ")"
	if st.verb == insertNew {
		return text + " ON CONFLICT DO NOTHING"
	}
	overwrite := make([]string, len(st.values))
	for i, c := range st.values {
		overwrite[i] = c.name + " = excluded." + c.name
	}
	return text + " ON CONFLICT (" + names(st.keys) + ") DO UPDATE SET " + strings.Join(overwrite, ", ")
}

func names(columns []column) string {
	all := make([]string, len(columns))
	for i, c := range columns {
		all[i] = c.name
	}
	return strings.Join(all, ", ")
}

// numbered writes "name = $1, other = $2", or only the numbers where sign is
// empty.
func numbered(columns []column, sign, separator string, from int) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = fmt.Sprintf("$%d", from+i)
		if sign != "" {
			parts[i] = c.name + sign + parts[i]
		}
	}
	return strings.Join(parts, separator)
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
