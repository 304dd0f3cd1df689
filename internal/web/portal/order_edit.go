package portal

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) editRoutes() []web.Route {
	preview := pages.post("/orders/{order_id}/edit/preview", partner.PermissionOrders, (*Pages).previewEdit)
	preview.ChangesNothing = true
	return []web.Route{
		pages.get("/orders/{order_id}/edit", partner.PermissionOrders, (*Pages).askEdit),
		pages.post("/orders/{order_id}/edit", partner.PermissionOrders, (*Pages).saveEdit),
		preview,
		// For links on a page that was the answer to a form.
		pages.get("/orders/{order_id}/edit/preview", partner.PermissionOrders,
			func(_ *Pages, s *sheet) (int, []byte, error) {
				return s.LeadTo(s.Link(editPath(s.ID("order_id"))), page.Flash{})
			}),
	}
}

func editPath(orderID string) string { return "/portal/orders/" + orderID + "/edit" }

// editForm returns the form that edits the order in the path, as it is now. made has its key.
func (pages *Pages) editForm(s *sheet, made *page.Form) (*orderform.Edit, error) {
	found, err := pages.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return nil, err
	}
	path := editPath(found.OrderID)
	edit, err := orderform.NewEdit(orderform.Form{
		Sheet: s.Sheet, ActPath: s.Link(path + "/preview"), PartnerID: s.Account, Clock: pages.config.Calendar.ClockAt,
		Stock: pages.config.Stock, Offers: s.May(partner.PermissionStockRead),
		OwnEmail: s.Member.Partner.Email,
	}, &page.Form{Action: s.Link(path), Key: made.Key}, found, delivery.EditorPartner, pages.config.Orders)
	if err != nil {
		return nil, err
	}
	edit.Who = s.editor
	return edit, nil
}

// editor says which side made an edit.
func (s *sheet) editor(edit delivery.Edit) string { return s.Text("edit.by." + string(edit.By)) }

// sentEdit returns the form that was sent.
func (pages *Pages) sentEdit(s *sheet) (*orderform.Edit, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return nil, err
	}
	edit, err := pages.editForm(s, sent)
	if err != nil {
		return nil, err
	}
	return edit, edit.Read(sent)
}

// askEdit shows the form that edits an order.
func (pages *Pages) askEdit(s *sheet) (int, []byte, error) {
	made, err := s.form(s.Request.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	edit, err := pages.editForm(s, made)
	if err != nil {
		return 0, nil, err
	}
	if err := edit.Try(); err != nil {
		return 0, nil, err
	}
	return s.showEdit(edit, http.StatusOK)
}

// previewEdit shows the form again with what the edit would do, after what a button says.
func (pages *Pages) previewEdit(s *sheet) (int, []byte, error) {
	edit, err := pages.sentEdit(s)
	if err != nil {
		return 0, nil, err
	}
	if err := edit.Act(s.Request.PostForm.Get(orderform.ActField)); err != nil {
		return 0, nil, err
	}
	if err := edit.Try(); err != nil {
		return 0, nil, err
	}
	return s.showEdit(edit, http.StatusOK)
}

// saveEdit edits the order as a request to the interface under the key of the form does.
func (pages *Pages) saveEdit(s *sheet) (int, []byte, error) {
	edit, err := pages.sentEdit(s)
	if err != nil {
		return 0, nil, err
	}
	key, err := s.Key()
	if err != nil {
		return 0, nil, err
	}
	orderID := edit.Order.OrderID
	used := idempotency.Key{PartnerID: s.Account, Scope: "PATCH /v1/orders/" + orderID, UUID: key}
	request := idempotency.NewRequest(used, []byte(s.Request.PostForm.Encode()))
	saved, status, err := edit.Save(&request)
	switch {
	case err != nil:
		return 0, nil, err
	case !saved:
		return s.showEdit(edit, status)
	}
	return s.LeadTo(s.Link("/portal/orders/"+orderID),
		page.Flash{Key: "edit.done", Arguments: []string{"order", edit.Order.PartnerOrderID}})
}

func (s *sheet) showEdit(edit *orderform.Edit, status int) (int, []byte, error) {
	return s.show(leaf{
		template: "portal-edit", title: s.Text("edit.title", "order", edit.Order.PartnerOrderID), data: edit,
		status: status, scripts: []string{"order-form.js"}, otherMode: "/portal/orders",
		back: &page.Link{Text: edit.Order.PartnerOrderID, Path: s.Link("/portal/orders/" + edit.Order.OrderID)},
	})
}
