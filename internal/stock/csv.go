package stock

import (
	"errors"
	"fmt"
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
	cells url.Values              // by column, as a form has them; empty cells are left out
	read  map[string]csvfile.Cell // the same cells as they stand in the file
	lacks []string                // the columns in which letters seem to have been lost
}

// form returns the line as a form, so that the same rules hold for it as for a product in
// JSON.
func (r csvRow) form(problems *form.Problems) *form.Form {
	return form.New(form.FromValues(r.cells, nil), problems)
}

// importNumbers are the columns with numbers, in which a decimal comma is read.
var importNumbers = []string{"product_id", "price", "stock_min", "stock_max", "opening_quantity"}

// readRows reads the lines of an import. It returns an error for a body that is not
// CSV or has other columns, and adds to problems for a line with a wrong number of
// cells.
func readRows(body []byte, problems *form.Problems) (rows []csvRow, err error) {
	file, err := csvfile.Read(body)
	if err != nil {
		return nil, notCSV(err)
	}
	nameColumns(file.Header)
	for i, name := range file.Header {
		if !slices.Contains(importColumns, name) || slices.Contains(file.Header[:i], name) {
			problems.Add(fmt.Sprintf("lines[%d]", file.HeaderLine), name, importColumnRule.With("columns", importColumns))
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	for line, err := range file.Lines() {
		switch {
		case err != nil:
			return nil, notCSV(err)
		case line.Ragged:
			problems.Add(fmt.Sprintf("lines[%d]", line.Number), len(line.Cells), importCells.With("cells", len(file.Header)))
			continue
		case len(rows) == maxLines:
			problems.Add(fmt.Sprintf("lines[%d]", line.Number), nil, importSize.With("most", maxLines))
			return rows, nil
		}
		rows = append(rows, readRow(file, line))
	}
	return rows, nil
}

// importTitles are what people call the columns of an import, as csvfile.Folded has them.
var importTitles = map[string]string{
	"product": "name", "productname": "name", "nom": "name", "produit": "name", "nomduproduit": "name",
	"prix": "price", "minimum": "stock_min", "maximum": "stock_max", "codebarres": "barcode", "codeabarres": "barcode",
	"ean": "barcode", "gtin": "barcode", "upc": "barcode", "cup": "barcode", "ugs": "sku",
	"quantity": "opening_quantity", "openingstock": "opening_quantity",
	"quantite": "opening_quantity", "stockinitial": "opening_quantity",
	"location": "opening_location", "emplacement": "opening_location",
}

// nameColumns replaces the titles of a spreadsheet by the names of the columns. Of several titles of a column all stay,
// so that they are refused.
func nameColumns(header []string) {
	counts := map[string]int{}
	names := make([]string, len(header))
	for i, title := range header {
		plain := csvfile.Folded(title)
		at := slices.IndexFunc(importColumns, func(column string) bool { return csvfile.Folded(column) == plain })
		switch {
		case slices.Contains(importColumns, title):
			names[i] = title
		case at >= 0:
			names[i] = importColumns[at]
		default:
			names[i] = importTitles[plain]
		}
		counts[names[i]]++
	}
	for i, name := range names {
		if name != "" && counts[name] == 1 {
			header[i] = name
		}
	}
}

func readRow(file *csvfile.File, line csvfile.Line) csvRow {
	row := csvRow{line: line.Number, cells: url.Values{}, read: map[string]csvfile.Cell{}}
	for i, cell := range line.Cells {
		column, text := file.Header[i], cell.Text
		if text == "" {
			continue
		}
		if slices.Contains(importNumbers, column) {
			text = file.Number(cell)
		}
		row.cells.Set(column, text)
		row.read[column] = cell
		if file.LacksLetters(cell) {
			row.lacks = append(row.lacks, column)
		}
	}
	return row
}

// unreadableError is the refusal of a body that cannot be read as CSV. Pages read the cause.
type unreadableError struct{ refused, cause error }

func (e *unreadableError) Error() string { return e.refused.Error() }

// Unwrap returns the refusal, which answers of the API have, and the *csvfile.ReadError.
func (e *unreadableError) Unwrap() []error { return []error{e.refused, e.cause} }

func notCSV(err error) error {
	message := "the body is not CSV: " + err.Error()
	var unreadable *csvfile.ReadError
	if errors.As(err, &unreadable) && unreadable.Reason == csvfile.Empty {
		message = fmt.Sprintf("line %d must name the columns, but the body is empty", unreadable.Line)
	}
	return &unreadableError{refusal.New(refusal.CodeBadRequest, message), err}
}
