package portal

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/web/page"
)

// cancelView is the page that asks before an order is cancelled.
type cancelView struct {
	*sheet
	Order *delivery.Order
	Form  *page.Form
	// Returned is how many units of products go back to stock.
	Returned int
	// Notified is set if the partner's webhook endpoint gets an event.
	Notified bool
}

// Reason is the field for the reason of the cancellation.
func (v cancelView) Reason() page.Field {
	return v.Form.With(page.Field{
		Name: "reason", Type: "textarea", Label: v.Text("portal.cancel.reason"), Hint: v.Text("portal.cancel.reason.hint"),
	})
}

// askCancel shows what cancelling an order does, and asks.
func (pages *Pages) askCancel(s *sheet) (int, []byte, error) {
	form, err := s.form(s.Request.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	return pages.showCancel(s, form, http.StatusOK)
}

func (pages *Pages) showCancel(s *sheet, form *page.Form, status int) (int, []byte, error) {
	found, err := pages.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	if !delivery.MayMove(found.Status, delivery.StatusCancelled, delivery.ActorPartner) {
		return s.tooLateToCancel(found)
	}
	view := cancelView{sheet: s, Order: found, Form: form}
	for _, take := range found.Allocation {
		view.Returned += int(take.Quantity)
	}
	endpoints, err := pages.config.Webhooks.Endpoints(s.Context(), s.Account)
	if err != nil {
		return 0, nil, err
	}
	view.Notified = len(endpoints) > 0
	return s.show(leaf{
		template: "portal-cancel", title: s.Text("portal.cancel.title", "order",
			found.PartnerOrderID), data: view, status: status, otherMode: "/portal/orders",
		back: &page.Link{Text: found.PartnerOrderID, Path: s.Link("/portal/orders/" + found.OrderID)},
	})
}

// cancel cancels an order.
func (pages *Pages) cancel(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	err = pages.cancelOrder(s, found.OrderID, sent)
	switch {
	case refusal.HasCode(err, delivery.CodeOrderNotCancellable):
		if found, err = pages.config.Orders.Get(s.Context(), s.Account, found.OrderID); err != nil {
			return 0, nil, err
		}
		return s.tooLateToCancel(found)
	case sent.Refuse(err, s.Language):
		return pages.showCancel(s, sent, http.StatusUnprocessableEntity)
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo(s.Link("/portal/orders/"+found.OrderID),
		page.Flash{Key: "portal.cancel.done", Arguments: []string{"order", found.PartnerOrderID}})
}

// cancelOrder cancels an order as a request to the interface under the key of the form
// does.
func (pages *Pages) cancelOrder(s *sheet, orderID string, sent *page.Form) error {
	key, err := s.Key()
	if err != nil {
		return err
	}
	used := idempotency.Key{PartnerID: s.Account, Scope: "POST /v1/orders/" + orderID + "/cancel", UUID: key}
	request := idempotency.NewRequest(used, []byte(sent.Values.Encode()))
	wanted, _ := form.Decode(sent.Typed(nil), order.ReadCancelRequest) // keeps its faults
	_, err = pages.config.Orders.Cancel(s.Context(), request, orderID, wanted)
	return err
}

// tooLateToCancel leads to the order, and says why it was not cancelled.
func (s *sheet) tooLateToCancel(o *delivery.Order) (int, []byte, error) {
	return s.LeadTo(s.Link("/portal/orders/"+o.OrderID), page.Flash{
		Key: "portal.cancel.late", Arguments: []string{"status", s.Text("status." + string(o.Status))}, Danger: true,
	})
}
