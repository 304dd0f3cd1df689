// Package orderfile reads files of orders: those with the columns of this service, the exports of Shopify and
// WooCommerce, and what people type into a spreadsheet. The command line and the portal share it. It decides
// nothing about orders: it makes requests of lines, and knows from which cell each member of a request comes.
package orderfile

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
)

// File is a file that has been read.
type File struct {
	Titles     []string // of its columns
	HeaderLine int
	Format     Format
	table      *csvfile.File
	lines      []csvfile.Line
}

// Read reads a file. The error is a *csvfile.ReadError.
func Read(content []byte) (*File, error) {
	table, err := csvfile.Read(content)
	if err != nil {
		return nil, err
	}
	f := &File{Titles: table.Header, HeaderLine: table.HeaderLine, Format: formatOf(table.Header), table: table}
	for line, err := range table.Lines() {
		if err != nil {
			return nil, err
		}
		f.lines = append(f.lines, line)
	}
	return f, nil
}

// Rows is the number of lines after the header.
func (f *File) Rows() int { return len(f.lines) }

// HasLine reports whether an order or a part of one can be in a line.
func (f *File) HasLine(number int) bool {
	_, found := slices.BinarySearchFunc(f.lines, number, func(l csvfile.Line, n int) int { return l.Number - n })
	return found
}

// Sample returns the first text of a column; empty if it has none.
func (f *File) Sample(column int) string {
	for _, line := range f.lines {
		if column < len(line.Cells) && line.Cells[column].Text != "" {
			return line.Cells[column].Text
		}
	}
	return ""
}

// Check returns what is wrong with the header of a file: in the service's own columns one that is unknown, in any file
// one that appears twice.
func (f *File) Check(mapping Mapping) error {
	for i, title := range f.Titles {
		switch {
		case f.Format == FormatOwn && mapping[i] == "":
			return fmt.Errorf("line %d: unknown column %q", f.HeaderLine, title)
		case slices.Contains(f.Titles[:i], title):
			return fmt.Errorf("line %d: the column %q appears twice", f.HeaderLine, title)
		}
	}
	return nil
}

// stands has the columns that make another one unnecessary.
var stands = map[string]string{"value": "value_cents", "description": ContentsName}

// Missing returns the fields that every order needs and for which there is neither a column nor a default.
func (f *File) Missing(mapping Mapping, defaults map[string]string) (names []string) {
	given := func(name string) bool { return name != "" && (mapping.has(name) || defaults[name] != "") }
	for _, name := range required() {
		if !given(name) && !given(stands[name]) {
			names = append(names, name)
		}
	}
	return names
}

// Unread returns the titles of columns that have texts and are not read, in a file that people have made. Those of the
// exports of shops are known, and nothing of a delivery is in them.
func (f *File) Unread(mapping Mapping) (titles []string) {
	if f.Format != FormatOther {
		return nil
	}
	for i, title := range f.Titles {
		if mapping[i] == "" && f.Sample(i) != "" {
			titles = append(titles, title)
		}
	}
	return titles
}

// Cell is a place in a file: a field in a line. The file need not have a column for it.
type Cell struct {
	Line  int
	Field string
}

// Options says how the lines of a file are read.
type Options struct {
	Mapping Mapping
	// Defaults are the texts of fields that an order lacks.
	Defaults map[string]string
	// Corrections replace the texts of cells.
	Corrections map[Cell]string
	// Clock returns the time zone of an address, in which times without an offset are; nil leaves them.
	Clock func(delivery.Address) *time.Location
}

// Order is an order in a file.
type Order struct {
	Line      int // its first
	Lines     []int
	Reference string
	Body      Object // of the request
	Warnings  []Fault
	Closed    *Closed // nil if the shop still expects its delivery

	texts   map[string]placed // of the order's own fields, as in the first line that has them
	places  map[string]Cell   // of the members of the request, by their paths
	rows    []Object          // the parcels, as they are gathered
	parcels []int             // the lines of the parcels
	inside  []string          // what is in the parcel
	repeats map[string]int    // the lines that name the recipient, by their cells
}

// placed is a text and the line that it is in.
type placed struct {
	text string
	line int
}

// Closed is a cell by which a shop needs no delivery of an order: it was cancelled, refunded or sent already.
type Closed struct{ Column, Text string }

// Object is a JSON object.
type Object map[string]any

// Cell returns the place in the file that a path of the request comes from, or would come from.
func (o *Order) Cell(path string) Cell {
	if cell, found := o.places[path]; found {
		return cell
	}
	cell := Cell{o.Line, fieldOf(path)}
	var row int
	if n, _ := fmt.Sscanf(path, "parcels[%d]", &row); n == 1 && row < len(o.parcels) {
		cell.Line = o.parcels[row]
	}
	return cell
}

// Text returns a text of the request by its path; empty if it has none.
func (o *Order) Text(path string) string { return o.get(path) }

// SetWindow sets the time window of one end of a delivery.
func (o *Order) SetWindow(end string, w delivery.Window) {
	o.put(end+".time_window.start", w.Start.Format(time.RFC3339))
	o.put(end+".time_window.end", w.End.Format(time.RFC3339))
}

// JSON returns the request.
func (o *Order) JSON() ([]byte, error) { return json.Marshal(o.Body) }

// Result is the content of a file.
type Result struct {
	Orders []*Order
	Faults []Fault
	Texts  map[Cell]string // of the cells that are not empty
}

// OrderAt returns the order that a line belongs to; nil if it belongs to none.
func (r *Result) OrderAt(line int) *Order {
	i := slices.IndexFunc(r.Orders, func(o *Order) bool { return slices.Contains(o.Lines, line) })
	if i < 0 {
		return nil
	}
	return r.Orders[i]
}

func (r *Result) fault(cell Cell, code Code, text string, arguments ...any) {
	r.Faults = append(r.Faults, Fault{Cell: cell, Code: code, Text: text, Arguments: arguments})
}
