package store

import (
	"context"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	orderReturns = db.NewTable("order_returns",
		db.Key(
			db.Text("partner_id", func(r *delivery.Returned) *string { return &r.PartnerID }),
			db.Text("order_id", func(r *delivery.Returned) *string { return &r.OrderID })),
		db.Text("state", func(r *delivery.Returned) *string { return (*string)(&r.State) }),
		db.JSON("holder", func(r *delivery.Returned) *delivery.Holder { return &r.Holder },
			func(h delivery.Holder) bool { return h == delivery.Holder{} },
			func(r *delivery.Returned, _ error) { r.Holder = delivery.Holder{} }), // the order still has it
		db.Moment("due_at", func(r *delivery.Returned) *time.Time { return &r.DueAt }),
		db.Moment("received_at", func(r *delivery.Returned) *time.Time { return &r.ReceivedAt }),
	)
	saveReturns = orderReturns.Upsert()
	dropReturns = db.DeleteFrom(orderReturns, byOrder)

	orderScans = db.NewTable("order_scans",
		db.Key(
			db.Text("partner_id", func(s *dispatch.Scanned) *string { return &s.PartnerID }),
			db.Text("order_id", func(s *dispatch.Scanned) *string { return &s.OrderID }),
			db.Text("scan_id", func(s *dispatch.Scanned) *string { return &s.ScanID })),
		db.Text("code", func(s *dispatch.Scanned) *string { return &s.Code }),
		db.Text("operator_id", func(s *dispatch.Scanned) *string { return &s.OperatorID }),
		db.Moment("at", func(s *dispatch.Scanned) *time.Time { return &s.At }),
		db.Moment("recorded_at", func(s *dispatch.Scanned) *time.Time { return &s.RecordedAt }),
	)
	addScans  = orderScans.Insert()
	dropScans = db.DeleteFrom(orderScans, byOrder)
	// overwriteScans gives all scans of an order the same code.
	overwriteScans = db.UpdateOf(orderScans,
		db.Within(func(n *noteText) *order.OrderKey { return &n.OrderKey }, byOrder...),
		db.Key(db.Text("code", func(n *noteText) *string { return &n.text })))
)

// Returns lists the goods that come back: those that are due by how long they are, and those that were
// received newest first.
func (tx dispatchTx) Returns(ctx context.Context, f dispatch.ReturnFilter) ([]*delivery.Returned, error) {
	after, by := "(due_at, order_id) > (?, ?)", "ORDER BY due_at, order_id LIMIT ?"
	if f.State == delivery.ReturnReceived {
		after, by = "(due_at, order_id) < (?, ?)", "ORDER BY due_at DESC, order_id DESC LIMIT ?"
	}
	selected := new(db.Conditions)
	selected.AddText("state = ?", string(f.State))
	if f.After != (dispatch.GoodsCursor{}) {
		selected.Add(after, f.After.DueAt, f.After.OrderID)
	}
	tail, args := selected.Clause(by, f.Limit)
	return orderReturns.All(ctx, tx.conn, tail, args...)
}

// ReturnsBy lists the goods that a courier brings back, by how long they are due. It looks through all
// that are due: there are few of them.
func (tx dispatchTx) ReturnsBy(ctx context.Context, courierID string, limit int) ([]*delivery.Returned, error) {
	holder, err := strictjson.Marshal(delivery.Holder{Kind: delivery.HeldByCourier, ID: courierID})
	if err != nil {
		return nil, err
	}
	begins := strings.TrimSuffix(string(holder), "}") // the name follows, if the courier has one
	return orderReturns.All(ctx, tx.conn,
		"WHERE state = $1 AND substr(holder, 1, length($2)) = $2 ORDER BY due_at, order_id LIMIT $3",
		string(delivery.ReturnDue), begins, limit)
}

// OrdersBack reads the orders of goods that come back, by id, with their histories.
func (tx dispatchTx) OrdersBack(
	ctx context.Context, returns []*delivery.Returned,
) (map[string]*delivery.Order, error) {
	keys := make([]order.OrderKey, len(returns))
	for i, back := range returns {
		keys[i] = order.OrderKey{PartnerID: back.PartnerID, OrderID: back.OrderID}
	}
	return ordersByID(ctx, tx.conn, findOrders, keys)
}

// AddScan adds what was read from a label to an order.
func (tx dispatchTx) AddScan(ctx context.Context, scan *dispatch.Scanned) error {
	return db.WriteAllNow(ctx, tx.conn, addScans, scan)
}

// Scans lists the newest scans of an order, newest first.
func (tx dispatchTx) Scans(
	ctx context.Context, partnerID, orderID string, limit int,
) ([]*dispatch.Scanned, error) {
	return orderScans.All(ctx, tx.conn, "WHERE partner_id = $1 AND order_id = $2 ORDER BY scan_id DESC LIMIT $3",
		partnerID, orderID, limit)
}
