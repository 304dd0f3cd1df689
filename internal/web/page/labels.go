package page

import (
	"cmp"
	"net/url"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Unprinted is what a page says about labels that are not in a file ("labels-unprinted").
type Unprinted struct {
	Orders []UnprintedOrder
	Others *Link // leads to the file of the other orders; nil if there are none
}

// UnprintedOrder is an order whose labels are not in a file.
type UnprintedOrder struct{ Number, Why string }

// unprintedPhrases are the keys of the phrases for the reasons of package label.
var unprintedPhrases = map[string]string{
	"erased": "labels.why.erased", "unreadable": "labels.why.unreadable", "full": "labels.why.full",
}

// Leave adds an order for a reason. An order that cannot be read has only its id.
func (u *Unprinted) Leave(s Sheet, o *delivery.Order, why string) {
	u.Orders = append(u.Orders, UnprintedOrder{cmp.Or(o.PartnerOrderID, o.OrderID), s.Text(unprintedPhrases[why])})
}

// LabelsLink returns the address of the labels of orders at a path, in the format of this one. Further
// parameters are pairs of name and value; those without a value are left out.
func (s Sheet) LabelsLink(path string, orderIDs []string, parameters ...string) string {
	sent := s.Request.URL.Query()
	parameters = append(parameters, "format", sent.Get("format"), "dpi", sent.Get("dpi"))
	address := Address(path, parameters...)
	separator := "?"
	if address != path {
		separator = "&"
	}
	return address + separator + url.Values{"order_id": orderIDs}.Encode()
}

// Distinct returns texts without those that are there before.
func Distinct(texts []string) (distinct []string) {
	for _, text := range texts {
		if text != "" && !slices.Contains(distinct, text) {
			distinct = append(distinct, text)
		}
	}
	return distinct
}
