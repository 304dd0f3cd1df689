package portal

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// labelsPath is where the labels of several orders are, which its parameters order_id name.
const labelsPath = "/portal/orders/labels"

// labelsView is the page that names the orders whose labels are not in a file.
type labelsView struct {
	*sheet
	page.Unprinted
}

// labels responds with the labels of several orders in a file, in the order in which they are named. If
// some of them have no label, a page says so first, and links to the file of the others.
func (pages *Pages) labels(s *sheet) (int, []byte, error) {
	format, resolution, err := s.printing()
	if err != nil {
		return 0, nil, err
	}
	orderIDs := page.Distinct(s.Request.URL.Query()["order_id"])
	if len(orderIDs) == 0 {
		return s.LeadTo(s.Link("/portal/orders"), page.Flash{Key: "labels.none", Danger: true})
	}
	if len(orderIDs) > label.MaxOrders {
		return 0, nil, refusal.New(refusal.CodeBadRequest, "a file has the labels of at most 100 orders")
	}
	orders := make([]*delivery.Order, len(orderIDs))
	for i, orderID := range orderIDs {
		var damaged *delivery.DamagedError
		orders[i], err = pages.config.Orders.Get(s.Context(), s.Account, orderID)
		if errors.As(err, &damaged) {
			orders[i], err = &delivery.Order{OrderID: orderID, Damage: err}, nil
		}
		if err != nil {
			return 0, nil, err
		}
	}
	bundle := label.Gather(orders, pages.config.Calendar.ClockAt)
	if len(bundle.LeftOut) > 0 {
		return s.showUnprinted(bundle)
	}
	file, err := bundle.File(format, resolution)
	if err != nil {
		return 0, nil, err
	}
	web.SetFile(s.Header, file.Name, string(file.Format))
	return http.StatusOK, file.Data, nil
}

func (s *sheet) showUnprinted(bundle label.Bundle) (int, []byte, error) {
	var view labelsView
	view.sheet = s
	for _, one := range bundle.LeftOut {
		view.Leave(s.Sheet, one.Order, string(one.Why))
	}
	if n := len(bundle.Jobs); n > 0 {
		printed := make([]*delivery.Order, n)
		for i, job := range bundle.Jobs {
			printed[i] = job.Order
		}
		view.Others = &page.Link{Text: s.Language.Count("labels.others", n), Path: s.labelsLink(printed)}
	}
	return s.show(leaf{
		template: "labels-unprinted", title: s.Text("labels.title"), data: view, otherMode: "/portal/orders",
		back: &page.Link{Text: s.Text("portal.orders"), Path: s.Link("/portal/orders")},
	})
}

// labelsLink returns the address of the labels of orders, with the format that was asked for.
func (s *sheet) labelsLink(orders []*delivery.Order) string {
	query := url.Values{}
	for _, o := range orders {
		query.Add("order_id", o.OrderID)
	}
	for _, name := range []string{"format", "dpi"} {
		if value := s.parameter(name); value != "" {
			query.Set(name, value)
		}
	}
	if s.Mode() == delivery.ModeTest {
		query.Set("mode", string(delivery.ModeTest))
	}
	return labelsPath + "?" + query.Encode()
}

// printing returns how labels are to be written.
func (s *sheet) printing() (label.Format, label.Resolution, error) {
	format, known := labelFormats[s.parameter("format")]
	if !known {
		return "", 0, refusal.New(refusal.CodeBadRequest, "format must be pdf or zpl")
	}
	resolution, known := label.ParseResolution(s.parameter("dpi"))
	if !known {
		return "", 0, refusal.New(refusal.CodeBadRequest, "dpi must be 203, 300 or 600")
	}
	return format, resolution, nil
}
