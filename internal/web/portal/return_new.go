package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

// returnView is the page on which a return of a delivered order is created.
type returnView struct {
	*sheet
	Order *delivery.Order
	Form  *page.Form
	Items []delivery.Item // what can still be returned
}

// Returnable reports whether goods of the order can be returned now.
func (v orderView) Returnable() bool { return returnable(v.Order) }

func returnable(o *delivery.Order) bool {
	if o.Status != delivery.StatusDelivered || o.Course.Origin != nil {
		return false
	}
	if len(o.Items) > 0 {
		return len(o.Returnable()) > 0
	}
	return o.ReturnableParcels() > 0
}

// Fields returns the fields of the return besides its items.
func (v returnView) Fields() []page.Field {
	hint := v.Text("portal.return.time.hint", "city", v.Order.Dropoff.Address.City)
	fields := []page.Field{
		{Name: "reason", Type: "textarea", Label: v.Text("portal.return.reason")},
		{Name: "to", Type: "select", Label: v.Text("portal.return.to"), Options: []page.Option{
			{Value: string(delivery.ReturnToSender), Label: v.Order.Pickup.Name},
			{Value: string(delivery.ReturnToWarehouse), Label: v.Text("portal.return.warehouse")},
		}},
		{Name: windowFields + "start", Type: "datetime-local", Label: v.Text("portal.return.start"), Hint: hint},
		{Name: windowFields + "end", Type: "datetime-local", Label: v.Text("portal.return.end"), Hint: hint},
	}
	for i := range fields {
		fields[i].Required = true
		fields[i] = v.Form.With(fields[i])
	}
	return fields
}

// windowFields begins the names of the fields of the pickup's window.
const windowFields = "pickup.time_window."

// Quantity returns the field for how much of the i-th item comes back.
func (v returnView) Quantity(i int) page.Field {
	item := v.Items[i]
	return v.Form.With(page.Field{
		Name: quantityField(i), Type: "text", InputMode: "numeric",
		Label: v.Text("portal.return.quantity", "name", item.Name, "n", v.Language.Number(int(item.Quantity))),
	})
}

func quantityField(i int) string { return fmt.Sprintf("items[%d].quantity", i) }

// askReturn shows the form that creates a return.
func (pages *Pages) askReturn(s *sheet) (int, []byte, error) {
	made, err := s.form(s.Request.URL.Path)
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	for i, item := range found.Returnable() {
		made.Values.Set(quantityField(i), fmt.Sprint(item.Quantity))
	}
	if err := pages.proposePickup(s, found, made); err != nil {
		return 0, nil, err
	}
	return pages.showReturn(s, found, made, http.StatusOK)
}

// proposePickup fills in the next window in which the goods can be picked up, as for a new order from the recipient
// back to the sender.
func (pages *Pages) proposePickup(s *sheet, o *delivery.Order, made *page.Form) error {
	back := delivery.Shipment{ServiceLevel: delivery.Standard}
	back.Pickup.Address, back.Dropoff.Address = o.Dropoff.Address, o.Pickup.Address
	window, _, ok, err := pages.config.Orders.ProposeWindows(s.Context(), s.Account, back)
	if err != nil || !ok {
		return err
	}
	clock := pages.config.Calendar.ClockAt(o.Dropoff.Address)
	made.Values.Set(windowFields+"start", window.Start.In(clock).Format(orderform.TimeLayout))
	made.Values.Set(windowFields+"end", window.End.In(clock).Format(orderform.TimeLayout))
	return nil
}

func (pages *Pages) showReturn(s *sheet, found *delivery.Order, sent *page.Form, status int) (int, []byte, error) {
	if !returnable(found) {
		return s.noReturn(found)
	}
	return s.show(leaf{
		template: "portal-return", title: s.Text("portal.return.title", "order", found.PartnerOrderID),
		data: returnView{s, found, sent, found.Returnable()}, status: status, otherMode: "/portal/orders",
		back: &page.Link{Text: found.PartnerOrderID, Path: s.Link("/portal/orders/" + found.OrderID)},
	})
}

// noReturn leads to the order, and says that nothing of it can be returned.
func (s *sheet) noReturn(o *delivery.Order) (int, []byte, error) {
	return s.LeadTo(s.Link("/portal/orders/"+o.OrderID), page.Flash{Key: "portal.return.none", Danger: true})
}

// giveBack creates the return as a request to the interface under the key of the form does.
func (pages *Pages) giveBack(s *sheet) (int, []byte, error) {
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
	used := idempotency.Key{PartnerID: s.Account, Scope: "POST /v1/orders/" + found.OrderID + "/returns", UUID: key}
	wanted, _ := form.Decode(pages.typedReturn(found, sent.Values), order.ReadReturn) // keeps its faults
	answer, err := pages.config.Orders.CreateReturn(s.Context(),
		idempotency.NewRequest(used, []byte(sent.Values.Encode())), found.OrderID, wanted)
	switch {
	case refusal.HasCode(err, refusal.CodeConflict):
		return s.noReturn(found)
	case sent.Refuse(err, s.Language):
		return pages.showReturn(s, found, sent, http.StatusUnprocessableEntity)
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo(s.Link("/portal/orders/"+record.OrderID(answer.Record)),
		page.Flash{Key: "portal.return.done", Arguments: []string{"order", found.PartnerOrderID}})
}

// typedReturn returns what was typed as a request is read: times are those of the clocks at the old
// dropoff, and items of which nothing comes back are left out, unless that is so of all.
func (pages *Pages) typedReturn(o *delivery.Order, typed url.Values) form.Source {
	clock := pages.config.Calendar.ClockAt(o.Dropoff.Address)
	values := url.Values{}
	for name, texts := range typed {
		values[name] = texts
	}
	left, kept := o.Returnable(), 0
	for i, item := range left {
		name := quantityField(i)
		if text := strings.TrimSpace(values.Get(name)); text == "" || text == "0" {
			if kept > 0 || i < len(left)-1 {
				values.Del(name)
				continue
			}
			values.Set(name, "0") // which is refused: nothing at all would come back
		}
		kept++
		values.Set(fmt.Sprintf("items[%d].product_id", i), fmt.Sprint(item.ProductID))
	}
	return form.FromValues(values, func(path, text string) string {
		text = strings.TrimSpace(text)
		if strings.HasPrefix(path, windowFields) {
			if at, err := time.ParseInLocation("2006-01-02T15:04", text, clock); err == nil {
				return at.Format(time.RFC3339)
			}
		}
		return text
	})
}
