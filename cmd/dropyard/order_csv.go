package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// csvColumn describes a column of an order file.
type csvColumn struct {
	name string
	part csvPart
	kind csvKind
}

// csvPart says what a column belongs to: the order, one of its parcels, or one of its
// items.
type csvPart byte

const (
	ofOrder csvPart = iota
	ofParcel
	ofItem
)

// csvKind says how the cells of a column are written.
type csvKind byte

const (
	csvText csvKind = iota
	csvNumber
	csvFlag
	csvObject
)

// csvColumns lists all columns that an order file may have.
var csvColumns = slices.Concat(
	[]csvColumn{{"partner_order_id", ofOrder, csvText}, {"service_level", ofOrder, csvText}},
	contactColumns("pickup"), contactColumns("dropoff"),
	[]csvColumn{
		{"reference", ofOrder, csvText}, {"instructions", ofOrder, csvText}, {"quote_id", ofOrder, csvText},
		{"metadata", ofOrder, csvObject}, {"cod.amount_cents", ofOrder, csvNumber}, {"cod.currency", ofOrder, csvText},
		{"insurance.amount_cents", ofOrder, csvNumber}, {"insurance.currency", ofOrder, csvText},
		{"parcel_id", ofParcel, csvText}, {"description", ofParcel, csvText},
		{"length_cm", ofParcel, csvNumber}, {"width_cm", ofParcel, csvNumber}, {"height_cm", ofParcel, csvNumber},
		{"weight_kg", ofParcel, csvNumber}, {"value_cents", ofParcel, csvNumber}, {"fragile", ofParcel, csvFlag},
		{"barcode", ofParcel, csvText}, {"product_id", ofItem, csvNumber}, {"quantity", ofItem, csvNumber},
	})

// csvRequired lists the columns that an order file must have.
var csvRequired = []string{"partner_order_id", "service_level", "pickup.name", "dropoff.name", "parcel_id", "weight_kg"}

// contactColumns returns the columns of one end of a delivery: pickup or dropoff.
func contactColumns(end string) (columns []csvColumn) {
	for _, name := range []string{
		"name", "phone", "email", "address.line1", "address.line2", "address.city", "address.province", "address.postal_code",
		"address.country", "address.notes", "time_window.start", "time_window.end",
	} {
		columns = append(columns, csvColumn{end + "." + name, ofOrder, csvText})
	}
	return columns
}

// fileOrder is an order in a file.
type fileOrder struct {
	line      int // its first
	reference string
	body      object            // of the request
	cells     map[string]string // of the order's own columns, as in the first line that has them
	warnings  []client.Warning  // of the file; the service has others
}

// lineFault is a fault in a line of a file.
type lineFault struct {
	line    int
	message string
}

// orderFile is the content of a file of orders.
type orderFile struct {
	orders []*fileOrder
	faults []lineFault
}

func (f *orderFile) fault(line int, format string, args ...any) {
	f.faults = append(f.faults, lineFault{line, fmt.Sprintf(format, args...)})
}

// readOrders parses a file of orders: rows with the same partner_order_id are one
// order. An error means that the file as a whole cannot be read; the faults of single
// lines are in the result.
func readOrders(content []byte) (*orderFile, error) {
	table, err := csvfile.Read(content)
	if err != nil {
		return nil, err // it names the line
	}
	columns, err := csvHeader(table.Header)
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", table.HeaderLine, err)
	}
	file, known := &orderFile{}, map[string]*fileOrder{}
	for line, err := range table.Lines() {
		switch {
		case err != nil:
			return nil, err
		case line.Ragged:
			file.fault(line.Number, "the line has %d cells, but the header names %d columns", len(line.Cells), len(columns))
		default:
			file.add(known, table, line.Number, columns, line.Cells)
		}
	}
	return file, nil
}

// csvHeader returns the columns that a header names. Unknown, repeated and missing
// columns are errors.
func csvHeader(header []string) (columns []csvColumn, err error) {
	for i, name := range header {
		at := slices.IndexFunc(csvColumns, func(c csvColumn) bool { return c.name == name })
		switch {
		case at < 0:
			return nil, fmt.Errorf("unknown column %q", name)
		case slices.Contains(header[:i], name):
			return nil, fmt.Errorf("the column %q appears twice", name)
		}
		columns = append(columns, csvColumns[at])
	}
	for _, name := range csvRequired {
		if !slices.Contains(header, name) {
			return nil, fmt.Errorf("the column %q is missing", name)
		}
	}
	return columns, nil
}

// add adds a line, which is an order or a further parcel or item of an earlier one.
// known holds the orders so far by partner_order_id.
func (f *orderFile) add(
	known map[string]*fileOrder, table *csvfile.File, line int, columns []csvColumn, cells []csvfile.Cell,
) {
	reference := cells[slices.IndexFunc(columns, func(c csvColumn) bool { return c.name == "partner_order_id" })].Text
	if reference == "" {
		f.fault(line, "partner_order_id is empty")
		return
	}
	order := known[reference]
	if order == nil {
		order = &fileOrder{line: line, reference: reference, body: object{"parcels": []object{}}, cells: map[string]string{}}
		known[reference] = order
		f.orders = append(f.orders, order)
	}
	parcel, item := object{}, object{}
	for i, column := range columns {
		if cells[i].Text == "" {
			continue
		}
		if column.kind == csvText && table.LacksLetters(cells[i]) {
			order.warnings = append(order.warnings, client.Warning{
				Code: "lacks_letters", Field: column.name,
				Message: fmt.Sprintf("%q seems to lack letters that the file's encoding does not have: save it as CSV UTF-8",
					cells[i].Text),
			})
		}
		value, err := column.value(table, cells[i])
		if err != nil {
			f.fault(line, "%s: %v", column.name, err)
			continue
		}
		switch column.part {
		case ofParcel:
			parcel[column.name] = value
		case ofItem:
			item[column.name] = value
		default:
			f.set(order, line, column.name, cells[i].Text, value)
		}
	}
	if len(parcel) > 0 {
		order.body["parcels"] = append(order.body["parcels"].([]object), parcel)
	}
	if len(item) > 0 {
		items, _ := order.body["items"].([]object)
		order.body["items"] = append(items, item)
	}
}

// set sets a member of the order from a cell. Later lines of the same order may
// repeat the cell or leave it empty, but not differ from it.
func (f *orderFile) set(order *fileOrder, line int, name, cell string, value any) {
	if earlier, found := order.cells[name]; found {
		if earlier != cell {
			f.fault(line, "%s is %q, but %q in line %d of the same order", name, cell, earlier, order.line)
		}
		return
	}
	order.cells[name] = cell
	inside := order.body
	steps := strings.Split(name, ".")
	for _, step := range steps[:len(steps)-1] {
		next, ok := inside[step].(object)
		if !ok {
			next = object{}
			inside[step] = next
		}
		inside = next
	}
	inside[steps[len(steps)-1]] = value
}

// value parses a cell that is not empty.
func (c csvColumn) value(table *csvfile.File, cell csvfile.Cell) (any, error) {
	text := cell.Text
	if cell.Ruined() {
		return nil, fmt.Errorf("%q is what a spreadsheet shows instead of the value: "+
			"format the column as text and enter the value again", text)
	}
	switch c.kind {
	case csvNumber:
		number := table.Number(cell)
		if !form.IsNumber(number) {
			return nil, fmt.Errorf("%q is not a number (example: 12.5)", text)
		}
		return json.Number(number), nil
	case csvFlag:
		flag, ok := cell.Flag()
		if !ok {
			return nil, fmt.Errorf("%q is not true or false", text)
		}
		return flag, nil
	case csvObject:
		return metadataOf(text)
	default:
		return text, nil
	}
}

// metadataOf returns the metadata in a cell. It returns the error that the service would refuse
// the order with.
func metadataOf(text string) (json.RawMessage, error) {
	var refused *refusal.Error
	if _, err := strictjson.Parse([]byte(text)); errors.As(err, &refused) {
		return nil, errors.New(strings.TrimPrefix(refused.Message, "the body is "))
	}
	sent, err := json.Marshal(object{"metadata": json.RawMessage(text)})
	if err != nil {
		return nil, err
	}
	root, err := strictjson.Parse(sent)
	if err != nil {
		return nil, err
	}
	var problems form.Problems
	metadata := delivery.ReadMetadata(form.New(root, &problems))
	if len(problems) > 0 {
		return nil, fmt.Errorf("expected %s", problems[0].Expected)
	}
	return metadata, nil
}

// object is a JSON object.
type object map[string]any
