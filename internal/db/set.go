package db

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// setStatement describes a statement that is run for many rows at once. Each
// engine writes it in its own way: an embedded one runs rowSQL row by row, a
// server runs arraySQL once with one array of parameters per column.
type setStatement struct {
	verb     verb
	table    string
	values   []Spec // written, or read by a look-up
	returned []Spec // read from the rows that updateReturn has written
	keys     []Spec // compared
	also     string // what else a look-up asks of rows, without parameters; empty for nothing
	last     string // how a look-up chooses one row for each row of parameters; empty for all rows
	rowSQL   func() string
	arraySQL func() string
	citus    func() citusSQL
}

type verb byte

const (
	insertNew    verb = iota // insert; a row that exists is left alone and not counted
	insertOver               // insert or overwrite the row with the same keys
	update                   // write values where all keys match
	updateReturn             // the same, reading the rows that were written
	insertAdd                // insert, or add values, which are numbers, to the row with the same keys
	increase                 // add values, which are numbers, where all keys match
	lookUp                   // read values where all keys match
	lookUpLock               // the same, locking the rows until the transaction ends
	lookUpShare              // the same, keeping others from changing or deleting the rows until then
	lookUpKeep               // the same, keeping others from deleting the rows until then
	deleteOld                // delete the rows where all keys match
)

// Lock is how a look-up locks the rows that it finds until the transaction ends, on engines
// that have such locks.
type Lock verb

// The locks.
const (
	NoLock      = Lock(lookUp)
	ForUpdate   = Lock(lookUpLock)  // keeps others from locking the rows, changing or deleting them
	ForShare    = Lock(lookUpShare) // keeps others from changing or deleting them
	ForKeyShare = Lock(lookUpKeep)  // keeps others from deleting them
)

// Spec is a column as SQL knows it.
type Spec struct {
	Name string
	Kind Kind
}

// Kind is the kind of a column's values.
type Kind byte

// The kinds.
const (
	TextKind Kind = iota
	IntegerKind
	BytesKind
)

func newSet(verb verb, table string, keys, values []Spec, returned ...Spec) *setStatement {
	st := &setStatement{verb: verb, table: table, keys: keys, values: values, returned: returned}
	st.write()
	return st
}

// where returns the look-up with a condition on top.
func (st *setStatement) where(condition string) *setStatement {
	narrow := *st
	narrow.also = " AND " + condition
	narrow.write()
	return &narrow
}

// as returns the look-up with another verb.
func (st *setStatement) as(v verb) *setStatement {
	other := *st
	other.verb = v
	other.write()
	return &other
}

// greatest returns the look-up of only the row with the greatest value in a column, of
// those that it finds for each row of parameters.
func (st *setStatement) greatest(column string) *setStatement {
	narrow := *st
	narrow.last = " ORDER BY " + column + " DESC LIMIT 1"
	narrow.write()
	return &narrow
}

// write makes the statement be written for an engine when that first runs it: there are
// hundreds, of which most commands of the program run none.
func (st *setStatement) write() {
	st.rowSQL, st.arraySQL = sync.OnceValue(st.forOneRow), sync.OnceValue(st.forArrays)
	st.citus = sync.OnceValue(st.forCitus)
}

// reads reports whether the statement returns rows.
func (st *setStatement) reads() bool { return st.looksUp() || st.verb == updateReturn }

// looksUp reports whether the statement finds rows rather than writing them.
func (st *setStatement) looksUp() bool {
	switch st.verb {
	case lookUp, lookUpLock, lookUpShare, lookUpKeep:
		return true
	default:
		return false
	}
}

// lockClause writes how a look-up locks rows on engines that have such locks; empty if it
// does not.
func (st *setStatement) lockClause() string {
	switch st.verb {
	case lookUpLock:
		return " FOR UPDATE"
	case lookUpShare:
		return " FOR SHARE"
	case lookUpKeep:
		return " FOR KEY SHARE"
	default:
		return ""
	}
}

// bound returns the columns that parameters are bound for, in order: the values
// that are written, then the keys.
func (st *setStatement) bound() []Spec {
	if st.looksUp() {
		return st.keys
	}
	return slices.Concat(st.values, st.keys)
}

// forOneRow writes the statement for a single row of parameters.
func (st *setStatement) forOneRow() string {
	number := func(from int) func(int, Spec) string {
		return func(i int, _ Spec) string { return fmt.Sprintf("$%d", from+i) }
	}
	match := func(from int) string {
		return each(st.keys, " AND ", func(i int, c Spec) string { return c.Name + " = " + number(from)(i, c) })
	}
	switch st.verb {
	case update, updateReturn, increase:
		set := each(st.values, ", ", func(i int, c Spec) string { return c.Name + " = " + st.onTop("", c) + number(1)(i, c) })
		return "UPDATE " + st.table + " SET " + set + " WHERE " + match(1+len(st.values))
	case lookUp, lookUpLock, lookUpShare, lookUpKeep:
		return "SELECT " + names(st.values) + " FROM " + st.table + " WHERE " + match(1) + st.also + st.last
	case deleteOld:
		return "DELETE FROM " + st.table + " WHERE " + match(1)
	default:
		return st.insert("VALUES (" + each(st.bound(), ", ", number(1)) + ")")
	}
}

// returning writes what an update reads of the rows that it has written, if it does. The
// embedded engine goes without: it knows which row it was, and RETURNING makes SQLite write
// a temporary table.
func (st *setStatement) returning(alias string) string {
	if st.verb != updateReturn {
		return ""
	}
	return " RETURNING " + each(st.returned, ", ", func(_ int, c Spec) string { return alias + c.Name })
}

// onTop writes what the new value of a column is added to, if it is.
func (st *setStatement) onTop(alias string, c Spec) string {
	if st.verb != increase && st.verb != insertAdd {
		return ""
	}
	return alias + c.Name + " + "
}

// insert writes an insert of the rows that source gives.
func (st *setStatement) insert(source string) string {
	text := "INSERT INTO " + st.table + " (" + names(st.bound()) + ") " + source
	if st.verb == insertNew {
		return text + " ON CONFLICT DO NOTHING"
	}
	overwrite := each(st.values, ", ", func(_ int, c Spec) string {
		return c.Name + " = " + st.onTop(st.table+".", c) + "excluded." + c.Name
	})
	return text + " ON CONFLICT (" + names(st.keys) + ") DO UPDATE SET " + overwrite
}

// names lists columns as SQL does.
func names(columns []Spec) string {
	return each(columns, ", ", func(_ int, c Spec) string { return c.Name })
}

// namesOf lists columns behind the alias of their table.
func namesOf(alias string, columns []Spec) string {
	return each(columns, ", ", func(_ int, c Spec) string { return alias + "." + c.Name })
}

func each(columns []Spec, separator string, write func(i int, c Spec) string) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = write(i, c)
	}
	return strings.Join(parts, separator)
}
