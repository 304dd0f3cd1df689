package csvfile

import (
	"encoding/csv"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mark is the byte order mark, by which Excel knows that a file is UTF-8.
const mark = "\ufeff"

// Layout says for what program a file is written. The zero Layout is for programs.
type Layout struct {
	// Spreadsheet begins the file with a byte order mark, and writes codes, and texts that look
	// like a number or a date, as text formulas (="0012"), which a spreadsheet does not change.
	Spreadsheet bool
	// Semicolons separates cells by semicolons, and writes decimals with a comma: what Excel
	// expects where the decimal separator is a comma.
	Semicolons bool
}

// Value is what a cell is written from.
type Value struct {
	text string
	kind kind
}

type kind byte

const (
	plain kind = iota
	words
	code
	decimal
)

// Plain returns a value of this program's own, such as an id, a time or a whole number.
func Plain(value string) Value { return Value{value, plain} }

// Whole returns a whole number.
func Whole(number int64) Value { return Plain(strconv.FormatInt(number, 10)) }

// Words returns a text that people have written.
func Words(value string) Value { return Value{value, words} }

// Code returns a code that people have chosen, such as a barcode, which may look like a number.
func Code(value string) Value { return Value{value, code} }

// Decimal returns a number with decimals.
func Decimal(value string) Value { return Value{value, decimal} }

// Dollars returns an amount in cents, which is not negative, as dollars with two decimals.
func Dollars(cents int64) Value {
	sign, units := "", uint64(cents)
	if cents < 0 {
		sign, units = "-", -units
	}
	return Decimal(fmt.Sprintf("%s%d.%02d", sign, units/100, units%100))
}

// Writer writes a file.
type Writer struct {
	layout Layout
	csv    *csv.Writer
	cells  []string
}

// NewWriter returns a writer of a file with these columns.
func NewWriter(out io.Writer, layout Layout, columns ...string) *Writer {
	w := &Writer{layout: layout}
	if layout.Spreadsheet {
		out = &marked{out: out}
	}
	w.csv = csv.NewWriter(out)
	if layout.Semicolons {
		w.csv.Comma = ';'
	}
	_ = w.csv.Write(columns) // Flush returns the error, also of the rows
	return w
}

// marked writes the byte order mark in front of what is written first.
type marked struct {
	out  io.Writer
	done bool
}

func (m *marked) Write(p []byte) (int, error) {
	if !m.done {
		if _, err := io.WriteString(m.out, mark); err != nil {
			return 0, err
		}
		m.done = true
	}
	return m.out.Write(p)
}

// Row adds a row. Flush returns its error.
func (w *Writer) Row(values ...Value) {
	w.cells = w.cells[:0]
	for _, value := range values {
		w.cells = append(w.cells, w.layout.cell(value))
	}
	_ = w.csv.Write(w.cells)
}

// Flush writes the rows that are waiting, and returns the first error.
func (w *Writer) Flush() error {
	w.csv.Flush()
	return w.csv.Error()
}

// cell returns what is written for a value.
func (l Layout) cell(v Value) string {
	switch {
	case v.kind == plain:
		return v.text
	case v.kind == decimal && l.Semicolons:
		return strings.Replace(v.text, ".", ",", 1)
	case v.kind == decimal:
		return v.text
	case l.Spreadsheet && (v.kind == code || changes(v.text)) && fitsFormula(v.text) && !looksComputed(v.text):
		return `="` + strings.ReplaceAll(v.text, `"`, `""`) + `"`
	default:
		return Escape(v.text)
	}
}

// changing fits texts that a spreadsheet may take for a number, a date or a flag. It fits too
// many rather than too few: a text formula looks no different in a spreadsheet.
var changing = regexp.MustCompile(`(?i)^(?:[ $€£(+.,-]*[0-9]|(?:true|false|vrai|faux)$|` + months + `[-/., ]+[0-9])`)

// changes reports whether a spreadsheet may change a text when it opens a file, or the text looks
// as if one had done so, for which an import would refuse it.
func changes(text string) bool {
	text = strings.TrimSpace(text)
	return changing.MatchString(text) || ruined.MatchString(text)
}

// longestFormula is how many characters a text may have in a formula of Excel.
const longestFormula = 255

// fitsFormula reports whether a text can be a text formula.
func fitsFormula(text string) bool {
	return text != "" && utf8.RuneCountInString(text) <= longestFormula && !strings.ContainsFunc(text, unicode.IsControl)
}
