package db

import (
	"context"
	"fmt"
	"slices"
)

// Table describes a table: every column once, with the field of a row that it
// belongs to. All statements about the table follow from it.
type Table[R any] struct {
	Name    string
	newRow  func() R
	Key     []Column[R] // the primary key
	Rest    []Column[R]
	Columns []Column[R] // all of them, in the order in which they are scanned
}

// NewTable returns the table of a name with its primary key and its other columns.
func NewTable[T any](name string, key []Column[*T], rest ...Column[*T]) *Table[*T] {
	return tableOf(name, func() *T { return new(T) }, key, rest)
}

func tableOf[R any](name string, newRow func() R, key, rest []Column[R]) *Table[R] {
	return &Table[R]{Name: name, newRow: newRow, Key: key, Rest: rest, Columns: slices.Concat(key, rest)}
}

// Pick returns columns by their names. It panics, when the program starts, if the
// table has no such column.
func (t *Table[R]) Pick(names ...string) []Column[R] {
	picked := make([]Column[R], len(names))
	for i, name := range names {
		at := slices.IndexFunc(t.Columns, func(c Column[R]) bool { return c.Name == name })
		if at < 0 {
			panic(fmt.Sprintf("db: the table %s has no column %s", t.Name, name))
		}
		picked[i] = t.Columns[at]
	}
	return picked
}

// Only returns the same table without most of its columns, for lists that show
// its key and a few others.
func (t *Table[R]) Only(names ...string) *Table[R] {
	return tableOf(t.Name, t.newRow, t.Key, t.Pick(names...))
}

// Key is the primary key of a table.
func Key[R any](columns ...Column[R]) []Column[R] { return columns }

// Statement writes rows, which need not be of the type of the table's: some changes
// concern a few columns only.
type Statement[R any] struct {
	set   *setStatement
	bound []Column[R]
}

// Insert returns the statement that adds rows; a row that exists is left alone
// and not counted.
func (t *Table[R]) Insert() *Statement[R] { return t.writing(insertNew) }

// Upsert returns the statement that adds rows or overwrites those that exist.
func (t *Table[R]) Upsert() *Statement[R] { return t.writing(insertOver) }

// Addition returns the statement that adds rows, or adds to the numbers of those that
// exist.
func (t *Table[R]) Addition() *Statement[R] { return t.writing(insertAdd) }

// Update returns the statement that overwrites all but the primary key of rows
// that exist.
func (t *Table[R]) Update() *Statement[R] { return t.writing(update) }

func (t *Table[R]) writing(v verb) *Statement[R] {
	return &Statement[R]{newSet(v, t.Name, specs(t.Key), specs(t.Rest)), slices.Concat(t.Rest, t.Key)}
}

// UpdateOf returns a statement that writes some columns of the rows that have
// the given keys. A column may be among both, as another field each: what it
// must still be, and what it becomes.
func UpdateOf[T, R any](t *Table[T], where, set []Column[R]) *Statement[R] {
	mustBeOf(t, where)
	mustBeOf(t, set)
	return &Statement[R]{newSet(update, t.Name, specs(where), specs(set)), slices.Concat(set, where)}
}

// IncreaseOf returns a statement that adds to some columns of the rows that have the
// given keys.
func IncreaseOf[T, R any](t *Table[T], where, added []Column[R]) *Statement[R] {
	mustBeOf(t, where)
	mustBeOf(t, added)
	return &Statement[R]{newSet(increase, t.Name, specs(where), specs(added)), slices.Concat(added, where)}
}

// UpdateReturning is UpdateOf with columns to read of the rows that were written, which
// written gets from the parameters. It is used as a look-up is.
func UpdateReturning[T, R, F any](
	t *Table[T], where, set []Column[R], read []Column[*F], written func(R) *F,
) *Lookup[R, *F] {
	mustBeOf(t, where)
	mustBeOf(t, set)
	mustBeOf(t, read)
	return &Lookup[R, *F]{
		set:  newSet(updateReturn, t.Name, specs(where), specs(set), specs(read)...),
		keys: slices.Concat(set, where), read: read, newRow: func() *F { return new(F) }, written: written,
	}
}

// DeleteFrom returns a statement that deletes the rows that have the given
// keys.
func DeleteFrom[T, K any](t *Table[T], where []Column[K]) *Statement[K] {
	mustBeOf(t, where)
	return &Statement[K]{newSet(deleteOld, t.Name, specs(where), nil), where}
}

// Lookup reads the rows that have the keys of a K, or that an update with the
// parameters of a K has written. K is a pointer, as R is.
type Lookup[K, R any] struct {
	set    *setStatement
	keys   []Column[K]
	read   []Column[R]
	newRow func() R
	// written returns what would be read of the row that was written with parameters.
	// Only UpdateReturning sets it.
	written func(K) R
}

// LookUpBy returns the look-up of whole rows by some of their columns.
func LookUpBy[K, R any](keys []Column[K], t *Table[R]) *Lookup[K, R] {
	return LookUpSome(keys, t, t.Columns)
}

// LockBy returns the same look-up, locking the rows until the transaction ends.
func LockBy[K, R any](keys []Column[K], t *Table[R]) *Lookup[K, R] {
	return LookUpBy(keys, t).Locked(ForUpdate)
}

// LookUpSome returns a look-up that reads only some columns.
func LookUpSome[K, R any](keys []Column[K], t *Table[R], read []Column[R]) *Lookup[K, R] {
	mustBeOf(t, keys)
	mustBeOf(t, read)
	return &Lookup[K, R]{set: newSet(lookUp, t.Name, specs(keys), specs(read)), keys: keys, read: read, newRow: t.newRow}
}

// Locked returns the look-up with a lock of the rows that it finds.
func (l *Lookup[K, R]) Locked(by Lock) *Lookup[K, R] {
	return &Lookup[K, R]{set: l.set.as(verb(by)), keys: l.keys, read: l.read, newRow: l.newRow}
}

// Where narrows a look-up to rows for which a condition without parameters is true. A
// condition of a partial index belongs here: if it is in parameters, SQLite makes a new plan
// each time that they are bound.
func (l *Lookup[K, R]) Where(condition string) *Lookup[K, R] {
	return &Lookup[K, R]{set: l.set.where(condition), keys: l.keys, read: l.read, newRow: l.newRow}
}

// Last narrows a look-up to one row for each row of parameters: that with the greatest value
// in a column, which an index should have behind the keys.
func (l *Lookup[K, R]) Last(column string) *Lookup[K, R] {
	return &Lookup[K, R]{set: l.set.greatest(column), keys: l.keys, read: l.read, newRow: l.newRow}
}

// mustBeOf panics, when the program starts, if a column is not one of the
// table's.
func mustBeOf[T, R any](t *Table[T], columns []Column[R]) {
	known := specs(t.Columns)
	for _, c := range columns {
		if !slices.Contains(known, c.Spec) {
			panic(fmt.Sprintf("db: the table %s has no column %s of this kind", t.Name, c.Name))
		}
	}
}

// List lists the columns for a SELECT, behind an alias unless it is empty.
func (t *Table[R]) List(alias string) string {
	if alias == "" {
		return names(specs(t.Columns))
	}
	return namesOf(alias, specs(t.Columns))
}

// Into returns where a scan of the columns puts a row, in front of which other
// columns may have been read.
func Into[R any](columns []Column[R], of R) []any {
	fields := make([]any, len(columns))
	for i, c := range columns {
		fields[i] = c.into(of)
	}
	return fields
}

// Each calls fn for every row of a query, which is given from behind the table's
// name on: "WHERE … ORDER BY …".
func (t *Table[R]) Each(ctx context.Context, c Conn, tail string, args []any, fn func(R) error) error {
	return c.Query(ctx, "SELECT "+t.List("")+" FROM "+t.Name+" "+tail, args, func(r Row) error {
		found := t.newRow()
		if err := r.Scan(Into(t.Columns, found)...); err != nil {
			return fmt.Errorf("read %s: %w", t.Name, err)
		}
		return fn(found)
	})
}

// Visit is each with the same R for every row, so that long lists are read without
// allocating: the row, and the bytes in it, are valid until fn returns.
func (t *Table[R]) Visit(ctx context.Context, c Conn, tail string, args []any, fn func(R) error) error {
	found := t.newRow()
	fields := Into(t.Columns, found)
	return c.Query(ctx, "SELECT "+t.List("")+" FROM "+t.Name+" "+tail, args, func(r Row) error {
		if err := r.Scan(fields...); err != nil {
			return fmt.Errorf("read %s: %w", t.Name, err)
		}
		return fn(found)
	})
}

// All returns the rows of a query.
func (t *Table[R]) All(ctx context.Context, c Conn, tail string, args ...any) (found []R, err error) {
	err = t.Each(ctx, c, tail, args, func(row R) error {
		found = append(found, row)
		return nil
	})
	return found, err
}

// One returns the last row of a query, which should have one at most; nil if it
// has none.
func (t *Table[R]) One(ctx context.Context, c Conn, tail string, args ...any) (found R, err error) {
	err = t.Each(ctx, c, tail, args, func(row R) error {
		found = row
		return nil
	})
	return found, err
}

// Names lists columns as SQL does.
func Names[R any](columns []Column[R]) string { return names(specs(columns)) }
