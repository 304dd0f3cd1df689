package portal

import (
	"errors"
	"net/http"
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
func (pages *Pages) newOrder(s *sheet) (int, []byte, error) {
	made, err := s.form(newOrderPath)
	if err != nil {
		return 0, nil, err
	}
	v, err := pages.newOrderView(s, made)
	if err != nil {
		return 0, nil, err
	}
	if err := v.Open(s.Request.URL.Query()); err != nil {
		return 0, nil, err
	}
	return v.show(http.StatusOK)
}

// priceOrder shows the form again with its price, after what a button says was done.
func (pages *Pages) priceOrder(s *sheet) (int, []byte, error) {
	v, err := pages.readNewOrder(s)
	if err != nil {
		return 0, nil, err
	}
	if err := v.Price(s.Request.PostForm); err != nil {
		return 0, nil, err
	}
	return v.show(http.StatusOK)
}

// createOrder creates the order, if its price is the one that the page has shown.
func (pages *Pages) createOrder(s *sheet) (int, []byte, error) {
	v, err := pages.readNewOrder(s)
	if err != nil {
		return 0, nil, err
	}
	key, err := s.Key()
	if err != nil {
		return 0, nil, err
	}
	orderID, err := v.Save(key)
	if err == nil {
		created := page.Flash{Key: "neworder.created", Arguments: []string{"order", v.Sent.Values.Get("partner_order_id")}}
		if err := v.keepEnds(); err != nil {
			s.Report(err)
			created.Key, created.Danger = "neworder.created.unsaved", true
		}
		return s.LeadTo(s.Link("/portal/orders/"+orderID), created)
	}
	status, err := v.Refused(err)
	if err != nil {
		return 0, nil, err
	}
	return v.show(status)
}

func (v *newOrderView) show(status int) (int, []byte, error) {
	return v.sheet.show(leaf{
		template: "order-form-new", title: v.Text("portal.new"), data: v, status: status,
		scripts: []string{"order-form.js"},
		back:    &page.Link{Text: v.Text("portal.orders"), Path: v.Link("/portal/orders")},
	})
}

func (pages *Pages) newOrderView(s *sheet, made *page.Form) (*newOrderView, error) {
	kept, err := pages.savedForForms(s)
	return &newOrderView{s, orderform.New{
		Form: orderform.Form{
			Sheet: s.Sheet, Sent: made, ActPath: s.Link(pricePath), PartnerID: s.Account, Clock: pages.config.Calendar.ClockAt,
			Stock: pages.config.Stock, Offers: s.May(partner.PermissionStockRead),
			OwnEmail: s.Member.Partner.Email, Saved: kept,
		},
		Orders: pages.config.Orders, Now: pages.config.Site.Now(),
		Create: func(r idempotency.Key, content []byte, wanted order.Wanted) (order.Answer, error) {
			r.Scope = "POST /v1/orders"
			return pages.config.Orders.Create(s.Context(), idempotency.NewRequest(r, content), wanted)
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

// readNewOrder reads what was typed.
func (pages *Pages) readNewOrder(s *sheet) (*newOrderView, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return nil, err
	}
	v, err := pages.newOrderView(s, &page.Form{Action: s.Link(newOrderPath), Key: sent.Key, Values: url.Values{}})
	if err != nil {
		return nil, err
	}
	return v, v.Read(sent)
}
