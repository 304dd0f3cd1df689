package retention

import (
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// maxSelected is how many orders a request may name.
const maxSelected = 500

var (
	noRecipient   = form.Define("no_recipient", "nothing, unless order_ids is left out")
	notTheAccount = form.Define("not_account_email",
		"an address other than the account's own, which orders without a recipient's address have: name them in order_ids")
	ordersOrRecipient = form.Define("orders_or_recipient", "the orders to erase, or a recipient")
)

// ReadSelection reads which orders a request erases: those that it names, or those of a
// recipient.
func ReadSelection(f *form.Form) Selection {
	s := Selection{
		OrderIDs:  f.Texts("order_ids", form.Optional, 1, maxSelected, form.Length(1, 255)),
		Recipient: f.Text("recipient", form.Optional, delivery.EmailRule),
		Force:     f.Flag("force"),
	}
	switch {
	case f.Has("order_ids") && f.Has("recipient"):
		f.Fault("recipient", noRecipient)
	case !f.Has("order_ids") && !f.Has("recipient"):
		f.Fault("order_ids", ordersOrRecipient)
	}
	return s
}
