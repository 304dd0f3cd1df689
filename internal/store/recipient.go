package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/recipient"
)

// orderMail is what the recipient of an order has been sent, or does not want to be.
type orderMail struct {
	order.OrderKey
	stoppedAt, lateAt time.Time
}

var (
	orderMails = db.NewTable("order_mails",
		db.Within(func(m *orderMail) *order.OrderKey { return &m.OrderKey }, byOrder...),
		db.Moment("stopped_at", func(m *orderMail) *time.Time { return &m.stoppedAt }),
		db.Moment("late_at", func(m *orderMail) *time.Time { return &m.lateAt }),
	)
	addOrderMails  = orderMails.Insert()
	findOrderMails = db.LookUpBy(byOrder, orderMails)
	dropOrderMails = db.DeleteFrom(orderMails, byOrder)
)

// Recipients is the store as package recipient sees it.
func (s *Store) Recipients() recipient.Store {
	return view[recipient.Reader, recipient.Writer]{s.Database,
		func(c db.Conn) recipient.Reader { return recipientTx{c, mailing{c}} },
		func(c db.Conn) recipient.Writer { return recipientTx{c, mailing{c}} }}
}

// recipientTx is a transaction of package recipient.
type recipientTx struct {
	conn db.Conn
	mailing
}

// Stopped reports whether the recipient of an order wants no mail about it.
func (tx recipientTx) Stopped(ctx context.Context, orderID string) (bool, error) {
	found, err := db.FindOne(ctx, tx.conn, findOrderMails, keyOf(orderID))
	return found != nil && !found.stoppedAt.IsZero(), err
}

// keyOf returns the key of an order.
func keyOf(orderID string) order.OrderKey {
	partnerID, _ := delivery.PartnerOfOrder(orderID)
	return order.OrderKey{PartnerID: partnerID, OrderID: orderID}
}

// Informing lists the partners whose recipients get mail.
func (tx recipientTx) Informing(ctx context.Context) ([]string, error) {
	return db.IDs(ctx, tx.conn, "SELECT partner_id FROM partner_profiles WHERE recipient_mail = 1 ORDER BY partner_id")
}

// LateOrders lists orders whose estimated delivery has passed and whose recipients have
// no mail about that, without those whose latest attempt has failed.
func (tx recipientTx) LateOrders(
	ctx context.Context, partnerID string, from, until time.Time, limit int,
) ([]string, error) {
	return db.IDs(ctx, tx.conn, `SELECT o.order_id FROM open_orders o WHERE o.partner_id = $1
		AND o.estimated_delivery > $2 AND o.estimated_delivery <= $3 AND o.status <> 'failed'
		AND NOT EXISTS (SELECT 1 FROM order_mails m WHERE m.partner_id = o.partner_id AND m.order_id = o.order_id
			AND (m.late_at <> 0 OR m.stopped_at <> 0))
		ORDER BY o.order_id LIMIT $4`, partnerID, from, until, limit)
}

// Stop writes since when the recipient of an order wants no mail.
func (tx recipientTx) Stop(ctx context.Context, orderID string, since time.Time) error {
	key := keyOf(orderID)
	if _, err := db.WriteNow(ctx, tx.conn, addOrderMails, &orderMail{OrderKey: key}); err != nil {
		return err
	}
	_, err := tx.conn.Exec(ctx, "UPDATE order_mails SET stopped_at = $1 WHERE partner_id = $2 AND order_id = $3",
		since, key.PartnerID, key.OrderID)
	return err
}

// MarkLate writes when the mail that an order is late was written. It is false if there
// was one before.
func (tx recipientTx) MarkLate(ctx context.Context, orderID string, at time.Time) (first bool, err error) {
	key := keyOf(orderID)
	if _, err := db.WriteNow(ctx, tx.conn, addOrderMails, &orderMail{OrderKey: key}); err != nil {
		return false, err
	}
	rows, err := tx.conn.Exec(ctx,
		"UPDATE order_mails SET late_at = $1 WHERE partner_id = $2 AND order_id = $3 AND late_at = 0", at, key.PartnerID,
		key.OrderID)
	return rows == 1, err
}

// LockOrder returns an order without its history, locked until the transaction ends; nil
// if there is none.
func (tx recipientTx) LockOrder(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	found, err := db.FindNow(ctx, tx.conn, lockOrders, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
	if err != nil {
		return nil, err
	}
	return ordersOf(found)[order.OrderKey{PartnerID: partnerID, OrderID: orderID}], nil
}
