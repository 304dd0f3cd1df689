package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// table describes a table: every column once, with the field of T that it
// belongs to. All statements about the table follow from it.
type table[T any] struct {
	name    string
	key     []column[T] // the primary key
	rest    []column[T]
	columns []column[T] // all of them, in the order in which they are scanned
}

func newTable[T any](name string, key []column[T], rest ...column[T]) *table[T] {
	return &table[T]{name: name, key: key, rest: rest, columns: slices.Concat(key, rest)}
}

// pick returns columns by their names. It panics, when the program starts, if the
// table has no such column.
func (t *table[T]) pick(names ...string) []column[T] {
	picked := make([]column[T], len(names))
	for i, name := range names {
		at := slices.IndexFunc(t.columns, func(c column[T]) bool { return c.name == name })
		if at < 0 {
			panic(fmt.Sprintf("store: the table %s has no column %s", t.name, name))
		}
		picked[i] = t.columns[at]
	}
	return picked
}

// only returns the same table without most of its columns, for lists that show
// its key and a few others.
func (t *table[T]) only(names ...string) *table[T] {
	return newTable(t.name, t.key, t.pick(names...)...)
}

// key is the primary key of a table.
func key[T any](columns ...column[T]) []column[T] { return columns }

// statement writes rows of T, which need not be the T of the table: some
// changes concern a few columns only.
type statement[T any] struct {
	set   *setStatement
	bound []column[T]
}

// insert returns the statement that adds rows; a row that exists is left alone
// and not counted.
func (t *table[T]) insert() *statement[T] { return t.writing(insertNew) }

// upsert returns the statement that adds rows or overwrites those that exist.
func (t *table[T]) upsert() *statement[T] { return t.writing(insertOver) }

// addition returns the statement that adds rows, or adds to the numbers of those that
// exist.
func (t *table[T]) addition() *statement[T] { return t.writing(insertAdd) }

// update returns the statement that overwrites all but the primary key of rows
// that exist.
func (t *table[T]) update() *statement[T] { return t.writing(update) }

func (t *table[T]) writing(v verb) *statement[T] {
	return &statement[T]{newSet(v, t.name, specs(t.key), specs(t.rest)), slices.Concat(t.rest, t.key)}
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
func updateReturning[T, R, F any](t *table[T], where, set []column[R], read []column[F], written func(*R) *F) *lookup[R, F] {
	mustBeOf(t, where)
	mustBeOf(t, set)
	mustBeOf(t, read)
	return &lookup[R, F]{newSet(updateReturn, t.name, specs(where), specs(set), specs(read)...), slices.Concat(set, where), read, written}
}

// deleteFrom returns a statement that deletes the rows that have the given
// keys.
func deleteFrom[T, K any](t *table[T], where []column[K]) *statement[K] {
	mustBeOf(t, where)
	return &statement[K]{newSet(deleteOld, t.name, specs(where), nil), where}
}

// lookup reads the rows of T that have the keys of a K, or that an update with the
// parameters of a K has written.
type lookup[K, T any] struct {
	set  *setStatement
	keys []column[K]
	read []column[T]
	// written returns what would be read of the row that was written with parameters.
	// Only updateReturning sets it.
	written func(*K) *T
}

// lookUpBy returns the look-up of whole rows by some of their columns.
func lookUpBy[K, T any](keys []column[K], t *table[T]) *lookup[K, T] {
	return lookUpSome(lookUp, keys, t, t.columns)
}

// lockBy returns the same look-up, locking the rows until the transaction ends.
func lockBy[K, T any](keys []column[K], t *table[T]) *lookup[K, T] {
	return lookUpSome(lookUpLock, keys, t, t.columns)
}

// lookUpSome returns a look-up that reads only some columns.
func lookUpSome[K, T any](v verb, keys []column[K], t *table[T], read []column[T]) *lookup[K, T] {
	mustBeOf(t, keys)
	mustBeOf(t, read)
	return &lookup[K, T]{set: newSet(v, t.name, specs(keys), specs(read)), keys: keys, read: read}
}

// where narrows a look-up to rows for which a condition without parameters is true. A
// condition of a partial index belongs here: if it is in parameters, SQLite makes a new plan
// each time that they are bound.
func (l *lookup[K, T]) where(condition string) *lookup[K, T] {
	return &lookup[K, T]{set: l.set.where(condition), keys: l.keys, read: l.read}
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
func (t *table[T]) list(alias string) string {
	if alias == "" {
		return names(specs(t.columns))
	}
	return namesOf(alias, specs(t.columns))
}

// into returns where a scan of the columns puts a row, in front of which other
// columns may have been read.
func into[T any](columns []column[T], of *T) []any {
	fields := make([]any, len(columns))
	for i, c := range columns {
		fields[i] = c.into(of)
	}
	return fields
}

// each calls fn for every row of a query, which is given from behind the table's
// name on: "WHERE … ORDER BY …".
func (t *table[T]) each(ctx context.Context, c conn, tail string, args []any, fn func(*T) error) error {
	return c.query(ctx, "SELECT "+t.list("")+" FROM "+t.name+" "+tail, args, func(r row) error {
		found := new(T)
		if err := r.scan(into(t.columns, found)...); err != nil {
			return fmt.Errorf("read %s: %w", t.name, err)
		}
		return fn(found)
	})
}

// visit is each with the same T for every row, so that long lists are read without
// allocating: the T, and the bytes in it, are valid until fn returns.
func (t *table[T]) visit(ctx context.Context, c conn, tail string, args []any, fn func(*T) error) error {
	found := new(T)
	fields := into(t.columns, found)
	return c.query(ctx, "SELECT "+t.list("")+" FROM "+t.name+" "+tail, args, func(r row) error {
		if err := r.scan(fields...); err != nil {
			return fmt.Errorf("read %s: %w", t.name, err)
		}
		return fn(found)
	})
}

// all returns the rows of a query.
func (t *table[T]) all(ctx context.Context, c conn, tail string, args ...any) (found []*T, err error) {
	err = t.each(ctx, c, tail, args, func(row *T) error {
		found = append(found, row)
		return nil
	})
	return found, err
}

// one returns the last row of a query, which should have one at most; nil if it
// has none.
func (t *table[T]) one(ctx context.Context, c conn, tail string, args ...any) (found *T, err error) {
	err = t.each(ctx, c, tail, args, func(row *T) error {
		found = row
		return nil
	})
	return found, err
}

// errPageFull ends a query early.
var errPageFull = errors.New("the page is full")
