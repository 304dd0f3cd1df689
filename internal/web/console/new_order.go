package console

import (
	"net/url"

	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) newOrderRoutes() []web.Route {
	const path = "/partners/{partner_id}/orders/new"
	price := pages.post(path+"/quote", dispatching, (*Pages).priceOrder)
	price.ChangesNothing = true
	return []web.Route{
		pages.get("/orders/new", dispatching, (*Pages).choosePartner),
		pages.get(path, dispatching, (*Pages).newOrder),
		pages.post(path, dispatching, (*Pages).createOrder),
		price,
		// For links on a page that was the answer to a form.
		pages.get(path+"/quote", dispatching, func(_ *Pages, s *sheet) (int, []byte, error) {
			return s.LeadTo(newOrderPath(s.ID("partner_id")), page.Flash{})
		}),
	}
}

func newOrderPath(partnerID string) string { return "/console/partners/" + partnerID + "/orders/new" }

// newOrderView is what the page of a new order for a partner shows.
type newOrderView struct {
	*sheet
	orderform.New
	Partner *partner.Overview
}

// newOrderView returns the form of a new order for the partner in the path, with the key of the form. It refuses with
// not_found.
func (s *sheet) newOrderView(key string) (*newOrderView, error) {
	found, err := s.pages.config.Partners.Overview(s.Context(), s.ID("partner_id"))
	if err != nil {
		return nil, err
	}
	id := found.PartnerID
	path := newOrderPath(id)
	return &newOrderView{sheet: s, Partner: found, New: orderform.New{
		Form: orderform.Form{
			Sheet: s.Sheet, Sent: &page.Form{Action: path, Key: key, Values: url.Values{}}, ActPath: path + "/quote",
			PartnerID: id, PartnerName: found.Name, OwnEmail: found.Email,
			Clock: s.pages.config.Calendar.ClockAt, Stock: s.pages.config.Stock, Offers: true,
		},
		Orders: s.pages.config.Orders, Now: s.pages.config.Site.Now(),
		Create: func(of idempotency.Key, content []byte, wanted order.Wanted) (order.Answer, error) {
			of.Scope = "POST /ops/v1/partners/" + id + "/orders " + s.Operator.OperatorID // as that of the interface
			return s.pages.config.Orders.CreateByDesk(s.Context(), idempotency.NewRequest(of, content), wanted)
		},
	}}, nil
}

// newOrder shows the form of a new order, as the parameters of the address fill it in.
func (*Pages) newOrder(s *sheet) (int, []byte, error) {
	return orderform.OpenNew(s.Sheet, s.newOrderView)
}

// priceOrder shows the form again with its price, after what a button says was done.
func (*Pages) priceOrder(s *sheet) (int, []byte, error) {
	return orderform.PriceNew(s.Sheet, s.newOrderView)
}

// createOrder creates the order for the partner, if its price is the one that the page has shown.
func (*Pages) createOrder(s *sheet) (int, []byte, error) {
	return orderform.CreateNew(s.Sheet, s.newOrderView)
}

// Created leads to the order.
func (v *newOrderView) Created(orderID string) (int, []byte, error) {
	return v.LeadTo(ordersPath+"/"+orderID,
		page.Flash{Key: "neworder.created", Arguments: []string{"order", v.Sent.Values.Get("partner_order_id")}})
}

// Show shows the page.
func (v *newOrderView) Show(status int) (int, []byte, error) {
	return v.show(leaf{
		template: "order-form-new", title: v.Text("neworder.for", "partner", v.Partner.Name), data: v, status: status,
		scripts: []string{"order-form.js"},
		back:    &page.Link{Text: v.Partner.Name, Path: "/console/partners/" + v.Partner.PartnerID},
	})
}

// chosenView is what the page shows on which the partner of a new order is chosen.
type chosenView struct {
	*sheet
	Search   string
	Partners []page.Link
	More     bool // there are more partners than these
}

// choosePartner lists partners, each with a link to the form of a new order for it.
func (pages *Pages) choosePartner(s *sheet) (int, []byte, error) {
	v := chosenView{sheet: s, Search: s.asked("q")}
	found, err := pages.config.Partners.List(s.Context(), partner.ListFilter{Search: v.Search, Limit: partnersOnPage})
	if err != nil {
		return 0, nil, err
	}
	v.More = found.Next != ""
	for _, p := range found.Partners {
		if p.Refusal() == nil {
			v.Partners = append(v.Partners, page.Link{Text: p.Name, Path: newOrderPath(p.PartnerID)})
		}
	}
	return s.show(leaf{
		template: "console-order-partner", title: s.Text("portal.new"), data: v,
		back: &page.Link{Text: s.Text("console.orders"), Path: ordersPath},
	})
}
