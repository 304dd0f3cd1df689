package v1

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/web"
)

// labelFormats maps the media types that Accept may name to the formats.
var labelFormats = map[string]label.Format{
	string(label.FormatPDF): label.FormatPDF, string(label.FormatZPL): label.FormatZPL,
	"x-application/zpl": label.FormatZPL,
}

// handleOrderLabel responds with a file instead of JSON.
func (s *Server) handleOrderLabel(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	resolution, _ := label.ParseResolution(q.OneOf("dpi", resolutionRule))
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	wanted := labelPrint{labelFormat(c.Header.Values("Accept")), resolution}
	return s.printLabel(c, c.Account, c.PathID("order_id"), wanted)
}

func (s *Server) printLabel(c *httpd.Call, account, orderID string, wanted labelPrint) (httpd.Reply, error) {
	found, err := s.config.Orders.Get(c.Context(), account, orderID)
	if err != nil {
		return httpd.Reply{}, err
	}
	clock := s.config.Clock(found.Dropoff.Address)
	return replyFile(c)(label.NewFile(found, wanted.format, wanted.resolution, clock))
}

// handleLabels responds with the labels of several orders in one file, in the order in which they are named, or
// refuses to if one of them cannot be printed: a file without some of its labels would pass for the whole.
func (s *Server) handleLabels(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	resolution, _ := label.ParseResolution(q.OneOf("dpi", resolutionRule))
	orderIDs := q.All("order_id")
	if len(orderIDs) == 0 || len(orderIDs) > label.MaxOrders {
		q.Fault("order_id", nil, ordersOnce)
	} else if twice := repeated(orderIDs); twice != "" {
		q.Fault("order_id", twice, ordersOnce)
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	bundle, err := label.Collect(orderIDs, func(orderID string) (*delivery.Order, error) {
		found, err := s.config.Orders.Get(c.Context(), c.Account, orderID)
		if refusal.HasCode(err, refusal.CodeNotFound) {
			return nil, missingOrder(orderID)
		}
		return found, err
	}, s.config.Clock)
	if err != nil {
		return httpd.Reply{}, err
	}
	for _, one := range bundle.LeftOut {
		if one.Order.Damage != nil {
			return httpd.Reply{}, one.Order.Damage
		}
		q.Fault("order_id", one.Order.OrderID, leftOutRules[one.Why])
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	return replyFile(c)(bundle.File(labelFormat(c.Header.Values("Accept")), resolution))
}

// repeated returns the first text that is in a list twice; empty if none is.
func repeated(list []string) string {
	for i, text := range list {
		if slices.Contains(list[:i], text) {
			return text
		}
	}
	return ""
}

// maxOrderID is how many characters are repeated of what was sent as the id of an order.
const maxOrderID = 100

// missingOrder returns the refusal that names which of several orders does not exist.
func missingOrder(orderID string) error {
	orderID = form.Shorten(orderID, maxOrderID)
	refused := refusal.NotFound("order " + orderID)
	refused.Details = struct {
		OrderID string `json:"order_id"`
	}{orderID}
	return refused
}

// The rules for the orders whose labels are printed together.
var (
	ordersOnce   = form.Define("orders_once", "1 to {most} orders, each once").With("most", label.MaxOrders)
	leftOutRules = map[label.Reason]form.Rule{
		label.ReasonErased: form.Define("order_not_erased", "an order that has not been erased"),
		label.ReasonFull: form.Define("labels_fit", "orders with at most {most} labels in all").
			With("most", label.MaxLabels),
	}
)

// replyFile returns the reply with a file.
func replyFile(c *httpd.Call) func(label.File, error) (httpd.Reply, error) {
	return func(file label.File, err error) (httpd.Reply, error) {
		if err != nil {
			return httpd.Reply{}, err
		}
		web.SetFile(c.ReplyHeader, file.Name, string(file.Format))
		return httpd.Reply{Status: http.StatusOK, Body: file.Data}, nil
	}
}

// resolutionRule is the rule for the parameter dpi.
var resolutionRule = form.OneOf(resolutionNames()...)

func resolutionNames() (names []string) {
	for _, resolution := range label.Resolutions {
		names = append(names, strconv.Itoa(int(resolution)))
	}
	return names
}

// labelFormat returns the preferred format of a label.
func labelFormat(accept []string) label.Format {
	return httpd.Preferred(accept, labelFormats, label.FormatPDF)
}
