package stock

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/url"
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

// csvRow is one line of an import.
type csvRow struct {
	line  int
	cells url.Values // by column; empty cells are left out
}

// form returns the line as a form, so that the same rules hold for it as for a product in
// JSON.
func (r csvRow) form(problems *form.Problems) *form.Form {
	return form.New(form.FromValues(r.cells, nil), problems)
}

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
		row := csvRow{line: line.Number, cells: url.Values{}}
		for i, cell := range line.Cells {
			if cell = csvfile.Unescape(cell); cell != "" {
				row.cells.Set(header[i], cell)
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
