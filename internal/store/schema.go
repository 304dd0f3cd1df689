package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// storedTable is a table as the database itself describes it. Whatever concerns all
// tables asks the database, so that no list has to be kept of them.
type storedTable struct {
	name       string
	keys       []columnSpec // the primary key, in its order
	rest       []columnSpec // all others, by name
	references []string     // the tables that foreign keys lead to
}

// columns are all columns, in the order in which a setStatement binds them.
func (t *storedTable) columns() []columnSpec { return slices.Concat(t.rest, t.keys) }

// catalogue is how an engine is asked for its tables. Both questions are
// answered alike: table, column, type, 1 if never NULL, place in the primary
// key or 0; and table, table that it refers to.
type catalogue struct{ columns, references string }

var (
	sqliteCatalogue = catalogue{
		columns: `SELECT t.name, c.name, lower(c.type), c."notnull", c.pk
			FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'`,
		references: `SELECT t.name, f."table"
			FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f WHERE t.type = 'table'`,
	}
	postgresCatalogue = catalogue{
		// Not from information_schema, whose many joins are slow beside shards.
		columns: `SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)::text,
				CASE WHEN a.attnotnull THEN 1 ELSE 0 END::bigint,
				coalesce(array_position(k.indkey::int2[], a.attnum) + 1, 0)::bigint
			FROM pg_catalog.pg_class AS c
			JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
			JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			LEFT JOIN pg_catalog.pg_index AS k ON k.indrelid = c.oid AND k.indisprimary
			WHERE c.relkind IN ('r', 'p') AND n.nspname = current_schema()`,
		references: `SELECT a.relname::text, b.relname::text FROM pg_catalog.pg_constraint AS c
			JOIN pg_catalog.pg_class AS a ON a.oid = c.conrelid
			JOIN pg_catalog.pg_class AS b ON b.oid = c.confrelid
			JOIN pg_catalog.pg_namespace AS n ON n.oid = c.connamespace
			WHERE c.contype = 'f' AND n.nspname = current_schema()`,
	}
)

// columnKinds are the types that the migrations may use.
var columnKinds = map[string]columnKind{
	"text": textColumn, "bigint": integerColumn, "blob": bytesColumn, "bytea": bytesColumn,
}

func (s *Store) catalogue() catalogue {
	if _, embedded := s.engine.(*sqliteEngine); embedded {
		return sqliteCatalogue
	}
	return postgresCatalogue
}

// schema reads what tables there are, those that others refer to first.
func (s *Store) schema(ctx context.Context) (tables []*storedTable, err error) {
	err = s.engine.read(ctx, func(c conn) error {
		tables, err = readSchema(ctx, c, s.catalogue())
		return err
	})
	return tables, err
}

// isTooling tells whether a table belongs to the tools and holds no data.
func isTooling(name string) bool {
	return strings.HasPrefix(name, "goose_") || strings.HasPrefix(name, "sqlite_")
}

func readSchema(ctx context.Context, c conn, ask catalogue) ([]*storedTable, error) {
	byName := map[string]*storedTable{}
	places := map[string]int64{} // in the primary key, by table and column
	err := c.query(ctx, ask.columns, nil, func(r row) error {
		var name, column, kind string
		var notNull, place int64
		if err := r.scan(&name, &column, &kind, &notNull, &place); err != nil || isTooling(name) {
			return err
		}
		places[name+"."+column] = place
		return addColumn(byName, name, column, kind, notNull == 1, place > 0)
	})
	if err != nil {
		return nil, err
	}
	err = c.query(ctx, ask.references, nil, func(r row) error {
		var name, other string
		err := r.scan(&name, &other)
		if t := byName[name]; t != nil && !slices.Contains(t.references, other) {
			t.references = append(t.references, other)
		}
		return err
	})
	for _, t := range byName {
		slices.SortFunc(t.keys, func(a, b columnSpec) int { return cmp.Compare(places[t.name+"."+a.name], places[t.name+"."+b.name]) })
		slices.SortFunc(t.rest, func(a, b columnSpec) int { return cmp.Compare(a.name, b.name) })
		slices.Sort(t.references)
	}
	return inOrder(byName), err
}

// addColumn adds a column to its table, unless it is one that no store could
// carry to another.
func addColumn(byName map[string]*storedTable, name, columnName, kind string, notNull, key bool) error {
	known, ok := columnKinds[kind]
	if !ok || !notNull {
		return fmt.Errorf("%s.%s is a %s that the store does not know, or may be NULL", name, columnName, kind)
	}
	t := byName[name]
	if t == nil {
		t = &storedTable{name: name}
		byName[name] = t
	}
	if key {
		t.keys = append(t.keys, columnSpec{columnName, known})
	} else {
		t.rest = append(t.rest, columnSpec{columnName, known})
	}
	return nil
}

// inOrder sorts tables by name, but those that others refer to before these.
func inOrder(byName map[string]*storedTable) []*storedTable {
	var sorted []*storedTable
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		t := byName[name]
		if t == nil || seen[name] {
			return
		}
		seen[name] = true
		for _, other := range t.references {
			visit(other)
		}
		sorted = append(sorted, t)
	}
	names := make([]string, 0, len(byName))
	for name := range byName {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		visit(name)
	}
	return sorted
}
