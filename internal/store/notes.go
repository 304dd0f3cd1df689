package store

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/retention"
)

var (
	findPartnerNames = newSet(lookUp, "partners", texts("partner_id"), texts("partner_id", "name"))
	findCourierNames = newSet(lookUp, "couriers", texts("courier_id"), slices.Concat(texts("courier_id", "name"), integers("active")))
	dropOrderNotes   = newSet(deleteOld, "order_notes", orderKeys, nil)
	eraseOrderNotes  = newSet(update, "order_notes", orderKeys, texts("note"))
)

// PartnerNames are partners' names by id.
func (tx *Tx) PartnerNames(ctx context.Context, ids []string) (map[string]string, error) {
	found := make(map[string]string, len(ids))
	return found, tx.conn.find(ctx, findPartnerNames, len(ids), func(i int, b binder) { b.text(ids[i]) }, func(r row) error {
		var id, name string
		err := r.scan(&id, &name)
		found[id] = name
		return err
	})
}

// CouriersByID are couriers by id, active or not.
func (tx *Tx) CouriersByID(ctx context.Context, ids []string) (map[string]dispatch.Courier, error) {
	found := make(map[string]dispatch.Courier, len(ids))
	return found, tx.conn.find(ctx, findCourierNames, len(ids), func(i int, b binder) { b.text(ids[i]) }, func(r row) error {
		var id, name string
		var active int64
		err := r.scan(&id, &name, &active)
		found[id] = dispatch.Courier{Name: name, Active: active == 1}
		return err
	})
}

// AddOrderNote adds a note to an order.
func (tx *Tx) AddOrderNote(ctx context.Context, n *dispatch.Note) error {
	_, err := tx.conn.exec(ctx, "INSERT INTO order_notes (partner_id, order_id, note_id, at, operator_id, note) VALUES ($1, $2, $3, $4, $5, $6)",
		n.PartnerID, n.OrderID, n.NoteID, n.At, n.OperatorID, n.Text)
	return err
}

// OrderNotes lists the newest notes of an order, newest first.
func (tx *Tx) OrderNotes(ctx context.Context, partnerID, orderID string, limit int) (found []dispatch.Note, err error) {
	err = tx.conn.query(ctx, `SELECT partner_id, order_id, note_id, at, operator_id, note FROM order_notes
		WHERE partner_id = $1 AND order_id = $2 ORDER BY note_id DESC LIMIT $3`,
		[]any{partnerID, orderID, limit}, func(r row) error {
			var n dispatch.Note
			err := r.scan(&n.PartnerID, &n.OrderID, &n.NoteID, &n.At, &n.OperatorID, &n.Text)
			found = append(found, n)
			return err
		})
	return found, err
}

// DispatchSettings are those of a partner; nil if there is no such partner.
func (tx *Tx) DispatchSettings(ctx context.Context, partnerID string) (found *dispatch.Settings, err error) {
	err = tx.conn.query(ctx, `SELECT p.partner_id, coalesce(s.auto_accept, 0) FROM partners AS p
		LEFT JOIN dispatch_settings AS s ON s.partner_id = p.partner_id WHERE p.partner_id = $1`, []any{partnerID}, func(r row) error {
		var accept int64
		found = &dispatch.Settings{}
		err := r.scan(&found.PartnerID, &accept)
		found.AutoAccept = accept == 1
		return err
	})
	return found, err
}

// SaveDispatchSettings keeps a partner's settings.
func (tx *Tx) SaveDispatchSettings(ctx context.Context, s *dispatch.Settings) error {
	_, err := tx.conn.exec(ctx, `INSERT INTO dispatch_settings (partner_id, auto_accept) VALUES ($1, $2)
		ON CONFLICT (partner_id) DO UPDATE SET auto_accept = excluded.auto_accept`, s.PartnerID, flagOf(s.AutoAccept))
	return err
}

// eraseForOperators erases what only operators see of orders: their notes, their
// proofs, and what the board finds those under way by.
func (tx *Tx) eraseForOperators(ctx context.Context, partnerID string, orders []*retention.Stored) error {
	var rows []*board.Row
	ids := make([]string, 0, len(orders))
	for _, o := range orders {
		ids = append(ids, o.Order.OrderID)
		if board.IsOpen(o.Order.Status) {
			rows = append(rows, board.Of(o.Order))
		}
	}
	if err := tx.ShowOpen(ctx, rows); err != nil {
		return err
	}
	if err := tx.removeProofs(ctx, partnerID, ids); err != nil {
		return err
	}
	_, err := tx.conn.apply(ctx, eraseOrderNotes, len(orders), func(i int, b binder) {
		b.text(retention.ErasedText)
		b.text(partnerID)
		b.text(orders[i].Order.OrderID)
	})
	return err
}
