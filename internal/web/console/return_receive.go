package console

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/web/page"
)

// receiptView is what the page that receives the parcels of an order shows.
type receiptView struct {
	*sheet
	Row       returnRow
	Form      *page.Form // nil once the parcels were received
	Lines     []returnLine
	Location  page.Field
	Locations []string
}

// returnLine is a product of the form: how much of it has left, and a field for each condition in
// which it comes back.
type returnLine struct {
	delivery.Item
	Fields []returnField
	Fault  string // what is wrong with the quantities together
}

// returnField is a field for how many units came back in one condition.
type returnField struct {
	page.Field
	Column string // the condition
}

// ID returns the id of what is wrong with the quantities together.
func (l returnLine) ID() string { return sumField(l.ProductID) }

// sumField is where faults of the sum of a product's quantities belong.
func sumField(productID int64) string { return fmt.Sprintf("sum-%d", productID) }

func dispositionField(d delivery.Disposition, productID int64) string {
	return fmt.Sprintf("%s-%d", d, productID)
}

// receipt shows the form that receives the parcels of an order. All that has left is filled in as
// sellable, where it was taken from.
func (pages *Pages) receipt(s *sheet) (int, []byte, error) {
	row, err := s.findReturn()
	if err != nil {
		return 0, nil, err
	}
	view := &receiptView{sheet: s, Row: row}
	if row.Due() {
		if view.Form, err = s.form(row.Path, 0); err != nil {
			return 0, nil, err
		}
		for _, item := range delivery.AddedUp(row.Order.Items) {
			view.Form.Values.Set(dispositionField(delivery.Sellable, item.ProductID), strconv.FormatInt(item.Quantity, 10))
		}
		if len(row.Order.Allocation) > 0 {
			view.Form.Values.Set("location", row.Order.Allocation[0].Location)
		}
	}
	return view.show(http.StatusOK)
}

// show shows the form with its fields, or what was received.
func (v *receiptView) show(status int) (int, []byte, error) {
	shown := leaf{
		template: "console-return", title: v.Text("returns.title", "order", v.Row.Order.PartnerOrderID), data: v,
		status: status, back: &page.Link{Text: v.Text("console.returns"), Path: returnsPath},
	}
	if v.Form == nil {
		return v.sheet.show(shown)
	}
	v.addFields()
	var err error
	v.Locations, err = v.pages.config.Stock.Locations(v.Context(), v.Row.PartnerID)
	if err != nil {
		return 0, nil, err
	}
	return v.sheet.show(shown)
}

func (v *receiptView) addFields() {
	for _, item := range delivery.AddedUp(v.Row.Order.Items) {
		line := returnLine{Item: item}
		for _, disposition := range delivery.Dispositions {
			column := v.Text("disposition." + string(disposition))
			line.Fields = append(line.Fields, returnField{v.Form.With(page.Field{
				Name:  dispositionField(disposition, item.ProductID),
				Label: v.Text("returns.field", "state", column, "name", item.Name),
			}), column})
		}
		line.Fault = v.Form.With(page.Field{Name: line.ID(), Label: item.Name}).Fault
		v.Lines = append(v.Lines, line)
	}
	hint := "returns.location.hint"
	if len(v.Lines) == 0 {
		hint = "returns.location.sender"
	}
	v.Location = v.Form.With(page.Field{
		Name: "location", Label: v.Text("movements.location"), Hint: v.Text(hint), Required: len(v.Lines) > 0,
	})
}

// receiveReturn receives the parcels of an order, or shows the form again with what is wrong with it.
func (pages *Pages) receiveReturn(s *sheet) (int, []byte, error) {
	row, err := s.findReturn()
	if err != nil {
		return 0, nil, err
	}
	view := &receiptView{sheet: s, Row: row}
	if view.Form, err = page.ReadForm(s.PageRequest); err != nil {
		return 0, nil, err
	}
	request := s.once(view.Form)
	sent := view.number()
	receipt, _ := form.Decode(view.Form.Typed(typedNumbers), pages.config.Orders.ReadReceipt("")) // keeps its faults
	_, err = pages.config.Orders.Receive(s.Context(), request, row.OrderID, receipt)
	switch {
	case refusal.HasCode(err, refusal.CodeConflict):
		return view.conflict()
	case view.refuse(err, sent):
		return view.show(http.StatusUnprocessableEntity)
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo(returnsPath, page.Flash{Key: "returns.done", Arguments: []string{"order", row.Order.PartnerOrderID}})
}

// once returns the request of a form as one that is carried out once under the key of the form.
func (s *sheet) once(sent *page.Form) *idempotency.Request {
	key := idempotency.Key{Scope: s.Request.Method + " " + s.Request.URL.Path + " " + s.Operator.OperatorID}
	_, _ = hex.Decode(key.UUID[:], []byte(sent.Key)) // page.ReadForm has checked it
	return new(idempotency.NewRequest(key, []byte(sent.Values.Encode())))
}

// number writes the quantities into the lines of the request, and returns which product and condition
// each line is about. Quantities that are empty or zero are left out.
func (v *receiptView) number() (sent []delivery.ReturnLine) {
	for _, item := range delivery.AddedUp(v.Row.Order.Items) {
		for _, disposition := range delivery.Dispositions {
			text := strings.TrimSpace(v.Form.Values.Get(dispositionField(disposition, item.ProductID)))
			if strings.Trim(text, "0") == "" {
				continue
			}
			line := fmt.Sprintf("lines[%d].", len(sent))
			v.Form.Values.Set(line+"product_id", strconv.FormatInt(item.ProductID, 10))
			v.Form.Values.Set(line+"quantity", text)
			v.Form.Values.Set(line+"disposition", string(disposition))
			sent = append(sent, delivery.ReturnLine{ProductID: item.ProductID, Disposition: disposition})
		}
	}
	return sent
}

// inLine fits the field of a fault in a line of a request.
var inLine = regexp.MustCompile(`^lines\[([0-9]+)\]`)

// refuse adds what is wrong with the form, beside the fields that were typed into, and reports whether
// there is anything.
func (v *receiptView) refuse(refused error, sent []delivery.ReturnLine) bool {
	if !v.Form.Refuse(refused, v.Language) {
		return false
	}
	v.Form.Faults = nil
	for _, problem := range form.ProblemsOf(refused) {
		fault := page.Fault{Field: problem.Field, Text: page.FaultText(problem, v.Language)}
		if product, quantity, ok := order.SumOf(problem); ok {
			fault.Field = sumField(product)
			fault.Text = v.Text("returns.sum", "n", v.Language.Number(int(quantity)))
		} else if in := inLine.FindStringSubmatch(problem.Field); in != nil {
			at, _ := strconv.Atoi(in[1]) // digits
			fault.Field = dispositionField(sent[at].Disposition, sent[at].ProductID)
		}
		v.Form.Faults = append(v.Form.Faults, fault)
	}
	return true
}

// conflict says why the parcels could not be received: another person was faster, or the sender has
// them without a proof.
func (v *receiptView) conflict() (int, []byte, error) {
	now, err := v.findReturn()
	if err != nil {
		return 0, nil, err
	}
	if !now.Due() {
		return v.LeadTo(v.Row.Path, page.Flash{Key: "returns.late", Danger: true})
	}
	v.Form.Faults = append(v.Form.Faults, page.Fault{Field: "location", Text: v.Text("returns.proof")})
	return v.show(http.StatusUnprocessableEntity)
}
