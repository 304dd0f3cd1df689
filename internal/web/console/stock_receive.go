package console

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// linesToFill is the number of empty lines that the form of a receipt offers.
const linesToFill = 5

// receiptLine is a line of a receipt as the form shows it.
type receiptLine struct {
	Product, Quantity page.Field
	Name              string // of the product with the code; empty if it is not known
}

// Names returns the address of the products that a line of a receipt means.
func (v *bookView) Names() string { return v.Path("/count/lines?names=1") }

// typedLine is a line of a receipt as it was sent.
type typedLine struct{ code, quantity string }

// typedLines returns the lines that were sent, without empty ones.
func typedLines(sent *page.Form) (lines []typedLine) {
	quantities := sent.Values["quantity"]
	for i, code := range sent.Values["product"] {
		line := typedLine{code: strings.TrimSpace(code)}
		if i < len(quantities) {
			line.quantity = strings.TrimSpace(quantities[i])
		}
		if line != (typedLine{}) {
			lines = append(lines, line)
		}
	}
	return lines
}

// pastedLines returns the lines of a list that was pasted, such as the columns of a delivery note: the first cell of
// each names the product, and the last one is the quantity. A line of titles, before the others, is left out.
func pastedLines(text string) (lines []typedLine) {
	for row := range strings.Lines(text) {
		cells := strings.FieldsFunc(row, func(r rune) bool { return r == '\t' || r == ';' || r == ',' })
		if len(cells) == 0 || strings.TrimSpace(row) == "" {
			continue
		}
		line := typedLine{code: strings.Trim(strings.TrimSpace(cells[0]), `"`)}
		if len(cells) > 1 {
			line.quantity = strings.Trim(strings.TrimSpace(cells[len(cells)-1]), `"`)
		}
		if len(lines) == 0 && !strings.ContainsAny(line.quantity, "0123456789") && len(cells) > 1 {
			continue
		}
		lines = append(lines, line)
	}
	return lines
}

// paste adds the lines of the list that was pasted to those of the form.
func (v *bookView) paste() {
	lines := append(typedLines(v.Form), pastedLines(v.Form.Values.Get("pasted"))...)
	for _, name := range []string{"product", "quantity", "pasted"} {
		v.Form.Values.Del(name)
	}
	for _, line := range lines {
		v.Form.Values.Add("product", line.code)
		v.Form.Values.Add("quantity", line.quantity)
	}
}

// addLines adds the fields of the lines that were sent, and of empty ones.
func (v *bookView) addLines() error {
	lines := typedLines(v.Form)
	named, err := v.named(lines)
	if err != nil {
		return err
	}
	lines = append(lines, make([]typedLine, max(0, min(linesToFill, stock.MaxReceived-len(lines))))...)
	field := func(line int, name, label, mode, value string) page.Field {
		numbered := fmt.Sprintf("%s-%d", name, line)
		v.Form.Values.Set(numbered, value)
		text := v.Text("warehouse.receive.line", "n", strconv.Itoa(line+1), "field", v.Text(label))
		return v.Form.With(page.Field{Name: numbered, Label: text, InputMode: mode})
	}
	for i, line := range lines {
		v.Lines = append(v.Lines, receiptLine{
			field(i, "product", "warehouse.code", "", line.code),
			field(i, "quantity", "warehouse.quantity", "numeric", line.quantity), "",
		})
		if found := named[line.code]; len(found) == 1 {
			v.Lines[i].Name = found[0].Name
		}
	}
	return nil
}

// named returns the products with the codes of lines, by code.
func (v *bookView) named(lines []typedLine) (map[string][]*movement.Product, error) {
	var codes []string
	for _, line := range lines {
		if form.IsText(line.code) {
			codes = append(codes, line.code)
		}
	}
	return v.pages.config.Stock.Find(v.Context(), v.PartnerID, codes...)
}

// receive books the lines of a receipt, all of them or none, or shows more lines: empty ones, or those of a list that
// was pasted, with the products that they name.
func (v *bookView) receive() (int, []byte, error) {
	if v.Form.Values.Get("act") == "more" || v.Form.Values.Get("pasted") != "" {
		v.paste()
		again, err := v.form(v.Form.Action, 0)
		if err != nil {
			return 0, nil, err
		}
		again.Values, v.Form = v.Form.Values, again
		return v.show(http.StatusOK)
	}
	lines := typedLines(v.Form)
	ids, err := v.productsOf(lines)
	if err != nil {
		return 0, nil, err
	}
	v.askForLocation()
	if len(v.Form.Faults) > 0 {
		return v.show(http.StatusUnprocessableEntity)
	}
	for i, line := range lines {
		v.Form.Values.Set(fmt.Sprintf("lines[%d].product_id", i), strconv.FormatInt(ids[i], 10))
		v.Form.Values.Set(fmt.Sprintf("lines[%d].quantity", i), line.quantity)
	}
	request := once(v.storeroom, v.Form, v.Form.Values.Encode(), func(stock.Received) ([]byte, error) {
		return strictjson.Marshal(len(lines))
	})
	receipt, _ := form.Decode(v.Form.Typed(typedNumbers), stock.ReadReceipt) // keeps its faults
	if _, err := v.pages.config.Stock.Receive(v.Context(), request, receipt); err != nil {
		return v.refuseLines(err)
	}
	message, err := v.received(lines, ids)
	if err != nil {
		return 0, nil, err
	}
	return v.LeadTo(v.Link(v.Path("/book"), "type", string(v.Kind), "location",
		strings.TrimSpace(v.Form.Values.Get("location"))), message)
}

// received returns the message that says what was received.
func (v *bookView) received(lines []typedLine, ids []int64) (page.Flash, error) {
	if len(lines) == 1 {
		v.Form.Values.Set("quantity", lines[0].quantity)
		return v.booked(v.Context(), ids[0])
	}
	return page.Flash{Key: "warehouse.received", Arguments: []string{
		"location", strings.TrimSpace(v.Form.Values.Get("location")), "lines", v.Language.Number(len(lines)),
	}}, nil
}

// productsOf returns the ids of the products that the lines name. Lines that name none, or
// more than one, get a fault.
func (v *bookView) productsOf(lines []typedLine) (ids []int64, err error) {
	fault := func(line int, text string) {
		v.Form.Faults = append(v.Form.Faults, page.Fault{Field: fmt.Sprintf("product-%d", line), Text: text})
	}
	if len(lines) == 0 {
		fault(0, v.Text("fault.required"))
	}
	if len(lines) > stock.MaxReceived {
		fault(stock.MaxReceived, v.Text("warehouse.receive.most", "most", v.Language.Number(stock.MaxReceived)))
		return nil, nil
	}
	named, err := v.named(lines)
	if err != nil {
		return nil, err
	}
	ids = make([]int64, len(lines))
	for i, line := range lines {
		found, err := v.meant(line.code, named[line.code])
		switch {
		case err != nil:
			return nil, err
		case line.code == "":
			fault(i, v.Text("fault.required"))
		case len(found) == 0:
			fault(i, v.Text("warehouse.code.unknown"))
		case len(found) > 1:
			fault(i, v.Text("warehouse.receive.several", "products", listed(found)))
		default:
			ids[i] = found[0].ProductID
		}
	}
	return ids, nil
}

// meant returns the products with a code, or else those with it in their names.
func (r *storeroom) meant(code string, named []*movement.Product) (products []delivery.Product, err error) {
	for _, product := range named {
		products = append(products, product.Product)
	}
	if len(products) > 0 || code == "" || !form.IsText(code) {
		return products, nil
	}
	products, _, err = r.pages.config.Stock.Products(r.Context(),
		stock.ProductFilter{PartnerID: r.PartnerID, Search: code, Limit: linesToFill})
	return products, err
}

// findByNames looks up by their names what no product has as a code, as a receipt does when it is sent.
func (v *countView) findByNames() error {
	for i := range v.Lines {
		line := &v.Lines[i]
		if line.Fault != v.Text("warehouse.count.unknown") {
			continue
		}
		switch found, err := v.meant(line.Code, nil); {
		case err != nil:
			return err
		case len(found) == 0:
			line.Fault = v.Text("warehouse.code.unknown")
		case len(found) > 1:
			line.Fault = v.Text("warehouse.receive.several", "products", listed(found))
		default:
			line.Fault, line.Product = "", &movement.Product{Product: found[0]}
		}
	}
	return nil
}

// listed lists products by number and name.
func listed(products []delivery.Product) string {
	texts := make([]string, len(products))
	for i, product := range products {
		texts[i] = fmt.Sprintf("%d (%s)", product.ProductID, product.Name)
	}
	return strings.Join(texts, ", ")
}

// ofLine fits the field of a fault in a line of a receipt.
var ofLine = regexp.MustCompile(`^lines\[([0-9]+)\]\.(.+)$`)

// refuseLines shows the form of a receipt with what is wrong with its lines.
func (v *bookView) refuseLines(refused error) (int, []byte, error) {
	if !v.Form.Refuse(refused, v.Language) {
		return 0, nil, refused
	}
	for i, fault := range v.Form.Faults {
		if in := ofLine.FindStringSubmatch(fault.Field); in != nil {
			v.Form.Faults[i].Field = strings.TrimSuffix(in[2], "_id") + "-" + in[1]
		}
	}
	return v.show(http.StatusUnprocessableEntity)
}
