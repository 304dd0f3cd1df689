package console

import (
	"cmp"
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

func editPath(orderID string) string { return ordersPath + "/" + orderID + "/edit" }

// editor says who made an edit: the operator, or the partner.
func editor(s *sheet, record *dispatch.Record, edit delivery.Edit) string {
	if edit.By == delivery.EditorPartner {
		return record.PartnerName
	}
	return cmp.Or(record.Operators[edit.OperatorID], edit.OperatorID, s.Text("edit.by."+string(edit.By)))
}

// editForm returns the form that edits the order in the path, as it is now. made has its key.
func (pages *Pages) editForm(s *sheet, made *page.Form) (*orderform.Edit, error) {
	found, err := pages.config.Dispatch.Order(s.Context(), "", s.ID("order_id"))
	if err != nil {
		return nil, err
	}
	path := editPath(found.OrderID)
	edit, err := orderform.NewEdit(orderform.Form{
		Sheet: s.Sheet, ActPath: path + "/preview", PartnerID: found.Order.PartnerID, PartnerName: found.PartnerName,
		Clock: pages.config.Calendar.ClockAt, Stock: pages.config.Stock, Offers: s.in(warehousing),
	}, &page.Form{Action: path, Key: made.Key}, found.Order, delivery.EditorService, pages.config.Orders)
	if err != nil {
		return nil, err
	}
	edit.Who = func(e delivery.Edit) string { return editor(s, found, e) }
	return edit, nil
}

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
	made, err := s.form(s.Request.URL.Path, 0)
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

// saveEdit edits the order. The version that the form was made from keeps a form that is sent
// twice from editing the order twice.
func (pages *Pages) saveEdit(s *sheet) (int, []byte, error) {
	edit, err := pages.sentEdit(s)
	if err != nil {
		return 0, nil, err
	}
	saved, status, err := edit.Save(nil)
	switch {
	case err != nil:
		return 0, nil, err
	case !saved:
		return s.showEdit(edit, status)
	}
	return s.LeadTo(ordersPath+"/"+edit.Order.OrderID,
		page.Flash{Key: "edit.done", Arguments: []string{"order", edit.Order.PartnerOrderID}})
}

func (s *sheet) showEdit(edit *orderform.Edit, status int) (int, []byte, error) {
	return s.show(leaf{
		template: "console-order-edit", title: s.Text("edit.title", "order", edit.Order.PartnerOrderID), data: edit,
		status: status, scripts: []string{"order-form.js"},
		back: &page.Link{Text: edit.Order.PartnerOrderID, Path: ordersPath + "/" + edit.Order.OrderID},
	})
}
