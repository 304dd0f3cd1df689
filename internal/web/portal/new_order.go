package portal

import (
	"errors"
	"net/url"

	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	newOrderPath = "/portal/orders/new"
	pricePath    = newOrderPath + "/quote"
)

func (pages *Pages) newOrderRoutes() []web.Route {
	price := pages.post("/orders/new/quote", partner.PermissionOrders, (*Pages).priceOrder)
	price.ChangesNothing = true
	return []web.Route{
		pages.get("/orders/new", partner.PermissionOrders, (*Pages).newOrder),
		pages.post("/orders/new", partner.PermissionOrders, (*Pages).createOrder),
		price,
		// For links on a page that was the answer to a form.
		pages.get("/orders/new/quote", partner.PermissionOrders, func(_ *Pages, s *sheet) (int, []byte, error) {
			return s.LeadTo(s.Link(newOrderPath), page.Flash{})
		}),
	}
}

// newOrderView is what the page of a new order shows.
type newOrderView struct {
	*sheet
	orderform.New
}

// newOrder shows the form, as the parameters of the address fill it in.
func (*Pages) newOrder(s *sheet) (int, []byte, error) {
	return orderform.OpenNew(s.Sheet, s.newOrderView)
}

// priceOrder shows the form again with its price, after what a button says was done.
func (*Pages) priceOrder(s *sheet) (int, []byte, error) {
	return orderform.PriceNew(s.Sheet, s.newOrderView)
}

// createOrder creates the order, if its price is the one that the page has shown.
func (*Pages) createOrder(s *sheet) (int, []byte, error) {
	return orderform.CreateNew(s.Sheet, s.newOrderView)
}

// Created saves the ends of the order that are to be saved, and leads to the order.
func (v *newOrderView) Created(orderID string) (int, []byte, error) {
	created := page.Flash{Key: "neworder.created", Arguments: []string{"order", v.Sent.Values.Get("partner_order_id")}}
	if err := v.keepEnds(); err != nil {
		v.Report(err)
		created.Key, created.Danger = "neworder.created.unsaved", true
	}
	return v.LeadTo(v.Link("/portal/orders/"+orderID), created)
}

// Show shows the page.
func (v *newOrderView) Show(status int) (int, []byte, error) {
	return v.show(leaf{
		template: "order-form-new", title: v.Text("portal.new"), data: v, status: status,
		scripts: []string{"order-form.js"},
		back:    &page.Link{Text: v.Text("portal.orders"), Path: v.Link("/portal/orders")},
	})
}

// newOrderView returns the form of a new order, with the key of the form.
func (s *sheet) newOrderView(key string) (*newOrderView, error) {
	kept, err := s.pages.savedForForms(s)
	return &newOrderView{s, orderform.New{
		Form: orderform.Form{
			Sheet: s.Sheet, Sent: &page.Form{Action: s.Link(newOrderPath), Key: key, Values: url.Values{}},
			ActPath: s.Link(pricePath), PartnerID: s.Account, Clock: s.pages.config.Calendar.ClockAt,
			Stock: s.pages.config.Stock, Offers: s.May(partner.PermissionStockRead),
			OwnEmail: s.Member.Partner.Email, Saved: kept,
		},
		Orders: s.pages.config.Orders, Now: s.pages.config.Site.Now(),
		Create: func(of idempotency.Key, content []byte, wanted order.Wanted) (order.Answer, error) {
			of.Scope = "POST /v1/orders"
			return s.pages.config.Orders.Create(s.Context(), idempotency.NewRequest(of, content), wanted)
		},
	}}, err
}

// keepEnds saves the ends of the order that are to be saved.
func (v *newOrderView) keepEnds() (err error) {
	for _, wanted := range v.KeptEnds() {
		err = errors.Join(err, v.pages.config.Saved.Keep(v.Context(), v.Account, wanted))
	}
	return err
}
