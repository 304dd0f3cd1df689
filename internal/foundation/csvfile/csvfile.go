// Package csvfile reads CSV files as spreadsheets write them: with a header, and
// with the number of each line, so that faults can be reported by line.
package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
)

// Line is one line after the header.
type Line struct {
	Number int      // counted from the header, which is 1; its first line if a cell contains line breaks
	Cells  []string // valid until the next line is read
	Ragged bool     // whether it has more or fewer cells than the header
}

// Read reads the header of a file and returns it with an iterator over the lines
// after it. If the file is not valid CSV, the iterator ends with an error that
// names the line.
func Read(content []byte) (header []string, lines iter.Seq2[Line, error], err error) {
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))))
	reader.ReuseRecord = true
	first, err := reader.Read()
	if err != nil {
		return nil, nil, err
	}
	return slices.Clone(first), func(yield func(Line, error) bool) {
		for {
			cells, err := reader.Read()
			ragged := errors.Is(err, csv.ErrFieldCount)
			switch {
			case errors.Is(err, io.EOF):
				return
			case err != nil && !ragged:
				yield(Line{}, err)
				return
			}
			number, _ := reader.FieldPos(0)
			if !yield(Line{number, cells, ragged}, nil) {
				return
			}
		}
	}, nil
}

// formula lists the characters that make a spreadsheet take a cell for a formula. The
// quote is among them so that escaping can be reversed.
const formula = "=+-@\t\r'"

// Escape returns the text for a cell that a spreadsheet does not compute.
func Escape(text string) string {
	if text != "" && strings.Contains(formula, text[:1]) {
		return "'" + text
	}
	return text
}

// Unescape returns the text that Escape has escaped.
func Unescape(cell string) string {
	if len(cell) > 1 && cell[0] == '\'' && strings.Contains(formula, cell[1:2]) {
		return cell[1:]
	}
	return cell
}
