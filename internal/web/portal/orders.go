package portal

import (
	"net/http"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) ordersRoutes() []web.Route {
	label := pages.get("/orders/{order_id}/label", partner.PermissionOrders, (*Pages).label)
	labels := pages.get("/orders/labels", partner.PermissionOrders, (*Pages).labels)
	file := pages.get("/orders.csv", partner.PermissionOrdersRead, (*Pages).ordersFile)
	label.Heavy, labels.Heavy, file.Heavy = true, true, true
	return []web.Route{
		pages.get("/orders", partner.PermissionOrdersRead, (*Pages).orders),
		pages.get("/orders/{order_id}", partner.PermissionOrdersRead, (*Pages).order),
		pages.get("/orders/{order_id}/cancel", partner.PermissionOrders, (*Pages).askCancel),
		pages.post("/orders/{order_id}/cancel", partner.PermissionOrders, (*Pages).cancel),
		pages.get("/orders/{order_id}/cancellation-request", partner.PermissionOrders, (*Pages).askRequest),
		pages.post("/orders/{order_id}/cancellation-request", partner.PermissionOrders, (*Pages).request),
		pages.get("/orders/{order_id}/return", partner.PermissionOrders, (*Pages).askReturn),
		pages.post("/orders/{order_id}/return", partner.PermissionOrders, (*Pages).giveBack),
		label, labels, file,
	}
}

// ordersOnPage is the number of orders on a page of the list.
const ordersOnPage = 50

// ordersView is what the list of orders shows.
type ordersView struct {
	*sheet
	Orders []*delivery.Order
	Search string
	Chips  []page.Link // the statuses, with all of them first
	Shown  string      // how many orders, and which
	Pages  page.Pages
	Views  []page.Link // the list and the map
	// Narrowed is set if the list does not show all orders, so that there may be others.
	Narrowed bool
	Labels   *page.Link // of all orders that are shown; nil for a person who may print none
	Form     *page.Form // the days and the search
	CSV      string     // the address of the file with the same orders
}

// orders shows a partner's orders, newest first. A search for the id of an order leads
// to its page, as does the search of other pages if it finds one order only.
func (pages *Pages) orders(s *sheet) (int, []byte, error) {
	searched := s.parameter("q")
	if found, err := pages.owned(s, searched); err != nil || found {
		if err != nil {
			return 0, nil, err
		}
		return s.LeadTo(s.Link("/portal/orders/"+searched), page.Flash{})
	}
	filter, sent, err := pages.ordersFilter(s)
	if err != nil {
		return 0, nil, err
	}
	filter.Before, filter.Limit, filter.Damaged = s.parameter("cursor"), ordersOnPage, true
	if _, isOrder := delivery.PartnerOfOrder(filter.Before); !isOrder {
		filter.Before = ""
	}
	var found order.Page
	if len(sent.Faults) == 0 {
		if found, err = pages.find(s, filter); err != nil {
			return 0, nil, err
		}
	}
	if s.parameter("open") != "" && searched != "" && len(found.Orders) == 1 {
		return s.LeadTo(s.Link("/portal/orders/"+found.Orders[0].OrderID), page.Flash{})
	}
	shown := leaf{template: "portal-orders", title: s.Text("portal.orders"), data: viewOfOrders(s, filter, sent, found)}
	if len(sent.Faults) > 0 {
		shown.status = http.StatusUnprocessableEntity
	}
	if s.May(partner.PermissionOrders) {
		shown.action = &page.Link{Text: s.Text("portal.new"), Path: s.Link("/portal/orders/new")}
	}
	return s.show(shown)
}

// find lists the orders of a filter. If none has the number that it names, its words are looked for
// in all parts of orders.
func (pages *Pages) find(s *sheet, filter order.Filter) (order.Page, error) {
	found, err := pages.config.Orders.List(s.Context(), filter)
	if err != nil || len(found.Orders) > 0 || filter.PartnerOrderID == "" {
		return found, err
	}
	filter.Search, filter.PartnerOrderID = filter.PartnerOrderID, ""
	return pages.config.Orders.List(s.Context(), filter)
}

// owned reports whether a text is the id of an order of the account.
func (pages *Pages) owned(s *sheet, text string) (bool, error) {
	if _, isOrder := delivery.PartnerOfOrder(text); !isOrder {
		return false, nil
	}
	_, err := pages.config.Orders.Get(s.Context(), s.Account, text)
	if refusal.HasCode(err, refusal.CodeNotFound) {
		return false, nil
	}
	return err == nil, err
}

// parameter returns a parameter of the address without the spaces around it. The server
// refuses an address that is not UTF-8 text without NUL.
func (s *sheet) parameter(name string) string {
	return strings.TrimSpace(s.Request.URL.Query().Get(name))
}

func viewOfOrders(s *sheet, filter order.Filter, sent *page.Form, found order.Page) ordersView {
	chosen := chosenOrders(filter, sent)
	v := ordersView{
		sheet: s, Orders: found.Orders, Search: filter.PartnerOrderID, Chips: s.statusChips(filter), Form: sent,
		Views: s.asListAndMap(), Narrowed: len(chosen) > 0 || filter.Before != "", CSV: s.Link(ordersFilePath, chosen...),
	}
	key := "portal.orders.shown"
	if found.Next != "" {
		key = "portal.orders.shown.more"
		v.Pages.Next = s.Link("/portal/orders", append(slices.Clone(chosen), "cursor", found.Next)...)
	}
	if filter.Before != "" {
		key = "portal.orders.shown.older"
		v.Pages.First = s.Link("/portal/orders", chosen...)
	}
	v.Shown = s.Language.Count(key, len(found.Orders))
	if s.May(partner.PermissionOrders) {
		orderIDs := make([]string, len(found.Orders))
		for i, o := range found.Orders {
			orderIDs[i] = o.OrderID
		}
		v.Labels = &page.Link{Text: s.Language.Count("labels.shown", len(found.Orders)), Path: s.labelsLink(orderIDs)}
	}
	return v
}

// ChoosesOrders reports whether orders can be chosen in the list.
func (v ordersView) ChoosesOrders() bool { return v.Labels != nil }

// statusChips returns the links that narrow the list to orders in one status.
func (s *sheet) statusChips(filter order.Filter) []page.Link {
	all := page.Link{Text: s.Text("portal.orders.all"), Path: s.Link("/portal/orders"), Current: filter.Status == "" &&
		filter.PartnerOrderID == ""}
	chips := append(make([]page.Link, 0, 1+len(delivery.Statuses)), all)
	for _, status := range delivery.Statuses {
		chips = append(chips, page.Link{
			Text: s.Text("statuses." + string(status)), Path: s.Link("/portal/orders", "status",
				string(status)), Current: filter.Status == status,
		})
	}
	return chips
}
