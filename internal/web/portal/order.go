package portal

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// liveSeconds is how often the open page of an order reads itself again.
const liveSeconds = 20

// orderView is what the page of an order shows.
type orderView struct {
	*sheet
	page.OrderView
	Failed      *delivery.FailedAttempt // the latest attempt; nil if it has not failed
	Proofs      []*delivery.Proof
	Live        int  // how often to read the page again, in seconds; 0 once the order has ended
	Late        bool // the estimated delivery has passed
	Cancellable bool
	Requestable bool // the service can be requested to cancel it
	Samples     []sample
}

// order shows one order.
func (pages *Pages) order(s *sheet) (int, []byte, error) {
	found, err := pages.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	view := s.viewOfOrder(found)
	if view.Failed, err = pages.config.Orders.FailedAttempt(s.Context(), found); err != nil {
		return 0, nil, err
	}
	if view.Proofs, err = pages.config.Proofs.List(s.Context(), s.Account, found.OrderID); err != nil {
		return 0, nil, err
	}
	shown := leaf{
		template: "portal-order", title: found.PartnerOrderID, data: view, otherMode: "/portal/orders",
		back: &page.Link{Text: s.Text("portal.orders"), Path: s.Link("/portal/orders")},
	}
	if s.May(partner.PermissionOrders) {
		shown.action = &page.Link{Text: s.Text("portal.order.again"), Path: s.Link("/portal/orders/new", "from",
			found.OrderID)}
	}
	return s.show(shown)
}

func (s *sheet) viewOfOrder(o *delivery.Order) orderView {
	now := s.pages.config.Site.Now()
	v := orderView{
		sheet: s, OrderView: s.OrderView(o, s.pages.config.Calendar.ClockAt),
		Cancellable: delivery.MayMove(o.Status, delivery.StatusCancelled, delivery.ActorPartner),
		Requestable: mayRequest(o),
		Samples:     s.samples(o),
	}
	if !v.HasEnded() {
		v.Live, v.Late = liveSeconds, now.After(o.EstimatedDelivery)
	}
	return v
}

// Timeline returns what has happened to the order, newest first. Why the service edited it is
// not shown to partners.
func (v orderView) Timeline() []page.TimelineEntry {
	return v.OrderView.Timeline(func(entry delivery.HistoryEntry, shown *page.TimelineEntry) {
		shown.Courier = v.Assigned(entry)
	}, func(edit delivery.Edit, shown *page.TimelineEntry) { shown.By = v.editor(edit) })
}

// labelFormats maps what the parameter format may name.
var labelFormats = map[string]label.Format{"": label.FormatPDF, "pdf": label.FormatPDF, "zpl": label.FormatZPL}

// label responds with the labels of an order's parcels.
func (pages *Pages) label(s *sheet) (int, []byte, error) {
	format, resolution, err := s.printing()
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.config.Orders.Get(s.Context(), s.Account, s.ID("order_id"))
	if err != nil {
		return 0, nil, err
	}
	file, err := label.NewFile(found, format, resolution, pages.config.Calendar.ClockAt(found.Dropoff.Address))
	if err != nil {
		return 0, nil, err
	}
	web.SetFile(s.Header, file.Name, string(file.Format))
	return http.StatusOK, file.Data, nil
}
