package console

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// labelsView is the page that names the orders whose labels are not in a file.
type labelsView struct {
	*sheet
	page.Unprinted
}

// orderLabels responds with the labels of several orders in a file, in the order in which they are named.
// If some of them have no label, a page says so first, and links to the file of the others.
func (pages *Pages) orderLabels(s *sheet) (int, []byte, error) {
	return pages.labels(s, ordersPath, func(orderID string) (*delivery.Order, error) {
		if delivery.IsTestOrder(orderID) {
			return nil, refusal.NotFound("order")
		}
		return pages.config.Orders.Track(s.Context(), orderID)
	})
}

// labels responds with the labels of orders that a function finds. The list at a path is where orders are
// chosen, and its page labels is where their labels are.
func (pages *Pages) labels(s *sheet, list string, find func(string) (*delivery.Order, error)) (int, []byte, error) {
	format, resolution, err := s.printing()
	if err != nil {
		return 0, nil, err
	}
	orderIDs := page.Distinct(s.Request.URL.Query()["order_id"])
	if len(orderIDs) == 0 {
		return s.LeadTo(list, page.Flash{Key: "labels.none", Danger: true})
	}
	if len(orderIDs) > label.MaxOrders {
		return 0, nil, refusal.New(refusal.CodeBadRequest, "a file has the labels of at most 100 orders")
	}
	bundle, err := label.Collect(orderIDs, find, pages.config.Calendar.ClockAt)
	if err != nil {
		return 0, nil, err
	}
	if len(bundle.LeftOut) > 0 {
		return s.showUnprinted(bundle, list+"/labels")
	}
	file, err := bundle.File(format, resolution)
	if err != nil {
		return 0, nil, err
	}
	web.SetFile(s.Header, file.Name, string(file.Format))
	return http.StatusOK, file.Data, nil
}

func (s *sheet) showUnprinted(bundle label.Bundle, path string) (int, []byte, error) {
	var view labelsView
	view.sheet = s
	for _, one := range bundle.LeftOut {
		view.Leave(s.Sheet, one.Order, string(one.Why))
	}
	if n := len(bundle.Jobs); n > 0 {
		view.Others = &page.Link{
			Text: s.Language.Count("labels.others", n), Path: s.LabelsLink(path, bundle.Printed()),
		}
	}
	return s.show(leaf{template: "labels-unprinted", title: s.Text("labels.title"), data: view})
}

// printing returns how labels are to be written.
func (s *sheet) printing() (label.Format, label.Resolution, error) {
	format, known := labelFormats[s.Request.URL.Query().Get("format")]
	if !known {
		return "", 0, refusal.New(refusal.CodeBadRequest, "format must be pdf or zpl")
	}
	resolution, known := label.ParseResolution(s.Request.URL.Query().Get("dpi"))
	if !known {
		return "", 0, refusal.New(refusal.CodeBadRequest, "dpi must be 203, 300 or 600")
	}
	return format, resolution, nil
}
