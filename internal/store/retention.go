package store

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/retention"
)

// The transaction as the retention room sees it. Its lists begin behind a key
// and follow an index that exists for another purpose.
var (
	_ retention.Reader = (*Tx)(nil)
	_ retention.Writer = (*Tx)(nil)
)

// Retention is the store as the retention room sees it.
func (s *Store) Retention() retention.Store { return View[retention.Reader, retention.Writer]{s} }

var (
	eventKeys     = slices.Concat(orderKeys, integers("sequence"))
	dropReceipts  = newSet(deleteOld, "idempotency_keys", receiptKeys, nil)
	dropOrders    = newSet(deleteOld, "orders", orderKeys, nil)
	dropHistories = newSet(deleteOld, "order_history", orderKeys, nil)
	dropOutbox    = newSet(deleteOld, "events", orderKeys, nil)
	dropEvents    = newSet(deleteOld, "events", slices.Concat(eventKeys, texts("state")), nil)

	oldFindEvents = newSet(lookUp, "events", orderKeys, eventColumns)
	eraseOrders   = newSet(update, "orders", orderKeys, texts("document", "cancellation_reason"))
	eraseNotes    = newSet(update, "order_history", orderKeys, texts("notes"))
	eraseFacts    = newSet(update, "events", eventKeys, texts("facts"))
	replaceAnswer = newSet(update, "idempotency_keys", receiptKeys, texts("answer"))

	eventColumns = slices.Concat(orderKeys, integers("sequence"), texts("event_id", "type", "facts"), integers("created_at"))
)

// PartnerIDs lists all partners.
func (tx *Tx) PartnerIDs(ctx context.Context) (ids []string, err error) {
	err = tx.conn.query(ctx, "SELECT partner_id FROM partners ORDER BY partner_id", nil, func(r row) error {
		var id string
		err := r.scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// Receipts lists what is kept under a partner's idempotency keys.
func (tx *Tx) Receipts(ctx context.Context, partnerID string, after retention.ReceiptKey, limit int) (found []retention.Receipt, err error) {
	err = tx.conn.query(ctx, `
		SELECT idempotency_key, scope, order_id, CASE answer WHEN '' THEN 0 ELSE 1 END, created_at FROM idempotency_keys
		WHERE partner_id = $1 AND (idempotency_key, scope) > ($2, $3) ORDER BY idempotency_key, scope LIMIT $4`,
		[]any{partnerID, after.Key[:], after.Scope, limit}, func(r row) error {
			var receipt retention.Receipt
			var key []byte
			var own int64
			err := r.scan(&key, &receipt.Scope, &receipt.OrderID, &own, &receipt.CreatedAt)
			copy(receipt.Key[:], key)
			receipt.OwnAnswer = own != 0
			found = append(found, receipt)
			return err
		})
	return found, err
}

// Ended lists orders in a final state, by the index that lists follow.
func (tx *Tx) Ended(ctx context.Context, partnerID string, state delivery.Status, after, until string, limit int) (found []retention.Ended, err error) {
	// The first version has no history row, but the order's own.
	err = tx.conn.query(ctx, `SELECT order_id, updated_at, version + events FROM orders
		WHERE partner_id = $1 AND status = $2 AND order_id > $3 AND order_id < $4 ORDER BY order_id LIMIT $5`,
		[]any{partnerID, string(state), after, until, limit}, func(r row) error {
			var ended retention.Ended
			err := r.scan(&ended.OrderID, &ended.UpdatedAt, &ended.Rows)
			found = append(found, ended)
			return err
		})
	return found, err
}

// EventTimes lists the events of orders whose ids are before until, without
// those that still wait to be sent.
func (tx *Tx) EventTimes(ctx context.Context, partnerID string, after retention.EventKey, until string, limit int) (found []retention.EventTime, err error) {
	err = tx.conn.query(ctx, `SELECT order_id, sequence, state, created_at FROM events
		WHERE partner_id = $1 AND (order_id, sequence) > ($2, $3) AND order_id < $4 AND state <> 'pending'
		ORDER BY order_id, sequence LIMIT $5`,
		[]any{partnerID, after.OrderID, after.Sequence, until, limit}, func(r row) error {
			var event retention.EventTime
			err := r.scan(&event.OrderID, &event.Sequence, &event.State, &event.CreatedAt)
			found = append(found, event)
			return err
		})
	return found, err
}

// RemoveReceipts forgets idempotency keys.
func (tx *Tx) RemoveReceipts(ctx context.Context, partnerID string, keys []retention.ReceiptKey) error {
	_, err := tx.conn.apply(ctx, dropReceipts, len(keys), func(i int, b binder) {
		b.text(partnerID)
		b.bytes(keys[i].Key[:])
		b.text(keys[i].Scope)
	})
	return err
}

// RemoveOrders removes orders with their histories, events, notes and proofs.
func (tx *Tx) RemoveOrders(ctx context.Context, partnerID string, orderIDs []string) error {
	if err := tx.removeProofs(ctx, partnerID, orderIDs); err != nil {
		return err
	}
	for _, set := range []*setStatement{dropOutbox, dropHistories, dropNotes.set, dropDeliveries.set, dropOrders} {
		_, err := tx.conn.apply(ctx, set, len(orderIDs), func(i int, b binder) {
			b.text(partnerID)
			b.text(orderIDs[i])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// RemoveEvents removes events that are still in the state that they had: one
// that is redelivered meanwhile stays.
func (tx *Tx) RemoveEvents(ctx context.Context, partnerID string, events []retention.EventTime) error {
	_, err := tx.conn.apply(ctx, dropEvents, len(events), func(i int, b binder) {
		b.text(partnerID)
		b.text(events[i].OrderID)
		b.integer(events[i].Sequence)
		b.text(events[i].State)
	})
	return err
}

// Partner is an account; nil if there is none.
func (tx *Tx) Partner(ctx context.Context, partnerID string) (found *retention.Partner, err error) {
	err = tx.conn.query(ctx, "SELECT partner_id, name, email, created_at FROM partners WHERE partner_id = $1", []any{partnerID}, func(r row) error {
		found = &retention.Partner{}
		return r.scan(&found.PartnerID, &found.Name, &found.Email, &found.CreatedAt)
	})
	return found, err
}

// AllAPIKeys lists a partner's keys, revoked ones too, oldest first.
func (tx *Tx) AllAPIKeys(ctx context.Context, partnerID string) (keys []retention.APIKey, err error) {
	err = tx.conn.query(ctx, `SELECT key_id, name, public_key, created_at, revoked_at, last_used_at FROM api_keys
		WHERE partner_id = $1 ORDER BY created_at, key_id`, []any{partnerID}, func(r row) error {
		var key retention.APIKey
		err := r.scan(&key.KeyID, &key.Name, &key.PublicKey, &key.CreatedAt, &key.RevokedAt, &key.LastUsedAt)
		keys = append(keys, key)
		return err
	})
	return keys, err
}

// ProductsFrom lists products by their ids.
func (tx *Tx) ProductsFrom(ctx context.Context, partnerID string, after int64, limit int) (found []delivery.Product, err error) {
	rows, err := products.all(ctx, tx.conn, "WHERE partner_id = $1 AND product_id > $2 ORDER BY product_id LIMIT $3", partnerID, after, limit)
	return productsOf(rows), err
}

// LevelsFrom lists stock levels by product and location.
func (tx *Tx) LevelsFrom(ctx context.Context, partnerID string, after delivery.Level, limit int) (found []delivery.Level, err error) {
	err = tx.conn.query(ctx, `SELECT product_id, location, quantity FROM stock_levels
		WHERE partner_id = $1 AND (product_id, location) > ($2, $3) ORDER BY product_id, location LIMIT $4`,
		[]any{partnerID, after.ProductID, after.Location, limit}, func(r row) error {
			var level delivery.Level
			err := r.scan(&level.ProductID, &level.Location, &level.Quantity)
			found = append(found, level)
			return err
		})
	return found, err
}

// MovementsFrom lists the stock ledger, oldest first, without products' names.
func (tx *Tx) MovementsFrom(ctx context.Context, partnerID string, after int64, limit int) (found []delivery.Movement, err error) {
	err = tx.conn.query(ctx, `SELECT movement_id, type, quantity, product_id, location, order_id, notes, created_at FROM stock_movements
		WHERE partner_id = $1 AND movement_id > $2 ORDER BY movement_id LIMIT $3`,
		[]any{partnerID, after, limit}, func(r row) error {
			var m delivery.Movement
			err := r.scan(&m.MovementID, (*string)(&m.Type), &m.Quantity, &m.ProductID, &m.Location, &m.OrderID, &m.Notes, &m.At)
			found = append(found, m)
			return err
		})
	return found, err
}

// OrdersFrom lists whole orders with their histories, oldest first.
func (tx *Tx) OrdersFrom(ctx context.Context, partnerID, after string, limit int) ([]*delivery.Order, error) {
	var keys []order.OrderKey
	err := tx.conn.query(ctx, "SELECT order_id FROM orders WHERE partner_id = $1 AND order_id > $2 ORDER BY order_id LIMIT $3",
		[]any{partnerID, after, limit}, func(r row) error {
			key := order.OrderKey{PartnerID: partnerID}
			err := r.scan(&key.OrderID)
			keys = append(keys, key)
			return err
		})
	if err != nil {
		return nil, err
	}
	byKey, err := tx.ordersByKey(ctx, findOrders, keys)
	found := make([]*delivery.Order, len(keys))
	for i, key := range keys {
		found[i] = byKey[key]
	}
	return found, err
}

// EventsFrom lists outbox rows by order and sequence.
func (tx *Tx) EventsFrom(ctx context.Context, partnerID string, after retention.EventKey, limit int) (found []*retention.Event, err error) {
	err = tx.conn.query(ctx, "SELECT "+names(eventColumns)+`, state, attempts FROM events
		WHERE partner_id = $1 AND (order_id, sequence) > ($2, $3) ORDER BY order_id, sequence LIMIT $4`,
		[]any{partnerID, after.OrderID, after.Sequence, limit}, func(r row) error {
			var event retention.Event
			var err error
			event.Event, err = scanEvent(r, &event.State, &event.Attempts)
			found = append(found, &event)
			return err
		})
	return found, err
}

// WebhookEndpoint is where a partner's events are sent; nil if nowhere.
func (tx *Tx) WebhookEndpoint(ctx context.Context, partnerID string) (*retention.WebhookEndpoint, error) {
	e, err := findOne(ctx, tx.conn.conn, findEndpoints, partnerID)
	if err != nil || e == nil {
		return nil, err
	}
	return &retention.WebhookEndpoint{URL: e.URL, Enabled: e.Enabled, DisabledReason: e.DisabledReason, CreatedAt: e.CreatedAt}, nil
}

// errDamaged tells that the facts of an event cannot be read.
var errDamaged = errors.New("its facts are damaged")

// scanEvent reads one row of eventColumns, and what follows them into more.
func scanEvent(r row, more ...any) (*delivery.Event, error) {
	var event delivery.Event
	var facts string
	err := r.scan(append([]any{
		&event.PartnerID, &event.OrderID, &event.Sequence, &event.EventID, (*string)(&event.Type), &facts, &event.CreatedAt,
	}, more...)...)
	if err != nil {
		return nil, err
	}
	if err := fromJSON(facts, &event.Facts); err != nil {
		return &event, fmt.Errorf("event %s: %w: %w", event.EventID, errDamaged, err)
	}
	return &event, nil
}

// LockStored reads orders as they are stored, locked where another node could
// interfere.
func (tx *Tx) LockStored(ctx context.Context, partnerID string, orderIDs []string) (map[string]*retention.Stored, error) {
	orderIDs = slices.Sorted(slices.Values(orderIDs))
	keys := make([]order.OrderKey, len(orderIDs))
	for i, id := range orderIDs {
		keys[i] = order.OrderKey{PartnerID: partnerID, OrderID: id}
	}
	orders, err := tx.ordersByKey(ctx, lockOrders, keys)
	if err != nil {
		return nil, err
	}
	stored := make(map[string]*retention.Stored, len(orders))
	for key, o := range orders {
		stored[key.OrderID] = &retention.Stored{Order: o}
	}
	keys = slices.DeleteFunc(keys, func(key order.OrderKey) bool { return stored[key.OrderID] == nil })
	rows, err := findNow(ctx, tx.conn, findDocuments, keys...)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		stored[row.OrderID].Document = row.document
	}
	return stored, tx.conn.find(ctx, oldFindEvents, len(keys), bindOrderKeys(keys), func(r row) error {
		event, err := scanEvent(r)
		if err == nil {
			stored[event.OrderID].Events = append(stored[event.OrderID].Events, event)
		}
		return err
	})
}

// SaveErased writes orders whose personal fields have been removed. Their
// versions stay: nothing has happened to them that a partner should hear of.
func (tx *Tx) SaveErased(ctx context.Context, partnerID string, orders []*retention.Stored) error {
	_, err := tx.conn.apply(ctx, eraseOrders, len(orders), func(i int, b binder) {
		reason := ""
		if cancelled := orders[i].Order.Cancellation; cancelled != nil {
			reason = cancelled.Reason
		}
		b.text(string(orders[i].Document))
		b.text(reason)
		b.text(partnerID)
		b.text(orders[i].Order.OrderID)
	})
	if err != nil {
		return err
	}
	_, err = tx.conn.apply(ctx, eraseNotes, len(orders), func(i int, b binder) {
		b.text("")
		b.text(partnerID)
		b.text(orders[i].Order.OrderID)
	})
	if err != nil {
		return err
	}
	if err := tx.eraseForOperators(ctx, partnerID, orders); err != nil {
		return err
	}
	var events []*delivery.Event
	for _, o := range orders {
		events = append(events, o.Events...)
	}
	var enc encodings
	_, err = tx.conn.apply(ctx, eraseFacts, len(events), func(i int, b binder) {
		b.text(enc.json(events[i].Facts, false))
		b.text(partnerID)
		b.text(events[i].OrderID)
		b.integer(events[i].Sequence)
	})
	if enc.err != nil {
		return enc.err
	}
	return err
}

// SaveAnswer overwrites the answer kept under an idempotency key, if it is
// still kept.
func (tx *Tx) SaveAnswer(ctx context.Context, partnerID string, key retention.ReceiptKey, answer []byte) error {
	_, err := tx.conn.apply(ctx, replaceAnswer, 1, func(_ int, b binder) {
		b.text(string(answer))
		b.text(partnerID)
		b.bytes(key.Key[:])
		b.text(key.Scope)
	})
	return err
}
