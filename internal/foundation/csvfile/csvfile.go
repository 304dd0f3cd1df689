// Package csvfile reads CSV files that people have made: with a header, as
// spreadsheets write them, and telling of each fault in which line it is.
package csvfile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"iter"
	"regexp"
	"slices"
)

// Line is a line behind the header.
type Line struct {
	Number int      // from 1, the header's; where it begins, if it is broken within a cell
	Cells  []string // valid until the next line is read
	Ragged bool     // it has more or fewer cells than the header
}

// Read reads the header of a file, and gives the lines behind it. An error among
// them, which tells the line, is that of a file that is no CSV; it is the last.
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

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// IsNumber tells whether a cell is a number, written so that JSON takes it too.
func IsNumber(cell string) bool { return number.MatchString(cell) }
