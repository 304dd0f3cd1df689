package stock

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const (
	// maxLines is how many products one import may have: it is one transaction,
	// and the partner's orders wait for it.
	maxLines = 10_000
	// maxTold is how many faults an import is told at most.
	maxTold = 1000
)

// csvRow is one line of an import. It implements delivery.Source, so that the
// rules of products are those of the interface.
type csvRow struct {
	line  int
	cells map[string]string // by column; what is empty is left out
}

// Kind is that of an object.
func (r csvRow) Kind() form.Kind { return form.Object }

// Member is a cell.
func (r csvRow) Member(name string) form.Source {
	cell, ok := r.cells[name]
	return csvCell{cell, ok, name}
}

// Names are the columns that are not empty.
func (r csvRow) Names() []string { return slices.Sorted(maps.Keys(r.cells)) }

// Elements are none.
func (r csvRow) Elements() []form.Source { return nil }

// Text is none.
func (r csvRow) Text() string { return "" }

// Raw is none.
func (r csvRow) Raw() []byte { return nil }

type csvCell struct {
	text  string
	there bool
	name  string
}

// csvNumbers are the columns that hold numbers.
var csvNumbers = []string{"product_id", "price", "stock_min", "stock_max", "opening_quantity"}

// Kind is what the column wants, if the cell can be read as that.
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

// Member is none.
func (c csvCell) Member(string) form.Source { return csvCell{} }

// Names are none.
func (c csvCell) Names() []string { return nil }

// Elements are none.
func (c csvCell) Elements() []form.Source { return nil }

// Text is the cell.
func (c csvCell) Text() string { return c.text }

// Raw is the cell.
func (c csvCell) Raw() []byte { return []byte(c.text) }

// readRows reads the lines of an import. That it is no CSV at all, or has other
// columns, is told of the body; a line with too many cells, of the line.
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
			problems.Add("lines[1]", name, "each column once, separated by commas, out of "+strings.Join(importColumns, ", "))
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
			problems.Add(fmt.Sprintf("lines[%d]", line.Number), len(line.Cells), fmt.Sprintf("%d cells, as line 1 has", len(header)))
			continue
		case len(rows) == maxLines:
			problems.Add(fmt.Sprintf("lines[%d]", line.Number), nil, fmt.Sprintf("at most %d products", maxLines))
			return rows, nil
		}
		row := csvRow{line: line.Number, cells: map[string]string{}}
		for i, cell := range line.Cells {
			if cell = unescapeFormula(cell); cell != "" {
				row.cells[header[i]] = cell
			}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func notCSV(err error) error {
	return refusal.New(refusal.CodeBadRequest, "the body is no CSV: "+err.Error())
}
