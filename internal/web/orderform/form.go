// Package orderform has the forms in which people type orders: their fields, what a typed text
// means, and the forms that create and edit an order, which the portal and the console share.
package orderform

import (
	"net/url"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web/page"
)

// Form is the content of an order in a form. templates/order_form.html of package page shows it.
type Form struct {
	Sheet     page.Sheet
	Sent      *page.Form
	ActPath   string // where buttons that change nothing send the form
	PartnerID string // whose products are offered
	// PartnerName is empty unless a dispatcher types the order of that partner.
	PartnerName string
	// Clock returns the time zone in which the times of an address are typed.
	Clock        func(delivery.Address) *time.Location
	Stock        *stock.Service
	Offers       bool // whether the reader may see the products
	Products     []ProductRow
	MoreProducts bool   // than are shown
	CodeFault    string // why the product of a code was not added
	// OwnEmail is the address that an order has whose recipient has none: that of the account, which gets no mails
	// to recipients. It is empty if an address must be typed.
	OwnEmail string
	// WindowFaults say what is wrong with the windows before the form is sent for good, by the ends of the delivery.
	WindowFaults map[string]string
	Saved        *Saved // what it can be filled in with; nil for a form that is not
	// Editable reports whether a part of an order, such as dropoff.time_window, can be typed;
	// nil if all can. The others are shown as text.
	Editable func(part string) bool
}

// The fields of the form that are not part of the request.
const (
	ActField    = "_act"  // which button was pressed
	SearchField = "_find" // a part of the name of a product, or one of its codes
)

// codeAct is what the button says that adds the product of a code.
const codeAct = "code"

// Typed returns what was typed as delivery.ReadOrderRequest reads it.
func (o *Form) Typed() url.Values { return o.order(o.Sent.Values) }

// recipientEmail is the field of the recipient's address, which may stay empty in a form that has OwnEmail.
const recipientEmail = "dropoff.email"

// order returns what was typed into fields as delivery.ReadOrderRequest reads it.
func (o *Form) order(typed url.Values) url.Values {
	values := orderValues(typed, o.Clock)
	if values.Get(recipientEmail) == "" && o.OwnEmail != "" {
		values.Set(recipientEmail, o.OwnEmail)
	}
	return values
}

// TypedForPrice returns what decides the price as delivery.ReadPriced reads it.
func (o *Form) TypedForPrice() url.Values { return quoteValues(o.Sent.Values, o.Clock) }
