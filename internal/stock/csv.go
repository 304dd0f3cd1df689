package stock

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const (
	// maxLines is the most products in one import. An import is one transaction, and
	// the partner's orders wait for it.
	maxLines = 10_000
	// maxFaults is the most faults that are reported of one import.
	maxFaults = 1000
)

// csvRow is one line of an import. It implements form.Source, so that the same rules
// hold for a line as for a product in JSON.
type csvRow struct {
	line  int
	cells map[string]string // by column; empty cells are left out
}

// Kind returns form.Object.
func (r csvRow) Kind() form.Kind { return form.Object }

// Member returns the cell of a column.
func (r csvRow) Member(name string) form.Source {
	cell, ok := r.cells[name]
	return csvCell{cell, ok, name}
}

// Names returns the columns whose cells are not empty.
func (r csvRow) Names() []string { return slices.Sorted(maps.Keys(r.cells)) }

// Elements returns nil: a line is not a list.
func (r csvRow) Elements() []form.Source { return nil }

// Text returns nothing: a line is not a text.
func (r csvRow) Text() string { return "" }

// Raw returns nil.
func (r csvRow) Raw() []byte { return nil }

// csvCell is a cell of a line. It implements form.Source.
type csvCell struct {
	text  string
	there bool   // false for an empty cell
	name  string // of its column
}

// csvNumbers lists the columns of numbers.
var csvNumbers = []string{"product_id", "price", "stock_min", "stock_max", "opening_quantity"}

// Kind returns form.Number in a column of numbers, if the cell is one, and form.Text
// otherwise.
func (c csvCell) Kind() form.Kind {
	switch {
	case !c.there:
		return form.Absent
	case slices.Contains(csvNumbers, c.name) && csvfile.IsNumber(c.text):
		return form.Number
	default:
		return form.Text
	}
}

// Member returns an empty cell: a cell has no members.
func (c csvCell) Member(string) form.Source { return csvCell{} }

// Names returns nil.
func (c csvCell) Names() []string { return nil }

// Elements returns nil.
func (c csvCell) Elements() []form.Source { return nil }

// Text returns the text of the cell.
func (c csvCell) Text() string { return c.text }

// Raw returns the text of the cell.
func (c csvCell) Raw() []byte { return []byte(c.text) }

// readRows reads the lines of an import. It returns an error for a body that is not
// CSV or has other columns, and adds to problems for a line with a wrong number of
// cells.
func readRows(body []byte, problems *form.Problems) (rows []csvRow, err error) {
	header, lines, err := csvfile.Read(body)
	if errors.Is(err, io.EOF) {
		return nil, refusal.New(refusal.CodeBadRequest, "line 1 must name the columns, but the body is empty")
	}
	if err != nil {
		return nil, notCSV(err)
	}
	for i, name := range header {
		if !slices.Contains(importColumns, name) || slices.Contains(header[:i], name) {
			problems.Add("lines[1]", name, importColumnRule.With("columns", importColumns))
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	for line, err := range lines {
		switch {
		case err != nil:
			return nil, notCSV(err)
		case line.Ragged:
			problems.Add(fmt.Sprintf("lines[%d]", line.Number), len(line.Cells), importCells.With("cells", len(header)))
			continue
		case len(rows) == maxLines:
			problems.Add(fmt.Sprintf("lines[%d]", line.Number), nil, importSize.With("most", maxLines))
			return rows, nil
		}
		row := csvRow{line: line.Number, cells: map[string]string{}}
		for i, cell := range line.Cells {
			if cell = csvfile.Unescape(cell); cell != "" {
				row.cells[header[i]] = cell
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// NotCSVError is the refusal of a body that is not CSV, because of its quotation marks.
type NotCSVError struct {
	Line    int // at which reading ended, from 1
	refused *refusal.Error
}

func (e *NotCSVError) Error() string { return e.refused.Error() }

// Unwrap returns the refusal, which answers of the API have.
func (e *NotCSVError) Unwrap() error { return e.refused }

func notCSV(err error) error {
	refused := &NotCSVError{Line: 1, refused: refusal.New(refusal.CodeBadRequest, "the body is not CSV: "+err.Error())}
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		refused.Line = syntax.Line
	}
	return refused
}
