package portal

import (
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/web/page"
)

// requestView is the page on which the cancellation of an order is requested.
type requestView struct {
	*sheet
	Order *delivery.Order
	Form  *page.Form
}

// Reason is the field for what the dispatcher reads.
func (v requestView) Reason() page.Field {
	return v.Form.With(page.Field{
		Name: "reason", Type: "textarea", Label: v.Text("portal.cancel.reason"), Hint: v.Text("portal.request.reason.hint"),
		Required: true,
	})
}

// mayRequest reports whether the cancellation of an order can be requested now.
func mayRequest(o *delivery.Order) bool {
	return o.Course.Request == nil && slices.Contains(delivery.RequestableStatuses, o.Status)
}

// askRequest asks for the reason of a request.
func (pages *Pages) askRequest(s *sheet) (int, []byte, error) {
	form, err := s.form(s.Request.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	return pages.showRequest(s, form, http.StatusOK)
}

func (pages *Pages) showRequest(s *sheet, form *page.Form, status int) (int, []byte, error) {
	found, err := pages.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	if !mayRequest(found) {
		return s.noRequest(found)
	}
	return s.show(leaf{
		template: "portal-request", title: s.Text("portal.request.title", "order", found.PartnerOrderID),
		data: requestView{s, found, form}, status: status, otherMode: "/portal/orders",
		back: &page.Link{Text: found.PartnerOrderID, Path: s.Link("/portal/orders/" + found.OrderID)},
	})
}

// request requests the cancellation as a request to the interface under the key of the form
// does.
func (pages *Pages) request(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	key, err := s.Key()
	if err != nil {
		return 0, nil, err
	}
	used := idempotency.Key{
		PartnerID: s.Account, Scope: "POST /v1/orders/" + found.OrderID + "/cancellation-request", UUID: key,
	}
	wanted, _ := form.Decode(sent.Typed(nil), order.ReadCancellationWanted) // keeps its faults
	_, err = pages.config.Orders.RequestCancellation(s.Context(),
		idempotency.NewRequest(used, []byte(sent.Values.Encode())), found.OrderID, wanted)
	switch {
	case refusal.HasCode(err, refusal.CodeConflict):
		if found, err = pages.config.Orders.Get(s.Context(), s.Account, found.OrderID); err != nil {
			return 0, nil, err
		}
		return s.noRequest(found)
	case sent.Refuse(err, s.Language):
		return pages.showRequest(s, sent, http.StatusUnprocessableEntity)
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo(s.Link("/portal/orders/"+found.OrderID),
		page.Flash{Key: "portal.request.done", Arguments: []string{"order", found.PartnerOrderID}})
}

// noRequest leads to the order, and says that its cancellation cannot be requested.
func (s *sheet) noRequest(o *delivery.Order) (int, []byte, error) {
	return s.LeadTo(s.Link("/portal/orders/"+o.OrderID), page.Flash{
		Key: "portal.request.late", Arguments: []string{"status", s.Text("status." + string(o.Status))}, Danger: true,
	})
}
