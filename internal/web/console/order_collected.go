package console

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/web/page"
)

func collectedPath(orderID string) string { return ordersPath + "/" + orderID + "/collected" }

// asksFor reports whether a move of an order needs more than a press.
func asksFor(o *delivery.Order, to delivery.Status) bool {
	switch to {
	case delivery.StatusCourierAssigned, delivery.StatusFailed, delivery.StatusCancelled:
		return true
	case delivery.StatusDelivered:
		return o.CollectedAsAsked() != nil
	default:
		return false
	}
}

// collectedFields returns the fields of what was collected, as members of an object whose name ends in a point; empty
// for none.
func (s *sheet) collectedFields(of *page.Form, object string, o *delivery.Order) []page.Field {
	methods := make([]page.Option, len(delivery.CollectionMethods))
	for i, method := range delivery.CollectionMethods {
		methods[i] = page.Option{Value: string(method), Label: s.Text("cash.method." + string(method))}
	}
	if due := o.CollectedAsAsked(); due != nil && !of.Sent {
		of.Values.Set(object+"amount_cents", dollarsTyped(due.AmountCents))
	}
	hint := ""
	if due := o.CollectedAsAsked(); due != nil {
		hint = s.Text("cash.to_collect", "amount", s.Language.Money(due.AmountCents, due.Currency))
	}
	return []page.Field{
		of.With(page.Field{
			Name: object + "amount_cents", Label: s.Text("cash.collected"), Hint: hint, Type: "text", InputMode: "decimal",
			Required: true,
		}),
		of.With(page.Field{Name: object + "method", Label: s.Text("cash.method"), Type: "select", Options: methods}),
		of.With(page.Field{
			Name: object + "notes", Label: s.Text("cash.why"), Hint: s.Text("cash.why.hint"), Type: "text",
			MaxLength: delivery.MaxReason,
		}),
	}
}

// dollarsTyped returns an amount as it is typed.
func dollarsTyped(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// currencyOf returns the currency in which an order is paid for at the door.
func currencyOf(o *delivery.Order) delivery.Currency {
	switch {
	case o.COD != nil:
		return o.COD.Currency
	case o.Course.Collected != nil:
		return o.Course.Collected.Currency
	default:
		return delivery.CAD
	}
}

// Correction is the path of the page that confirms or corrects what was collected; empty for those who do not count
// cash, and before the delivery.
func (v *orderView) Correction() string {
	if !v.in(counting) || v.Order.Status != delivery.StatusDelivered ||
		v.Order.Course.Collected == nil && v.Order.CollectedAsAsked() == nil {
		return ""
	}
	return collectedPath(v.Order.OrderID)
}

// collectedAsk is the page that asks what was collected.
type collectedAsk struct {
	*sheet
	Order  *delivery.Order
	Form   *page.Form
	Fields []page.Field
}

// askCollected asks what was collected of a delivered order.
func (pages *Pages) askCollected(s *sheet) (int, []byte, error) {
	return pages.showCollected(s, nil, http.StatusOK)
}

func (pages *Pages) showCollected(s *sheet, sent *page.Form, status int) (int, []byte, error) {
	found, err := pages.config.Dispatch.Order(s.Context(), "", s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	if found.Order.Status != delivery.StatusDelivered {
		return 0, nil, refusal.NotFound("page")
	}
	view := collectedAsk{sheet: s, Order: found.Order, Form: sent}
	if sent == nil {
		if view.Form, err = s.form(collectedPath(found.OrderID), 0); err != nil {
			return 0, nil, err
		}
	}
	view.Fields = s.collectedFields(view.Form, "", found.Order)
	if c := found.Order.Course.Collected; c != nil && sent == nil {
		view.Form.Values.Set("amount_cents", dollarsTyped(c.AmountCents))
		view.Form.Values.Set("method", string(c.Method))
		view.Form.Values.Set("notes", c.Notes)
		for i := range view.Fields {
			view.Fields[i] = view.Form.With(view.Fields[i])
		}
	}
	return s.show(leaf{
		template: "cash-collected", title: s.Text("cash.correct.title", "order", found.PartnerOrderID), data: view,
		status: status, back: &page.Link{Text: found.PartnerOrderID, Path: ordersPath + "/" + found.OrderID},
	})
}

// setCollected confirms or corrects what was collected of a delivered order.
func (pages *Pages) setCollected(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	orderID := s.ID("order_id")
	found, err := pages.config.Dispatch.Order(s.Context(), "", orderID)
	if err != nil {
		return 0, nil, err
	}
	sent.Values.Set("currency", string(currencyOf(found.Order)))
	wanted, _ := form.Decode(sent.Typed(typedAmounts), order.ReadCollectedWanted) // keeps its faults
	_, err = pages.config.Orders.SetCollected(s.Context(), nil, orderID, wanted)
	switch {
	case err == nil:
		return s.LeadTo(ordersPath+"/"+orderID, page.Flash{Key: "cash.corrected"})
	case !s.refuseAmounts(sent, err):
		return 0, nil, err
	}
	for i, fault := range sent.Faults {
		sent.Faults[i].Field = strings.TrimPrefix(fault.Field, "collected.") // of a move, where it is a member
	}
	return pages.showCollected(s, sent, http.StatusUnprocessableEntity)
}
