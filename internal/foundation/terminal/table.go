package terminal

import (
	"bufio"
	"io"
	"strings"
	"unicode/utf8"
)

// Cell is text in a table.
type Cell struct {
	Text  string
	Style Style
}

// Column is a column of a table.
type Column struct {
	Title string
	Right bool // aligned to the right, as numbers are
}

// gap is between columns.
const gap = "  "

// Table prints rows in aligned columns. Rows are added, and printed by Flush; later rows
// are at least as wide as those already printed.
type Table struct {
	to      io.Writer
	palette Palette
	columns []Column
	widths  []int
	rows    [][]Cell
	titled  bool
}

// NewTable returns a table that prints to a writer.
func NewTable(to io.Writer, palette Palette, columns []Column) *Table {
	t := &Table{to: to, palette: palette, columns: columns, widths: make([]int, len(columns))}
	for i, column := range columns {
		t.widths[i] = utf8.RuneCountInString(column.Title)
	}
	return t
}

// Add adds a row with a cell for each column.
func (t *Table) Add(cells ...Cell) {
	row := make([]Cell, len(t.columns))
	for i := range row {
		if i < len(cells) {
			row[i] = Cell{Clean(cells[i].Text), cells[i].Style}
		}
		t.widths[i] = max(t.widths[i], utf8.RuneCountInString(row[i].Text))
	}
	t.rows = append(t.rows, row)
}

// Flush prints the rows that were added, the first time below the titles of the columns.
// A table without rows prints nothing.
func (t *Table) Flush() error {
	to := bufio.NewWriter(t.to)
	if len(t.rows) > 0 && !t.titled {
		t.titled = true
		titles := make([]Cell, len(t.columns))
		for i, column := range t.columns {
			titles[i] = Cell{column.Title, Faint}
		}
		t.print(to, titles)
	}
	for _, row := range t.rows {
		t.print(to, row)
	}
	t.rows = t.rows[:0]
	return to.Flush()
}

// print prints a row without spaces at its end.
func (t *Table) print(to *bufio.Writer, row []Cell) {
	last := len(row) - 1
	for last > 0 && row[last].Text == "" {
		last--
	}
	for i, cell := range row[:last+1] {
		padding := strings.Repeat(" ", t.widths[i]-utf8.RuneCountInString(cell.Text))
		if t.columns[i].Right {
			_, _ = to.WriteString(padding)
		}
		_, _ = to.WriteString(t.palette.Apply(cell.Style, cell.Text))
		if i < last {
			if !t.columns[i].Right {
				_, _ = to.WriteString(padding)
			}
			_, _ = to.WriteString(gap)
		}
	}
	_ = to.WriteByte('\n') // the writer keeps the error for Flush
}

// Field is a named value of a record.
type Field struct {
	Name  string
	Value string
	Style Style
}

// PrintFields prints the fields of a record that have a value, one on a line.
func PrintFields(to io.Writer, palette Palette, fields []Field) error {
	table := NewTable(to, palette, make([]Column, 2))
	table.titled = true
	for _, field := range fields {
		if field.Value != "" {
			table.Add(Cell{field.Name, Faint}, Cell{field.Value, field.Style})
		}
	}
	return table.Flush()
}
