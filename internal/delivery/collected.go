package delivery

import "github.com/dropyard/dropyard/internal/foundation/form"

// CollectionMethod is how an amount was paid at the door.
type CollectionMethod string

// The methods.
const (
	PaidCash     CollectionMethod = "cash"
	PaidTerminal CollectionMethod = "terminal" // by card
	PaidNothing  CollectionMethod = "none"
	// PaidUnknown is the method of an amount that was to be collected by a courier who has not said whether it was.
	// Until the desk knows better it counts as cash that the courier has.
	PaidUnknown CollectionMethod = "unconfirmed"
)

// CollectionMethods lists those that a request may have.
var CollectionMethods = []CollectionMethod{PaidCash, PaidTerminal, PaidNothing}

// Collected is what was collected when an order was delivered.
type Collected struct {
	AmountCents int64            `json:"amount_cents"`
	Currency    Currency         `json:"currency"`
	Method      CollectionMethod `json:"method"`
	Notes       string           `json:"notes,omitempty"` // why it is another amount than was to be collected
}

var (
	collectionRule   = form.Define("collected", "what was collected, as this order is paid for at the door")
	methodOfNothing  = form.Define("method_of_nothing", "none for an amount of 0, and only then")
	differenceRule   = form.Define("collected_difference", "why another amount was collected than {dollars} {currency}")
	collectedIn      = form.Define("collected_currency", "{currency}, in which the amount is to be collected")
	methodRule       = form.OneOf(CollectionMethods...)
	collectionsNotes = form.Length(0, MaxReason)
	reasonRule       = form.Length(1, MaxReason)
)

// ReadCollected reads what was collected; nil if the request does not say.
func ReadCollected(f *form.Form) *Collected {
	if f == nil {
		return nil
	}
	amount, sent := f.Integer("amount_cents", form.Required, 0, MaxCents)
	c := &Collected{
		AmountCents: amount, Currency: Currency(f.Text("currency", form.Required, currencyRule)),
		Method: CollectionMethod(f.Text("method", form.Required, methodRule)),
		Notes:  f.Text("notes", form.Optional, collectionsNotes),
	}
	if sent && c.Method != "" && (c.Method == PaidNothing) != (amount == 0) {
		f.Fault("method", methodOfNothing)
	}
	return c
}

// CollectedAsAsked returns what was collected if all was paid in cash that was to be collected of an order; nil if
// nothing was to be.
func (o *Order) CollectedAsAsked() *Collected {
	due := ToCollect(o.COD, o.Course.Origin != nil)
	if due == nil {
		return nil
	}
	return &Collected{AmountCents: due.AmountCents, Currency: due.Currency, Method: PaidCash}
}

// Collection returns what is recorded as collected of an order that is delivered now, by what its courier reports,
// which may be nil; nil if there was nothing to collect. It refuses what does not fit to the order, and nothing that is
// reported where that is required.
func (o *Order) Collection(reported *Collected, required bool) (*Collected, error) {
	due := o.CollectedAsAsked()
	switch {
	case reported == nil && due == nil:
		return nil, nil
	case reported == nil && required:
		return nil, form.Fault("collected", nil, collectionRule)
	case reported == nil:
		due.Method = PaidUnknown
		return due, nil
	case due == nil && reported.AmountCents == 0:
		return nil, nil
	case due == nil:
		due = &Collected{Currency: reported.Currency}
	case due.Currency != reported.Currency:
		return nil, form.Fault("collected.currency", string(reported.Currency),
			collectedIn.With("currency", string(due.Currency)))
	}
	if reported.AmountCents != due.AmountCents && !reasonRule.Allows(reported.Notes) {
		return nil, form.Fault("collected.notes", "",
			differenceRule.With("dollars", float64(due.AmountCents)/100, "currency", string(due.Currency)))
	}
	return reported, nil
}
