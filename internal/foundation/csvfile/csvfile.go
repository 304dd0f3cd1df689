// Package csvfile reads and writes CSV files that people open in spreadsheets. It is the one
// reader of everything that is imported: it finds the encoding and the separator, and undoes
// what spreadsheets add to a text. It cannot give back what a spreadsheet has lost, such as the
// last digits of 6.27E+11; Cell.Ruined and Cell.Damages find such cells, so that they are
// refused one by one instead of being stored.
package csvfile

import (
	"fmt"
	"iter"
	"strings"
)

// File is a file whose header has been read.
type File struct {
	Header []string // the names of the columns, without empty ones at the end
	// HeaderLine is the line of the header. It is above 1 if the file begins with empty lines or
	// with the line sep= of Excel.
	HeaderLine int
	separator  byte
	rest       scanner // behind the header
	letters    letters // what it can hold
}

// Line is one row after the header. Rows without content are skipped.
type Line struct {
	Number int // of the file, from 1; its first line if a cell contains line breaks
	Cells  []Cell
	Ragged bool // whether it has more or fewer cells than the header, empty ones at its end aside
}

// ReadError means that a file, or the rest of it, cannot be read.
type ReadError struct {
	Line   int
	Reason Reason
}

// Reason says why a file cannot be read.
type Reason byte

// The reasons.
const (
	Empty    Reason = iota // the file has no header
	NotText                // bytes that are not text, or text in an encoding that is not known
	Unpaired               // a quotation mark without its counterpart
)

func (e *ReadError) Error() string {
	switch e.Reason {
	case Empty:
		return fmt.Sprintf("line %d must name the columns, but the file is empty", e.Line)
	case NotText:
		return fmt.Sprintf("line %d is not text in UTF-8, UTF-16 or Windows-1252: save the file as CSV UTF-8", e.Line)
	default:
		return fmt.Sprintf("line %d: a quotation mark has no counterpart", e.Line)
	}
}

// Read reads the header of a file. The error is a *ReadError.
func Read(content []byte) (*File, error) {
	text, err := Text(content)
	if err != nil {
		return nil, err
	}
	f := &File{rest: scanner{text: text, line: 1}, letters: lettersOf(content)}
	f.separator = f.rest.findSeparator()
	f.rest.separator = f.separator
	for !f.rest.atEnd() {
		line := f.rest.line
		cells, err := f.rest.record()
		if err != nil {
			return nil, err
		}
		if cells = withoutEmpty(cells, 0); len(cells) == 0 {
			continue
		}
		f.HeaderLine = line
		for _, cell := range cells {
			f.Header = append(f.Header, cell.Text)
		}
		return f, nil
	}
	return nil, &ReadError{Line: 1, Reason: Empty}
}

// Lines returns an iterator over the rows after the header. If a row cannot be read, the
// iterator ends with a *ReadError.
func (f *File) Lines() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for s := f.rest; !s.atEnd(); {
			number := s.line
			cells, err := s.record()
			if err != nil {
				yield(Line{}, err)
				return
			}
			if len(withoutEmpty(cells, 0)) == 0 {
				continue
			}
			cells = withoutEmpty(cells, len(f.Header))
			if !yield(Line{number, cells, len(cells) != len(f.Header)}, nil) {
				return
			}
		}
	}
}

// withoutEmpty returns the cells without empty ones at their end, but at least as many as given.
func withoutEmpty(cells []Cell, least int) []Cell {
	for len(cells) > least && cells[len(cells)-1].Text == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

// separators are what may stand between cells if the file does not say so itself, the usual
// one first.
const separators = ",;\t"

// scanner reads a text cell by cell. encoding/csv cannot: text formulas (="0012") are not quoted
// when people or programs write them, and its lenient mode reads the rest of a file into one
// cell if a quotation mark is missing.
type scanner struct {
	text      string // with \n at the ends of lines
	at        int
	line      int // at which at is
	separator byte
}

func (s *scanner) atEnd() bool { return s.at >= len(s.text) }

// findSeparator returns what stands between the cells: what the line sep= says, which it
// skips, or what occurs most often in the first line that has one.
func (s *scanner) findSeparator() byte {
	first, _, found := strings.Cut(s.text, "\n")
	if separator, ok := declared(first); ok {
		if s.at, s.line = len(first), 2; found {
			s.at++
		}
		return separator
	}
	for line := range strings.Lines(s.text) {
		best, most := separators[0], 0
		for _, separator := range []byte(separators) {
			if count := countOutside(line, separator); count > most {
				best, most = separator, count
			}
		}
		if most > 0 || strings.TrimSpace(line) != "" {
			return best
		}
	}
	return separators[0]
}

// declared returns the separator that a line such as sep=; names.
func declared(line string) (separator byte, ok bool) {
	const label = "sep="
	line = strings.TrimPrefix(line, `"`)
	if len(line) <= len(label) || !strings.EqualFold(line[:len(label)], label) {
		return 0, false
	}
	separator = line[len(label)]
	rest := strings.Trim(line[len(label)+1:], `" `+separators)
	return separator, rest == "" && strings.IndexByte(separators+"|", separator) >= 0
}

// countOutside counts a separator outside of quotation marks.
func countOutside(line string, separator byte) (count int) {
	quoted := false
	for i := range len(line) {
		switch {
		case line[i] == '"':
			quoted = !quoted
		case line[i] == separator && !quoted:
			count++
		}
	}
	return count
}

// record reads the cells of a row, which may have several lines.
func (s *scanner) record() (cells []Cell, err error) {
	for {
		cell, err := s.cell()
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
		switch {
		case s.atEnd():
			return cells, nil
		case s.text[s.at] == '\n':
			s.at++
			s.line++
			return cells, nil
		default: // a separator
			s.at++
		}
		if s.atEnd() {
			return append(cells, Cell{}), nil
		}
	}
}

// cell reads a cell up to its separator or the end of the line, which stays.
func (s *scanner) cell() (Cell, error) {
	s.skipBlanks()
	rest := s.text[s.at:]
	formula := strings.HasPrefix(rest, `="`)
	if !formula && !strings.HasPrefix(rest, `"`) {
		length := strings.IndexAny(rest, string(s.separator)+"\n")
		if length < 0 {
			length = len(rest)
		}
		if strings.Contains(rest[:length], `"`) {
			return Cell{}, s.unpaired(s.line)
		}
		s.at += length
		return plainCell(rest[:length]), nil
	}
	if formula {
		s.at++
	}
	text, err := s.quoted()
	if err != nil {
		return Cell{}, err
	}
	if formula {
		return Cell{Text: text, Literal: true}, nil
	}
	return plainCell(text), nil
}

func (s *scanner) skipBlanks() {
	for !s.atEnd() && s.text[s.at] != s.separator && (s.text[s.at] == ' ' || s.text[s.at] == '\t') {
		s.at++
	}
}

// quoted reads a text in quotation marks, up to the separator behind it.
func (s *scanner) quoted() (string, error) {
	opened := s.line
	var text strings.Builder
	for s.at++; ; s.at++ { // behind a quotation mark
		length := strings.IndexByte(s.text[s.at:], '"')
		if length < 0 {
			return "", s.unpaired(opened)
		}
		text.WriteString(s.text[s.at : s.at+length])
		s.line += strings.Count(s.text[s.at:s.at+length], "\n")
		s.at += length + 1
		if s.atEnd() || s.text[s.at] != '"' { // two of them are one in the text
			break
		}
		text.WriteByte('"')
	}
	s.skipBlanks()
	if !s.atEnd() && s.text[s.at] != '\n' && s.text[s.at] != s.separator {
		return "", s.unpaired(s.line)
	}
	return text.String(), nil
}

func (s *scanner) unpaired(line int) error { return &ReadError{Line: line, Reason: Unpaired} }
