package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// StoredTable is a table as the database describes it. What concerns all tables,
// such as a copy, asks the database, so that it cannot miss one.
type StoredTable struct {
	*Table[*storedRow]          // its columns: the primary key in its order, then the others by name
	references         []string // the tables that its foreign keys refer to, sorted
}

// catalogue holds the queries that describe the tables of an engine. columns
// finds the name of a table, a column, its type, 1 if it is never NULL, and its
// place in the primary key or 0; references finds pairs of tables, of which the
// first refers to the second.
// clock finds the time of the server, in microseconds since 1970; it is empty if the
// database has no clock of its own.
type catalogue struct{ columns, references, clock string }

// columnKinds are the types that the migrations may use.
var columnKinds = map[string]Kind{
	"text": TextKind, "bigint": IntegerKind, "blob": BytesKind, "bytea": BytesKind,
}

// derived begins the names of tables that hold nothing of their own: the service fills them from
// others. They differ between engines.
const derived = "index_"

// Tables returns the tables of the database but those that are derived. A table comes after those
// that it refers to.
func (d *Database) Tables(ctx context.Context) (tables []*StoredTable, err error) {
	err = d.engine.read(ctx, func(c Conn) error {
		tables, err = readSchema(ctx, c, d.engine.catalogue())
		return err
	})
	return slices.DeleteFunc(tables, func(t *StoredTable) bool { return strings.HasPrefix(t.Name, derived) }), err
}

func readSchema(ctx context.Context, c Conn, ask catalogue) ([]*StoredTable, error) {
	columns, err := readColumns(ctx, c, ask)
	if err != nil {
		return nil, err
	}
	references, err := readReferences(ctx, c, ask)
	if err != nil {
		return nil, err
	}
	tables := make(map[string]*StoredTable, len(columns))
	for name, of := range columns {
		tables[name] = newStoredTable(name, of, references[name])
	}
	return inOrder(tables), nil
}

// describedColumn is a column as the catalogue describes it.
type describedColumn struct {
	Spec
	place int // in the primary key, from 1; behindKey if it is not part of it
}

const behindKey = 1 << 16

// readColumns returns the columns of each table. It fails if there is one whose
// values cannot be copied to another engine.
func readColumns(ctx context.Context, c Conn, ask catalogue) (map[string][]describedColumn, error) {
	byTable := map[string][]describedColumn{}
	err := c.Query(ctx, ask.columns, nil, func(r Row) error {
		var table, kind string
		var column describedColumn
		var notNull bool
		if err := r.Scan(&table, &column.Name, &kind, &notNull, &column.place); err != nil || ofTools(table) {
			return err
		}
		var known bool
		if column.Kind, known = columnKinds[kind]; !known || !notNull {
			return fmt.Errorf("%s.%s has the type %s or may be NULL: want text, bigint or bytes, NOT NULL", table, column.Name,
				kind)
		}
		if column.place == 0 {
			column.place = behindKey
		}
		byTable[table] = append(byTable[table], column)
		return nil
	})
	return byTable, err
}

// ofTools reports whether a table belongs to SQLite or to the migrations rather
// than to this package.
func ofTools(table string) bool {
	return strings.HasPrefix(table, "goose_") || strings.HasPrefix(table, "sqlite_")
}

func readReferences(ctx context.Context, c Conn, ask catalogue) (map[string][]string, error) {
	byTable := map[string][]string{}
	err := c.Query(ctx, ask.references, nil, func(r Row) error {
		var table, other string
		err := r.Scan(&table, &other)
		byTable[table] = append(byTable[table], other)
		return err
	})
	return byTable, err
}

func newStoredTable(name string, described []describedColumn, references []string) *StoredTable {
	slices.SortFunc(described, func(a, b describedColumn) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.Name, b.Name))
	})
	columns, keys := make([]Column[*storedRow], len(described)), 0
	for i, d := range described {
		columns[i] = storedColumn(d.Spec, i, len(described))
		if d.place < behindKey {
			keys++
		}
	}
	slices.Sort(references)
	return &StoredTable{NewTable(name, columns[:keys], columns[keys:]...), slices.Compact(references)}
}

// inOrder sorts tables by name, but puts each after those that it refers to.
func inOrder(byName map[string]*StoredTable) []*StoredTable {
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	var sorted []*StoredTable
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] || byName[name] == nil {
			return
		}
		seen[name] = true
		for _, other := range byName[name].references {
			visit(other)
		}
		sorted = append(sorted, byName[name])
	}
	for _, name := range names {
		visit(name)
	}
	return sorted
}

// String describes a table, so that two can be compared.
func (t *StoredTable) String() string {
	list := func(columns []Column[*storedRow]) string {
		return each(specs(columns), ", ", func(_ int, c Spec) string { return c.Name + " " + c.Kind.String() })
	}
	return fmt.Sprintf("%s (key %s; %s) references %v", t.Name, list(t.Key), list(t.Rest), t.references)
}

// String returns the name of the kind.
func (k Kind) String() string {
	return [...]string{TextKind: "text", IntegerKind: "integer", BytesKind: "bytes"}[k]
}
