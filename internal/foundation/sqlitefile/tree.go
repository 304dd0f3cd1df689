package sqlitefile

import (
	"context"
	"errors"
	"fmt"
)

// Table is a table or an index of a database.
type Table struct {
	Name string
	root uint32
}

// Tables returns the tables and indexes of the database. The error is a *DamageError if
// the schema cannot be read.
func (f *File) Tables() (tables []Table, err error) {
	if f.pages == 0 {
		return nil, nil
	}
	err = f.Rows(Table{"sqlite_schema", 1}, func(row []any) error {
		if len(row) < 4 {
			return f.damage(BadPage, "the schema is damaged: a row of it is too short")
		}
		name, named := row[1].(string)
		root, rooted := row[3].(int64)
		if !named || !rooted || root < 0 || root > int64(f.pages) {
			return f.damage(BadPage, "the schema is damaged: it leads to a page that does not exist")
		}
		if root > 0 { // views and triggers have none
			tables = append(tables, Table{name, uint32(root)})
		}
		return nil
	})
	return tables, err
}

// mostPages bounds the trees that Rows reads.
const mostPages = 10_000

// Rows calls each with every row of a table, in the order of row ids. Values are
// int64, float64, string, []byte or nil; columns of long rows that are not on the
// row's own page are left out.
func (f *File) Rows(table Table, each func(row []any) error) error {
	w := walk{file: f, seen: map[uint32]bool{}}
	for todo := []uint32{table.root}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if len(w.seen) > mostPages {
			return fmt.Errorf("%s is too large to be read as a whole", table.Name)
		}
		node, err := w.visit(n, true)
		if err != nil {
			return err
		}
		for _, cell := range node.cells {
			if err := each(parseRecord(cell.payload)); err != nil {
				return err
			}
		}
		todo = append(todo, node.inOrder()...)
	}
	return nil
}

// inOrder returns the children so that the first row is under the last of them. The
// page's header has the last one, its cells the others in order.
func (n node) inOrder() []uint32 {
	if len(n.children) == 0 {
		return nil
	}
	reversed := []uint32{n.children[0]}
	for i := len(n.children) - 1; i > 0; i-- {
		reversed = append(reversed, n.children[i])
	}
	return reversed
}

// CheckPages checks the structure of the trees: of all pages if there are at most
// limit, else of those on random ways from the root of a tree to a leaf, until limit
// pages were read or ctx ends. pick returns a random number below n.
func (f *File) CheckPages(ctx context.Context, limit int, pick func(n int) int) error {
	tables, err := f.Tables()
	if err != nil {
		return err
	}
	tables = append(tables, Table{"sqlite_schema", 1})
	w := walk{file: f, seen: map[uint32]bool{}}
	if int(f.pages) <= limit {
		for _, table := range tables {
			if err := w.whole(ctx, table); err != nil {
				return err
			}
		}
		return nil
	}
	for tries := 0; w.read < limit && tries < limit && ctx.Err() == nil; tries++ {
		if err := w.down(tables[pick(len(tables))], pick); err != nil {
			return err
		}
	}
	return nil
}

// walk visits pages of trees.
type walk struct {
	file *File
	seen map[uint32]bool // visited, so that a circle ends
	read int             // pages
}

// visit reads a page, which must be of the kind of its tree.
func (w *walk) visit(n uint32, table bool) (node, error) {
	if w.seen[n] {
		return node{}, w.file.damage(BadPage, "page %d is in two places of a tree", n)
	}
	w.seen[n] = true
	result, err := w.parse(n)
	if err == nil && result.table != table {
		err = w.file.damage(BadPage, "page %d belongs to another tree", n)
	}
	return result, err
}

func (w *walk) parse(n uint32) (node, error) {
	w.read++
	content, err := w.file.page(n)
	if err != nil {
		return node{}, err
	}
	result, problem := w.file.parseNode(n, content)
	if problem != "" {
		return result, w.file.damage(BadPage, "%s", problem)
	}
	return result, nil
}

// whole visits all pages of a tree.
func (w *walk) whole(ctx context.Context, table Table) error {
	root, err := w.parse(table.root)
	if err != nil {
		return inTable(err, table)
	}
	for todo := root.children; len(todo) > 0 && ctx.Err() == nil; {
		node, err := w.visit(todo[0], root.table)
		if err != nil {
			return inTable(err, table)
		}
		todo = append(todo[1:], node.children...)
	}
	return nil
}

// down goes a random way from the root of a tree to a leaf.
func (w *walk) down(table Table, pick func(n int) int) error {
	root, err := w.parse(table.root)
	for at := root; err == nil && len(at.children) > 0; {
		if at, err = w.parse(at.children[pick(len(at.children))]); err == nil && at.table != root.table {
			err = w.file.damage(BadPage, "a page belongs to another tree")
		}
	}
	return inTable(err, table)
}

// inTable adds the name of the table to damage.
func inTable(err error, table Table) error {
	var damage *DamageError
	if errors.As(err, &damage) {
		damage.Problem += ", in " + table.Name
	}
	return err
}
