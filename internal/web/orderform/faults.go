package orderform

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web/page"
)

// Fault is what is wrong with a field of the order form.
type Fault struct {
	Field, Label, Text string
}

// Fault returns the fault of a field.
func (o *Form) Fault(path, text string) Fault {
	return Fault{path, o.labelOf(path), text}
}

// labelOf names a field and what it belongs to.
func (o *Form) labelOf(path string) string {
	f, object, ok := findField(path)
	if path == reasonField {
		return o.Sheet.Text("act.reason")
	}
	if !ok {
		return o.Sheet.Text("neworder.parcels")
	}
	label := o.Sheet.Text(f.label)
	i, _, isParcel := rowOf(path, "parcels")
	switch {
	case isParcel:
		return o.Sheet.Text("neworder.parcel", "n", i+1) + " · " + label
	case object == "" || strings.HasPrefix(object, "items["):
		return label
	}
	return o.Sheet.Text(sections[object]) + " · " + label
}

var sections = map[string]string{
	"pickup": "neworder.pickup", "dropoff": "neworder.dropoff", "cod": "neworder.cod", "insurance": "neworder.insurance",
}

// FaultsOf returns the faults that a validation error names.
func (o *Form) FaultsOf(problems form.Problems) (faults []Fault) {
	for _, problem := range problems {
		problem.Field = o.typedPath(problem.Field)
		faults = append(faults, o.Fault(problem.Field, o.faultText(problem)))
	}
	return faults
}

// MissingOf returns what keeps an order from having a price. A field that is empty is named
// only: it is not wrong yet.
func (o *Form) MissingOf(problems form.Problems) (faults []Fault) {
	faults = o.FaultsOf(problems)
	for i, problem := range problems {
		if isEmpty(problem) {
			faults[i].Text = ""
		}
	}
	return faults
}

func isEmpty(problem form.Problem) bool { return problem.Value == nil || problem.Value == "" }

// typedPath returns the field of the form that became the field of a request. They differ
// for items, because products of which none are ordered are left out.
func (o *Form) typedPath(path string) string {
	i, rest, ok := rowOf(path, "items")
	if rows := itemRows(o.Sent.Values); ok && i < len(rows) {
		// The product is chosen by the row, so its quantity is what can be changed.
		return Row("items", rows[i]) + "." + strings.Replace(rest, "product_id", "quantity", 1)
	}
	return path
}

// faultText says in the reader's language what a field must hold.
func (o *Form) faultText(problem form.Problem) string {
	f, _, _ := findField(problem.Field)
	switch {
	case f.kind == asCents:
		return AmountFault(problem, o.Sheet.Language)
	case isEmpty(problem):
		return o.Sheet.Text("fault.required")
	}
	return page.FaultText(problem, o.Sheet.Language)
}

// AmountFault says in the reader's language what a field of an amount in dollars must hold.
func AmountFault(problem form.Problem, l page.Language) string {
	if isEmpty(problem) {
		return l.Text("fault.required")
	}
	return l.Text("neworder.fault.amount")
}

// Shortages returns a fault for each product of which too few are left.
func (o *Form) Shortages(refused *refusal.Error) (faults []Fault) {
	for _, s := range delivery.ShortagesOf(refused) {
		for _, p := range o.Products {
			if o.Sent.Values.Get(p.Path+".product_id") == strconv.FormatInt(s.ProductID, 10) &&
				o.Sent.Values.Get(p.Path+".quantity") != "" {
				text := o.Sheet.Text("neworder.fault.stock", "left", o.Sheet.Language.Number(int(s.Available)))
				faults = append(faults, Fault{p.Path + ".quantity", cmp.Or(p.Name, o.Sheet.Text("neworder.product")), text})
			}
		}
	}
	return faults
}
