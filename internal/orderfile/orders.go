package orderfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/csvfile"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// reader makes orders of the lines of a file.
type reader struct {
	Options
	file    *File
	columns map[string][]int // by the fields that they are mapped to
	result  Result
	known   map[string]*Order // the orders so far, by partner_order_id
}

// Orders returns the orders of the file: lines with the same partner_order_id are one order, whose further lines add
// parcels, items or contents.
func (f *File) Orders(options Options) *Result {
	r := &reader{
		Options: options, file: f, columns: f.columns(options.Mapping), known: map[string]*Order{},
		result: Result{Texts: map[Cell]string{}},
	}
	for _, line := range f.lines {
		if line.Ragged {
			r.result.fault(Cell{Line: line.Number}, Ragged, "", len(line.Cells), len(f.Titles))
			continue
		}
		r.line(line)
	}
	for _, order := range r.result.Orders {
		r.complete(order)
	}
	return &r.result
}

// text returns the text of a field in a line, and the cell that it is in.
func (r *reader) text(line csvfile.Line, field Field) csvfile.Cell {
	at := Cell{line.Number, field.Name}
	if text, corrected := r.Corrections[at]; corrected {
		text = strings.TrimSpace(text)
		r.result.Texts[at] = text
		return csvfile.Cell{Text: text, Literal: true}
	}
	var found csvfile.Cell
	for _, column := range r.columns[field.Name] {
		if line.Cells[column].Text == "" {
			continue
		}
		switch {
		case found.Text == "":
			found = line.Cells[column]
		case strings.HasSuffix(field.Name, ".name") && field.Part == OfOrder: // a first name and a last one
			found.Text += " " + line.Cells[column].Text
		}
	}
	if found.Text != "" {
		r.result.Texts[at] = found.Text
	}
	return found
}

// line adds a line, which is an order or a further part of an earlier one.
func (r *reader) line(line csvfile.Line) {
	reference := r.text(line, Fields[0]).Text
	if reference == "" {
		r.result.fault(Cell{line.Number, Fields[0].Name}, NoReference, "")
		return
	}
	order := r.known[reference]
	if order == nil {
		order = &Order{
			Line: line.Number, Reference: reference, Body: Object{}, texts: map[string]placed{}, places: map[string]Cell{},
			repeats: map[string]int{},
		}
		r.known[reference] = order
		r.result.Orders = append(r.result.Orders, order)
	} else if r.ofAnotherRecipient(order, line) {
		r.result.fault(Cell{line.Number, Fields[0].Name}, Twice, reference, order.Line)
		return
	}
	r.warnOfRepetition(order, line)
	order.Lines = append(order.Lines, line.Number)
	if order.Closed == nil {
		order.Closed = r.file.closed(line)
	}
	parcel, item, contents := Object{}, Object{}, map[string]string{}
	for _, field := range Fields {
		cell := r.text(line, field)
		if cell.Text == "" {
			continue
		}
		at := Cell{line.Number, field.Name}
		if field.kind != asNumber && field.kind != asDollars && field.kind != asFlag && field.kind != asObject &&
			r.file.table.LacksLetters(cell) {
			order.Warnings = append(order.Warnings, Fault{Cell: at, Code: LacksLetters, Text: cell.Text})
		}
		value, ok := r.value(at, field, cell)
		if !ok {
			continue
		}
		switch field.Part {
		case OfParcel:
			parcel[field.target()] = value
			order.places["parcels["+strconv.Itoa(len(order.rows))+"]."+field.target()] = at
		case OfItem:
			items, _ := order.Body["items"].([]Object)
			item[field.target()] = value
			order.places["items["+strconv.Itoa(len(items))+"]."+field.target()] = at
		case OfContents:
			contents[field.Name] = cell.Text
		default:
			r.set(order, at, field, cell.Text, value)
		}
	}
	if len(parcel) > 0 {
		order.rows, order.parcels = append(order.rows, parcel), append(order.parcels, line.Number)
	}
	if len(item) > 0 {
		items, _ := order.Body["items"].([]Object)
		order.Body["items"] = append(items, item)
	}
	order.inside = appendContents(order.inside, contents)
}

// recipient lists the fields by which two orders differ that have the same number in a file.
var recipient = []string{"dropoff.name", "dropoff.address.line1", "dropoff.address.postal_code"}

// ofAnotherRecipient reports whether a line with the number of an order goes to another recipient. A line that differs
// in one of the fields only is rather misspelt: its cell has the fault.
func (r *reader) ofAnotherRecipient(order *Order, line csvfile.Line) bool {
	differing := 0
	for _, name := range recipient {
		field, _ := FindField(name)
		earlier, found := order.texts[name]
		if text := r.text(line, field).Text; found && text != "" && text != earlier.text {
			differing++
		}
	}
	return differing > 1
}

// warnOfRepetition adds a warning if a line is the same as an earlier one of its order, and names the recipient again:
// shops leave that out of the further lines of an order.
func (r *reader) warnOfRepetition(order *Order, line csvfile.Line) {
	name, _ := FindField(recipient[0])
	if r.text(line, name).Text == "" {
		return
	}
	cells := fmt.Sprintf("%#v", line.Cells)
	if earlier, ok := order.repeats[cells]; ok {
		order.Warnings = append(order.Warnings, Fault{
			Cell: Cell{line.Number, Fields[0].Name}, Code: Repeated, Text: order.Reference,
			Arguments: []any{line.Number, earlier},
		})
		return
	}
	order.repeats[cells] = line.Number
}

// appendContents adds an article and how many of them there are, if it has a name.
func appendContents(inside []string, contents map[string]string) []string {
	name, quantity := contents[ContentsName], contents[ContentsQuantity]
	switch {
	case name == "":
		return inside
	case quantity == "" || quantity == "1":
		return append(inside, name)
	default:
		return append(inside, quantity+" × "+name)
	}
}

// set sets a member of the order. Later lines of the same order may repeat the cell or leave it empty, but not
// differ from it.
func (r *reader) set(order *Order, at Cell, field Field, text string, value any) {
	if earlier, found := order.texts[field.Name]; found {
		if earlier.text != text {
			r.result.fault(at, Differs, text, earlier.text, earlier.line)
		}
		return
	}
	order.texts[field.Name] = placed{text, at.Line}
	order.places[field.target()] = at
	order.put(field.target(), value)
}

// put sets a member of the request by its path.
func (o *Order) put(path string, value any) {
	inside := o.Body
	steps := strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		next, ok := inside[step].(Object)
		if !ok {
			next = Object{}
			inside[step] = next
		}
		inside = next
	}
	inside[steps[len(steps)-1]] = value
}

// get returns a text of the request by its path; empty if it has none.
func (o *Order) get(path string) string {
	inside := o.Body
	steps := strings.Split(path, ".")
	for _, step := range steps[:len(steps)-1] {
		inside, _ = inside[step].(Object)
	}
	text, _ := inside[steps[len(steps)-1]].(string)
	return text
}

// maxDescription is how many characters the description of a parcel has at most.
const maxDescription = 1000

// maxNamed is how many bytes the number of an order has at most of which its parcels are named.
const maxNamed = 200

// complete adds what the lines of an order lack. Parcels are named after their order, because labels have these
// names as bar codes, and a scan should find one parcel.
func (r *reader) complete(order *Order) {
	r.addDefaults(order)
	taken := map[any]bool{}
	for _, parcel := range order.rows {
		taken[parcel["parcel_id"]] = true
	}
	name := order.Reference
	if len(name) > maxNamed {
		name = "P"
	}
	for i, parcel := range order.rows {
		for n := i + 1; parcel["parcel_id"] == nil; n++ {
			if id := name + "-" + strconv.Itoa(n); !taken[id] {
				parcel["parcel_id"], taken[id] = id, true
			}
		}
	}
	order.Body["parcels"] = append([]Object{}, order.rows...)
	for _, money := range []string{"cod", "insurance"} {
		if sum, ok := order.Body[money].(Object); ok && sum["amount_cents"] != nil && sum["currency"] == nil {
			sum["currency"] = string(delivery.CAD)
		}
	}
	for _, end := range []string{"pickup", "dropoff"} {
		contact, _ := order.Body[end].(Object)
		if address, ok := contact["address"].(Object); ok && address["country"] == nil {
			address["country"] = delivery.Country
		}
		for _, limit := range []string{".time_window.start", ".time_window.end"} {
			if text := order.get(end + limit); text != "" {
				order.put(end+limit, r.timeOf(order, end, text))
			}
		}
	}
}

// addDefaults adds the defaults of the fields that the order, or one of its parcels, lacks. An order whose lines have
// no parcel has one.
func (r *reader) addDefaults(order *Order) {
	description := cut(strings.Join(order.inside, ", "), maxDescription)
	if len(order.rows) == 0 && (description != "" || r.hasParcel()) {
		order.rows, order.parcels = []Object{{}}, []int{order.Line}
	}
	for _, parcel := range order.rows {
		if parcel["description"] == nil && description != "" {
			parcel["description"] = description
			break
		}
	}
	for _, field := range Fields {
		switch {
		case r.Defaults[field.Name] == "" || !field.MayDefault():
		case field.Part == OfOrder && !order.hasMember(field.target()):
			if value, ok := r.defaultOf(order.Line, field); ok {
				order.put(field.target(), value)
			}
		case field.Part == OfParcel:
			for i, parcel := range order.rows {
				if parcel[field.target()] != nil {
					continue
				}
				if value, ok := r.defaultOf(order.parcels[i], field); ok {
					parcel[field.target()] = value
				}
			}
		}
	}
}

// defaultOf parses the default of a field that a line lacks. It is not ok for one with a fault, which it adds, and for
// a cell that is not empty but has a fault of its own.
func (r *reader) defaultOf(line int, field Field) (value any, ok bool) {
	at := Cell{line, field.Name}
	if r.result.Texts[at] != "" {
		return nil, false
	}
	value, ok = r.value(at, field, csvfile.Cell{Text: r.Defaults[field.Name], Literal: true})
	if !ok {
		r.result.Faults[len(r.result.Faults)-1].OfDefault = true
	}
	return value, ok
}

// hasMember reports whether the request has a member.
func (o *Order) hasMember(path string) bool { return o.places[path] != Cell{} }

// hasParcel reports whether the defaults describe a parcel.
func (r *reader) hasParcel() bool {
	for name, text := range r.Defaults {
		if field, _ := FindField(name); field.Part == OfParcel && text != "" {
			return true
		}
	}
	return false
}

// cut cuts a text to so many characters.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// localTimes are the forms of times without an offset, as people and spreadsheets write them.
var localTimes = []string{
	"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15h04",
	"2006-01-02 15 h 04", "2006/01/02 15:04",
}

// timeOf returns a time without an offset as that of the clocks at one end of an order; any other text as it is.
func (r *reader) timeOf(order *Order, end, text string) string {
	if r.Clock == nil {
		return text
	}
	clock := r.Clock(delivery.Address{
		Province: order.get(end + ".address.province"), PostalCode: order.get(end + ".address.postal_code"),
	})
	for _, layout := range localTimes {
		if at, err := time.ParseInLocation(layout, text, clock); err == nil {
			return at.Format(time.RFC3339)
		}
	}
	return text
}

// value parses a cell that is not empty. It is not ok for one with a fault, which it adds.
func (r *reader) value(at Cell, field Field, cell csvfile.Cell) (value any, ok bool) {
	text := cell.Text
	if cell.Ruined() {
		r.result.fault(at, Ruined, text)
		return nil, false
	}
	switch field.kind {
	case asNumber:
		number := r.file.table.Number(cell)
		if !form.IsNumber(number) {
			r.result.fault(at, NotNumber, text)
			return nil, false
		}
		return json.Number(number), true
	case asDollars:
		cents, found := centsOf(r.file.table.Number(csvfile.Cell{Text: amountSpace.Replace(text)}))
		if !found {
			r.result.fault(at, NotAmount, text)
		}
		return cents, found
	case asFlag:
		flag, found := cell.Flag()
		if !found {
			r.result.fault(at, NotFlag, text)
		}
		return flag, found
	case asObject:
		metadata, err := metadataOf(text)
		if err != nil {
			r.result.fault(at, Metadata, text, err.Error())
		}
		return metadata, err == nil
	case asPhone:
		return phoneOf(text), true
	case asProvince:
		return provinceOf(text), true
	case asCountry:
		return countryOf(text), true
	case asPostalCode:
		return postalCodeOf(text), true
	case asLevel:
		return levelOf(text), true
	default:
		return text, true
	}
}

// amountSpace is what people write around and inside of an amount.
var amountSpace = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "$", "")

// centsOf returns an amount in dollars as cents. It is not ok for a text that is none, or has a fraction of a cent.
func centsOf(text string) (json.Number, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(whole) > 12 || len(fraction) > 2 || whole+fraction == "" {
		return "", false
	}
	cents, err := strconv.ParseUint(whole+(fraction + "00")[:2], 10, 63)
	return json.Number(strconv.FormatUint(cents, 10)), err == nil
}

// metadataOf returns the metadata in a cell. It returns the error that the service would refuse
// the order with.
func metadataOf(text string) (json.RawMessage, error) {
	var refused *refusal.Error
	if _, err := strictjson.Parse([]byte(text)); errors.As(err, &refused) {
		return nil, errors.New(strings.TrimPrefix(refused.Message, "the body is "))
	}
	sent, err := json.Marshal(Object{"metadata": json.RawMessage(text)})
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
