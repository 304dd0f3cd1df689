package ops

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
)

func (s *Server) handleTransfer(c *httpd.Call) (httpd.Reply, error) {
	return changeByCourier(c, s.config.Orders.ReadTransfer, s.config.Orders.Transfer)
}

func (s *Server) handleReturnReceive(c *httpd.Call) (httpd.Reply, error) {
	return changeByCourier(c, s.config.Orders.ReadReceipt, s.config.Orders.Receive)
}

type itemAnswer struct {
	ProductID int64  `json:"product_id"`
	SKU       string `json:"sku,omitzero"`
	Name      string `json:"name"`
	Quantity  int64  `json:"quantity"`
}

// returnAnswer is an order whose goods come back.
type returnAnswer struct {
	OrderID        string                `json:"order_id"`
	PartnerID      string                `json:"partner_id"`
	PartnerName    string                `json:"partner_name"`
	PartnerOrderID string                `json:"partner_order_id"`
	State          delivery.ReturnState  `json:"state"`
	Holder         delivery.Holder       `json:"holder"`
	Items          []itemAnswer          `json:"items"`
	Lines          []delivery.ReturnLine `json:"lines"`
	DueAt          time.Time             `json:"due_at"`
	ReceivedAt     time.Time             `json:"received_at,omitzero"`
}

func returnOf(r *dispatch.Return) returnAnswer {
	answer := returnAnswer{
		OrderID: r.OrderID, PartnerID: r.PartnerID, PartnerName: r.PartnerName, PartnerOrderID: r.Order.PartnerOrderID,
		State: r.State, Holder: r.Holder, DueAt: r.DueAt, ReceivedAt: r.ReceivedAt,
		Items: make([]itemAnswer, len(r.Order.Items)), Lines: []delivery.ReturnLine{},
	}
	for i, item := range r.Order.Items {
		answer.Items[i] = itemAnswer{item.ProductID, item.SKU, item.Name, item.Quantity}
	}
	if back := r.Order.Course.Return; back != nil && len(back.Lines) > 0 {
		answer.Lines = back.Lines
	}
	return answer
}

var returnStateRule = form.OneOf(delivery.ReturnDue, delivery.ReturnReceived)

func (s *Server) handleReturnList(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := dispatch.ReturnFilter{
		State: delivery.ReturnState(q.OneOf("state", returnStateRule)), Limit: q.Limit(maxPage),
	}
	if filter.State == "" {
		filter.State = delivery.ReturnDue
	}
	filter.After = httpd.Cursor(q, dispatch.ReadGoodsCursor)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	found, next, err := s.config.Dispatch.Returns(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	returns := make([]returnAnswer, len(found))
	for i := range found {
		returns[i] = returnOf(&found[i])
	}
	return httpd.OK(struct {
		Returns    []returnAnswer `json:"returns"`
		NextCursor string         `json:"next_cursor,omitzero"`
	}{returns, next})
}

type scanAnswer struct {
	ScanID     string    `json:"scan_id"`
	Code       string    `json:"code"`
	At         time.Time `json:"at"`
	RecordedAt time.Time `json:"recorded_at"`
	OperatorID string    `json:"operator_id"`
}

func scanOf(s *dispatch.Scanned) scanAnswer {
	return scanAnswer{s.ScanID, s.Code, s.At, s.RecordedAt, s.OperatorID}
}

func (s *Server) handleScanCreate(c *httpd.Call) (httpd.Reply, error) {
	courierID, err := ownCourier(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	scan, err := httpd.Decode(c, s.config.Dispatch.ReadScan)
	if err != nil {
		return httpd.Reply{}, err
	}
	added, err := s.config.Dispatch.AddScan(c.Context(), courierID, c.PathID("order_id"), scan)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(scanOf(added))
}

// heldAnswer says who had the goods of an order, and for how long.
type heldAnswer struct {
	Holder delivery.Holder `json:"holder"`
	From   time.Time       `json:"from"`
	Until  *time.Time      `json:"until"` // null if the holder still has them
}

func custodyOf(o *delivery.Order) []heldAnswer {
	held := o.Custody()
	answers := make([]heldAnswer, len(held))
	for i := range held {
		answers[i] = heldAnswer{Holder: held[i].Holder, From: held[i].From}
		if !held[i].Until.IsZero() {
			answers[i].Until = &held[i].Until
		}
	}
	return answers
}
