package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// table describes a table: every column once, with the field of a row that it
// belongs to. All statements about the table follow from it.
type table[R any] struct {
	name    string
	newRow  func() R
	key     []column[R] // the primary key
	rest    []column[R]
	columns []column[R] // all of them, in the order in which they are scanned
}

func newTable[T any](name string, key []column[*T], rest ...column[*T]) *table[*T] {
	return tableOf(name, func() *T { return new(T) }, key, rest)
}

func tableOf[R any](name string, newRow func() R, key, rest []column[R]) *table[R] {
	return &table[R]{name: name, newRow: newRow, key: key, rest: rest, columns: slices.Concat(key, rest)}
}

// pick returns columns by their names. It panics, when the program starts, if the
// table has no such column.
func (t *table[R]) pick(names ...string) []column[R] {
	picked := make([]column[R], len(names))
	for i, name := range names {
		at := slices.IndexFunc(t.columns, func(c column[R]) bool { return c.name == name })
		if at < 0 {
			panic(fmt.Sprintf("store: the table %s has no column %s", t.name, name))
		}
		picked[i] = t.columns[at]
	}
	return picked
}

// only returns the same table without most of its columns, for lists that show
// its key and a few others.
func (t *table[R]) only(names ...string) *table[R] {
	return tableOf(t.name, t.newRow, t.key, t.pick(names...))
}

// key is the primary key of a table.
func key[R any](columns ...column[R]) []column[R] { return columns }

// statement writes rows, which need not be of the type of the table's: some changes
// concern a few columns only.
type statement[R any] struct {
	set   *setStatement
	bound []column[R]
}

// insert returns the statement that adds rows; a row that exists is left alone
// and not counted.
func (t *table[R]) insert() *statement[R] { return t.writing(insertNew) }

// upsert returns the statement that adds rows or overwrites those that exist.
func (t *table[R]) upsert() *statement[R] { return t.writing(insertOver) }

// addition returns the statement that adds rows, or adds to the numbers of those that
// exist.
func (t *table[R]) addition() *statement[R] { return t.writing(insertAdd) }

// update returns the statement that overwrites all but the primary key of rows
// that exist.
func (t *table[R]) update() *statement[R] { return t.writing(update) }

func (t *table[R]) writing(v verb) *statement[R] {
	return &statement[R]{newSet(v, t.name, specs(t.key), specs(t.rest)), slices.Concat(t.rest, t.key)}
}

// updateOf returns a statement that writes some columns of the rows that have
// the given keys. A column may be among both, as another field each: what it
// must still be, and what it becomes.
func updateOf[T, R any](t *table[T], where, set []column[R]) *statement[R] {
	mustBeOf(t, where)
	mustBeOf(t, set)
	return &statement[R]{newSet(update, t.name, specs(where), specs(set)), slices.Concat(set, where)}
}

// increaseOf returns a statement that adds to some columns of the rows that have the
// given keys.
func increaseOf[T, R any](t *table[T], where, added []column[R]) *statement[R] {
	mustBeOf(t, where)
	mustBeOf(t, added)
	return &statement[R]{newSet(increase, t.name, specs(where), specs(added)), slices.Concat(added, where)}
}

// updateReturning is updateOf with columns to read of the rows that were written, which
// written gets from the parameters. It is used as a look-up is.
func updateReturning[T, R, F any](t *table[T], where, set []column[R], read []column[*F], written func(R) *F) *lookup[R, *F] {
	mustBeOf(t, where)
	mustBeOf(t, set)
	mustBeOf(t, read)
	return &lookup[R, *F]{
		set:  newSet(updateReturn, t.name, specs(where), specs(set), specs(read)...),
		keys: slices.Concat(set, where), read: read, newRow: func() *F { return new(F) }, written: written,
	}
}

// deleteFrom returns a statement that deletes the rows that have the given
// keys.
func deleteFrom[T, K any](t *table[T], where []column[K]) *statement[K] {
	mustBeOf(t, where)
	return &statement[K]{newSet(deleteOld, t.name, specs(where), nil), where}
}

// lookup reads the rows that have the keys of a K, or that an update with the
// parameters of a K has written. K is a pointer, as R is.
type lookup[K, R any] struct {
	set    *setStatement
	keys   []column[K]
	read   []column[R]
	newRow func() R
	// written returns what would be read of the row that was written with parameters.
	// Only updateReturning sets it.
	written func(K) R
}

// lookUpBy returns the look-up of whole rows by some of their columns.
func lookUpBy[K, R any](keys []column[K], t *table[R]) *lookup[K, R] {
	return lookUpSome(lookUp, keys, t, t.columns)
}

// lockBy returns the same look-up, locking the rows until the transaction ends.
func lockBy[K, R any](keys []column[K], t *table[R]) *lookup[K, R] {
	return lookUpSome(lookUpLock, keys, t, t.columns)
}

// lookUpSome returns a look-up that reads only some columns.
func lookUpSome[K, R any](v verb, keys []column[K], t *table[R], read []column[R]) *lookup[K, R] {
	mustBeOf(t, keys)
	mustBeOf(t, read)
	return &lookup[K, R]{set: newSet(v, t.name, specs(keys), specs(read)), keys: keys, read: read, newRow: t.newRow}
}

// where narrows a look-up to rows for which a condition without parameters is true. A
// condition of a partial index belongs here: if it is in parameters, SQLite makes a new plan
// each time that they are bound.
func (l *lookup[K, R]) where(condition string) *lookup[K, R] {
	return &lookup[K, R]{set: l.set.where(condition), keys: l.keys, read: l.read, newRow: l.newRow}
}

// last narrows a look-up to one row for each row of parameters: that with the greatest value
// in a column, which an index should have behind the keys.
func (l *lookup[K, R]) last(column string) *lookup[K, R] {
	return &lookup[K, R]{set: l.set.greatest(column), keys: l.keys, read: l.read, newRow: l.newRow}
}

// mustBeOf panics, when the program starts, if a column is not one of the
// table's.
func mustBeOf[T, R any](t *table[T], columns []column[R]) {
	for _, c := range columns {
		if !slices.Contains(specs(t.columns), c.columnSpec) {
			panic(fmt.Sprintf("store: the table %s has no column %s of this kind", t.name, c.name))
		}
	}
}

// list lists the columns for a SELECT, behind an alias unless it is empty.
func (t *table[R]) list(alias string) string {
	if alias == "" {
		return names(specs(t.columns))
	}
	return namesOf(alias, specs(t.columns))
}

// into returns where a scan of the columns puts a row, in front of which other
// columns may have been read.
func into[R any](columns []column[R], of R) []any {
	fields := make([]any, len(columns))
	for i, c := range columns {
		fields[i] = c.into(of)
	}
	return fields
}

// each calls fn for every row of a query, which is given from behind the table's
// name on: "WHERE … ORDER BY …".
func (t *table[R]) each(ctx context.Context, c conn, tail string, args []any, fn func(R) error) error {
	return c.query(ctx, "SELECT "+t.list("")+" FROM "+t.name+" "+tail, args, func(r row) error {
		found := t.newRow()
		if err := r.scan(into(t.columns, found)...); err != nil {
			return fmt.Errorf("read %s: %w", t.name, err)
		}
		return fn(found)
	})
}

// visit is each with the same R for every row, so that long lists are read without
// allocating: the row, and the bytes in it, are valid until fn returns.
func (t *table[R]) visit(ctx context.Context, c conn, tail string, args []any, fn func(R) error) error {
	found := t.newRow()
	fields := into(t.columns, found)
	return c.query(ctx, "SELECT "+t.list("")+" FROM "+t.name+" "+tail, args, func(r row) error {
		if err := r.scan(fields...); err != nil {
			return fmt.Errorf("read %s: %w", t.name, err)
		}
		return fn(found)
	})
}

// all returns the rows of a query.
func (t *table[R]) all(ctx context.Context, c conn, tail string, args ...any) (found []R, err error) {
	err = t.each(ctx, c, tail, args, func(row R) error {
		found = append(found, row)
		return nil
	})
	return found, err
}

// one returns the last row of a query, which should have one at most; nil if it
// has none.
func (t *table[R]) one(ctx context.Context, c conn, tail string, args ...any) (found R, err error) {
	err = t.each(ctx, c, tail, args, func(row R) error {
		found = row
		return nil
	})
	return found, err
}

// errPageFull ends a query early.
var errPageFull = errors.New("the page is full")
