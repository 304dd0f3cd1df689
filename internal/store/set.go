package store

import (
	"fmt"
	"slices"
	"strings"
)

// setStatement is a statement that is run for many rows at once. It is written
// in two ways: for one row of parameters, which an embedded engine runs row by
// row, and for one array of parameters per column, which a server runs once.
type setStatement struct {
	verb     verb
	table    string
	values   []column // read or written, in the order of binding (and of scanning)
	keys     []column // compared, bound after the values
	rowSQL   string   // for one row
	arraySQL string   // for arrays
	citus    citusSQL // for tables that are distributed by partner
}

type verb byte

const (
	insertNew  verb = iota // insert; a row that exists is left alone and not counted
	insertOver             // insert or overwrite the row with the same keys
	update                 // write values where all keys match
	lookUp                 // read values where all keys match
	lookUpLock             // the same, locking the rows until the transaction ends
	deleteOld              // delete the rows where all keys match
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

// arrayType is what an array of the column's values is to PostgreSQL.
func (c column) arrayType() string {
	return [...]string{textColumn: "text[]", integerColumn: "bigint[]", bytesColumn: "bytea[]"}[c.kind]
}

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
	st.rowSQL, st.arraySQL = st.forOneRow(), st.forArrays()
	st.citus = st.forCitus()
	return st
}

// bound are the columns that parameters are bound for, in order.
func (st *setStatement) bound() []column {
	if st.verb == lookUp || st.verb == lookUpLock {
		return st.keys
	}
	return slices.Concat(st.values, st.keys)
}

// forOneRow writes the statement for a single row of parameters.
func (st *setStatement) forOneRow() string {
	number := func(from int) func(int, column) string {
		return func(i int, _ column) string { return fmt.Sprintf("$%d", from+i) }
	}
	match := func(from int) string {
		return each(st.keys, " AND ", func(i int, c column) string { return c.name + " = " + number(from)(i, c) })
	}
	switch st.verb {
	case update:
		set := each(st.values, ", ", func(i int, c column) string { return c.name + " = " + number(1)(i, c) })
		return "UPDATE " + st.table + " SET " + set + " WHERE " + match(1+len(st.values))
	case lookUp, lookUpLock:
		return "SELECT " + names(st.values) + " FROM " + st.table + " WHERE " + match(1)
	case deleteOld:
		return "DELETE FROM " + st.table + " WHERE " + match(1)
	default:
		return st.insert("VALUES (" + each(st.bound(), ", ", number(1)) + ")")
	}
}

// forArrays writes the statement for one array of parameters per column. In
// it, v1, v2, … are the bound columns.
func (st *setStatement) forArrays() string { return st.forArraysOfOne(-1) }

// forArraysOfOne is forArrays, but one of the bound columns is the same for all
// rows, and its parameter no array; -1 for none.
func (st *setStatement) forArraysOfOne(same int) string {
	v := func(from int) func(int, column) string {
		return func(i int, _ column) string {
			if from+i == same+1 {
				return fmt.Sprintf("$%d", same+1)
			}
			return fmt.Sprintf("v.v%d", from+i)
		}
	}
	var parameters, bindings []string
	for i, c := range st.bound() {
		if i != same {
			parameters = append(parameters, fmt.Sprintf("$%d::%s", i+1, c.arrayType()))
			bindings = append(bindings, fmt.Sprintf("v%d", i+1))
		}
	}
	arrays := "unnest(" + strings.Join(parameters, ", ") + ")"
	bound := arrays + " AS v(" + strings.Join(bindings, ", ") + ")"
	match := func(from int) string {
		return each(st.keys, " AND ", func(i int, c column) string { return "t." + c.name + " = " + v(from)(i, c) })
	}
	switch st.verb {
	case update:
		set := each(st.values, ", ", func(i int, c column) string { return c.name + " = " + v(1)(i, c) })
		return "UPDATE " + st.table + " AS t SET " + set + " FROM " + bound + " WHERE " + match(1+len(st.values))
	case lookUp, lookUpLock:
		text := "SELECT " + qualified(st.values) + " FROM " + bound + " JOIN " + st.table + " AS t ON " + match(1)
		if st.verb == lookUpLock {
			// In one order, so that no two transactions wait for each other.
			text += " ORDER BY " + qualified(st.keys) + " FOR UPDATE OF t"
		}
		return text
	case deleteOld:
		return "DELETE FROM " + st.table + " AS t USING " + bound + " WHERE " + match(1)
	default:
		return st.insert("SELECT * FROM " + arrays)
	}
}

// insert writes an insert of whatever rows source gives.
func (st *setStatement) insert(source string) string {
	text := "INSERT INTO " + st.table + " (" + names(st.bound()) + ") " + source
	if st.verb == insertNew {
		return text + " ON CONFLICT DO NOTHING"
	}
	overwrite := each(st.values, ", ", func(_ int, c column) string { return c.name + " = excluded." + c.name })
	return text + " ON CONFLICT (" + names(st.keys) + ") DO UPDATE SET " + overwrite
}

func names(columns []column) string {
	return each(columns, ", ", func(_ int, c column) string { return c.name })
}

func qualified(columns []column) string {
	return each(columns, ", ", func(_ int, c column) string { return "t." + c.name })
}

func each(columns []column, separator string, write func(i int, c column) string) string {
	parts := make([]string, len(columns))
	for i, c := range columns {
		parts[i] = write(i, c)
	}
	return strings.Join(parts, separator)
}
