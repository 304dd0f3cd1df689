package portal

import (
	"errors"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

// refuse shows why the order was not created: at the fields, or else as a notice. It
// reports whether err is a refusal that the page can show.
func (o *orderForm) refuse(err error) bool {
	faults, ok := o.faultsOfRefusal(err)
	if !ok {
		return false
	}
	o.Faults = faults
	for _, fault := range faults {
		o.Sent.Faults = append(o.Sent.Faults, page.Fault{Field: fault.Field, Text: fault.Text})
	}
	return true
}

// faultsOfRefusal returns the fields that are to blame for a refusal. If there are none,
// the notice says what is. It is false for other errors.
func (o *orderForm) faultsOfRefusal(err error) (faults []orderform.Fault, ok bool) {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return nil, false
	}
	if problems := form.ProblemsOf(err); problems != nil {
		return o.FaultsOf(problems), true
	}
	switch refused.Code {
	case delivery.CodeInsufficientStock:
		return o.Shortages(refused), true
	case refusal.CodeConflict:
		return []orderform.Fault{o.Fault("partner_order_id", o.Text("neworder.fault.taken"))}, true
	case delivery.CodeQuotaExceeded:
		o.Notice = o.Text("neworder.quota")
	case refusal.CodeIdempotencyInProgress, refusal.CodeIdempotencyKeyReused:
		return nil, false // the page of the refusal says it
	default:
		o.Notice = o.Text("neworder.refused", "why", o.Language.Refusal(refused.Code))
	}
	return nil, true
}
