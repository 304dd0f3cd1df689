package portal

import (
	"cmp"
	"errors"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web/page"
)

// orderFault is what is wrong with a field of the order form.
type orderFault struct {
	Field, Label, Text string
}

// refuse shows why the order was not created: at the fields, or else as a notice. It
// reports whether err is a refusal that the page can show.
func (o *orderForm) refuse(err error) bool {
	faults, ok := o.faultsOfRefusal(err)
	if !ok {
		return false
	}
	o.Faults = faults
	for _, fault := range faults {
		o.Form.Faults = append(o.Form.Faults, page.Fault{Field: fault.Field, Text: fault.Text})
	}
	return true
}

// faultsOfRefusal returns the fields that are to blame for a refusal. If there are none,
// the notice says what is. It is false for other errors.
func (o *orderForm) faultsOfRefusal(err error) (faults []orderFault, ok bool) {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return nil, false
	}
	if problems := form.ProblemsOf(err); problems != nil {
		return o.faultsOf(problems), true
	}
	switch refused.Code {
	case delivery.CodeInsufficientStock:
		return o.shortages(refused), true
	case refusal.CodeConflict:
		return []orderFault{o.fault("partner_order_id", o.Text("neworder.fault.taken"))}, true
	case delivery.CodeQuotaExceeded:
		o.Notice = o.Text("neworder.quota")
	case refusal.CodeIdempotencyInProgress, refusal.CodeIdempotencyKeyReused:
		return nil, false // the page of the refusal says it
	default:
		o.Notice = o.Text("neworder.refused", "why", o.Language.Refusal(refused.Code))
	}
	return nil, true
}

// fault returns the fault of a field.
func (o *orderForm) fault(path, text string) orderFault {
	return orderFault{path, o.labelOf(path), text}
}

// labelOf names a field and what it belongs to.
func (o *orderForm) labelOf(path string) string {
	f, object, ok := findField(path)
	if !ok {
		return o.Text("neworder.parcels")
	}
	label := o.Text(f.label)
	i, _, isParcel := rowOf(path, "parcels")
	switch {
	case isParcel:
		return o.Text("neworder.parcel", "n", i+1) + " · " + label
	case object == "" || strings.HasPrefix(object, "items["):
		return label
	}
	return o.Text(sections[object]) + " · " + label
}

var sections = map[string]string{
	"pickup": "neworder.pickup", "dropoff": "neworder.dropoff", "cod": "neworder.cod", "insurance": "neworder.insurance",
}

// faultsOf returns the faults that a validation error names.
func (o *orderForm) faultsOf(problems form.Problems) (faults []orderFault) {
	for _, problem := range problems {
		problem.Field = o.typedPath(problem.Field)
		faults = append(faults, o.fault(problem.Field, o.faultText(problem)))
	}
	return faults
}

// missing returns what keeps an order from having a price. A field that is empty is named
// only: it is not wrong yet.
func (o *orderForm) missing(problems form.Problems) (faults []orderFault) {
	faults = o.faultsOf(problems)
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
func (o *orderForm) typedPath(path string) string {
	i, rest, ok := rowOf(path, "items")
	if rows := itemRows(o.Form.Values); ok && i < len(rows) {
		// The product is chosen by the row, so its quantity is what can be changed.
		return row("items", rows[i]) + "." + strings.Replace(rest, "product_id", "quantity", 1)
	}
	return path
}

// faultText says in the reader's language what a field must hold.
func (o *orderForm) faultText(problem form.Problem) string {
	f, _, _ := findField(problem.Field)
	switch {
	case isEmpty(problem):
		return o.Text("fault.required")
	case f.kind == asCents:
		return o.Text("neworder.fault.amount")
	}
	return page.FaultText(problem, o.Language)
}

// shortages returns a fault for each product of which too few are left.
func (o *orderForm) shortages(refused *refusal.Error) (faults []orderFault) {
	for _, s := range delivery.ShortagesOf(refused) {
		for _, p := range o.Products {
			if o.Form.Values.Get(p.Path+".product_id") == strconv.FormatInt(s.ProductID, 10) &&
				o.Form.Values.Get(p.Path+".quantity") != "" {
				text := o.Text("neworder.fault.stock", "left", o.Language.Number(int(s.Available)))
				faults = append(faults, orderFault{p.Path + ".quantity", cmp.Or(p.Name, o.Text("neworder.product")), text})
			}
		}
	}
	return faults
}
