package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

// OrdersByKey reads orders with their histories; those that do not exist are
// left out.
func (tx *Tx) OrdersByKey(ctx context.Context, keys []order.OrderKey) (map[order.OrderKey]*delivery.Order, error) {
	return tx.ordersByKey(ctx, findOrders, keys)
}

// lastMoves is how far back the audit log is read for who moved an order. More
// moves than this hardly come between a refusal and its reason.
const lastMoves = 20

// MovedBy is the operator who brought an order to a version, as the audit log
// tells; nil if that was no operator.
func (tx *Tx) MovedBy(ctx context.Context, key order.OrderKey, version int64) (found *order.Mover, err error) {
	err = tx.conn.query(ctx, `SELECT a.operator_id, coalesce(p.email, ''), a.at, a.after FROM audit AS a
		LEFT JOIN operators AS p ON p.operator_id = a.operator_id
		WHERE a.object_id = $1 AND a.partner_id = $2 AND a.action = $3 ORDER BY a.audit_id DESC LIMIT $4`,
		[]any{key.OrderID, key.PartnerID, string(audit.ActionOrderMoved), lastMoves}, func(r row) error {
			var mover order.Mover
			var after string
			if err := r.scan(&mover.OperatorID, &mover.Email, &mover.At, &after); err != nil {
				return err
			}
			var facts struct {
				Version int64 `json:"version"`
			}
			err := fromJSON(after, &facts)
			if facts.Version == version {
				found = &mover
			}
			return err
		})
	return found, err
}

// AutoAccepting lists the partners whose orders are accepted automatically.
func (tx *Tx) AutoAccepting(ctx context.Context) (partnerIDs []string, err error) {
	return autoAccepting(ctx, tx.conn.conn)
}

// Pending lists a partner's pending orders, by the index that lists follow.
func (tx *Tx) Pending(ctx context.Context, partnerID, after string, limit int) (orderIDs []string, err error) {
	return tx.ids(ctx, `SELECT order_id FROM orders WHERE partner_id = $1 AND status = 'pending' AND order_id > $2
		ORDER BY order_id LIMIT $3`, partnerID, after, limit)
}

func (tx *Tx) ids(ctx context.Context, sql string, args ...any) (found []string, err error) {
	err = tx.conn.query(ctx, sql, args, func(r row) error {
		var id string
		err := r.scan(&id)
		found = append(found, id)
		return err
	})
	return found, err
}
