package store

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Retention is the store as package retention sees it.
func (s *Store) Retention() retention.Store {
	return retentionStore{view[retention.Reader, retention.Writer]{s.Database,
		func(c db.Conn) retention.Reader { return retentionTx{auditing{c}} },
		func(c db.Conn) retention.Writer { return retentionTx{auditing{c}} }}, s}
}

// retentionStore is the store as package retention sees it.
type retentionStore struct {
	view[retention.Reader, retention.Writer]
	store *Store
}

// scrubbedSetting holds when the files were last scrubbed, as RFC 3339.
const scrubbedSetting = "scrubbed_at"

// Scrub overwrites what removed and rewritten rows have left in the files.
func (s retentionStore) Scrub(ctx context.Context, rested func(ctx context.Context, took time.Duration) error) error {
	return s.database.Scrub(ctx, rested)
}

// Scrubbed returns when Scrub was last done; the zero time if it is to be done again.
func (s retentionStore) Scrubbed(ctx context.Context) (time.Time, error) {
	value, err := s.store.Setting(ctx, scrubbedSetting)
	if err != nil || value == "" {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, value)
}

// SetScrubbed writes when Scrub was last done.
func (s retentionStore) SetScrubbed(ctx context.Context, at time.Time) error {
	return s.store.SetSetting(ctx, scrubbedSetting, at.UTC().Format(time.RFC3339))
}

// retentionTx is a transaction of package retention. Its lists begin behind a
// key and follow an index that exists for another purpose.
type retentionTx struct{ auditing }

// The tables as far as a sweep looks at them.
var (
	sweptOrders   = orders.Only("version", "events", "updated_at")
	sweptEvents   = events.Only("state", "created_at")
	sweptReceipts = db.NewTable("idempotency_keys", idempotencyKeys.Key, append(idempotencyKeys.Pick("order_id",
		"created_at"),
		db.Flag("CASE answer WHEN '' THEN 1 ELSE 0 END", func(r *idempotency.Receipt) *bool { return &r.OfCreation }))...)
)

// Accounts lists the account and the test account of every partner.
func (tx retentionTx) Accounts(ctx context.Context) ([]string, error) {
	partners, err := partnerIDs(ctx, tx.conn)
	accounts := make([]string, 0, 2*len(partners))
	for _, partnerID := range partners {
		accounts = append(accounts, partnerID, delivery.TestAccount(partnerID))
	}
	return accounts, err
}

// Receipts lists what is kept under a partner's idempotency keys.
func (tx retentionTx) Receipts(ctx context.Context, after idempotency.Key, limit int) ([]*idempotency.Receipt, error) {
	return sweptReceipts.All(ctx, tx.conn, `WHERE partner_id = $1 AND (idempotency_key, scope) > ($2, $3)
		ORDER BY idempotency_key, scope LIMIT $4`, after.PartnerID, after.UUID[:], after.Scope, limit)
}

// Answers returns receipts with what was answered.
func (tx retentionTx) Answers(ctx context.Context, keys []idempotency.Key) ([]*idempotency.Receipt, error) {
	return db.FindNow(ctx, tx.conn, findReceipts, keys...)
}

// Ended lists orders in a final state, by the index that lists follow.
func (tx retentionTx) Ended(
	ctx context.Context, partnerID string, state delivery.Status, after, until string, limit int,
) (listed []retention.Ended, err error) {
	err = sweptOrders.Each(ctx, tx.conn,
		"WHERE partner_id = $1 AND status = $2 AND order_id > $3 AND order_id < $4 ORDER BY order_id LIMIT $5",
		[]any{partnerID, string(state), after, until, limit}, func(row *orderRow) error {
			// The first version has no row in the history, but the order's own.
			listed = append(listed,
				retention.Ended{OrderID: row.OrderID, UpdatedAt: row.UpdatedAt, Rows: row.Version + row.Events})
			return nil
		})
	return listed, err
}

// EventTimes lists the events of orders whose ids are before until, and those of statements, whose ids are behind those
// of all orders, without those that still wait to be sent. The latest event of a product stays: the next is numbered
// after it.
func (tx retentionTx) EventTimes(
	ctx context.Context, after outbox.EventKey, until string, limit int,
) (listed []retention.EventTime, err error) {
	err = sweptEvents.Each(ctx, tx.conn,
		`WHERE partner_id = $1 AND (order_id, sequence) > ($2, $3) AND (order_id < $4 OR order_id >= 'stm_') AND state <> 'pending'
			AND (order_id < 'stock_' OR EXISTS (SELECT 1 FROM events AS n WHERE n.partner_id = events.partner_id
				AND n.order_id = events.order_id AND n.sequence = events.sequence + 1))
			AND NOT EXISTS (SELECT 1 FROM further_deliveries AS d WHERE d.partner_id = events.partner_id
				AND d.order_id = events.order_id AND d.sequence = events.sequence AND d.state = 'pending')
		ORDER BY order_id, sequence LIMIT $5`, []any{after.PartnerID, after.OrderID, after.Sequence, until, limit},
		func(row *webhook.Event) error {
			listed = append(listed, retention.EventTime{EventKey: row.Key(), State: row.State, CreatedAt: row.CreatedAt})
			return nil
		})
	return listed, err
}

// LoosePictures lists the pictures of a partner that are due to be deleted.
func (tx retentionTx) LoosePictures(ctx context.Context, partnerID string, now time.Time, limit int) ([]string, error) {
	return duePictures(ctx, tx.conn, partnerID, now, limit)
}

// Order returns one order with its history; nil if there is none.
func (tx retentionTx) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	return orderTx{conn: tx.conn}.Order(ctx, partnerID, orderID)
}

// ReplaceSetting writes a setting if it still has the value before.
func (tx retentionTx) ReplaceSetting(ctx context.Context, name, before, value string) (replaced bool, err error) {
	return db.SettingsIn(tx.conn).Replace(ctx, name, before, value)
}

// RemoveReceipts removes what is kept under idempotency keys.
func (tx retentionTx) RemoveReceipts(ctx context.Context, keys []idempotency.Key) error {
	_, err := db.WriteNow(ctx, tx.conn, dropReceipts, db.Pointers(keys)...)
	return err
}

// RemoveOriginals removes what answered the creations of a partner's edited orders whose ids
// are before until.
func (tx retentionTx) RemoveOriginals(ctx context.Context, partnerID, until string) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM order_originals WHERE partner_id = $1 AND order_id < $2", partnerID, until)
	return err
}

// HasOriginals reports whether RemoveOriginals would remove anything.
func (tx retentionTx) HasOriginals(ctx context.Context, partnerID, until string) (has bool, err error) {
	err = tx.conn.Query(ctx, "SELECT 1 FROM order_originals WHERE partner_id = $1 AND order_id < $2 LIMIT 1",
		[]any{partnerID, until}, func(db.Row) error {
			has = true
			return nil
		})
	return has, err
}

// Original returns the record that answered the creation of an edited order; nil if that is
// not kept.
func (tx retentionTx) Original(ctx context.Context, partnerID, orderID string) ([]byte, error) {
	found, err := db.FindNow(ctx, tx.conn, findOriginals, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0].document, nil
}

// RemoveChanges removes the receipts of operators' changes that were made before a time.
func (tx retentionTx) RemoveChanges(ctx context.Context, before time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM operator_receipts WHERE created_at < $1", before)
	return err
}

// RemoveOrders removes orders with their histories, events, notes and proofs.
func (tx retentionTx) RemoveOrders(ctx context.Context, partnerID string, orderIDs []string) error {
	keys := orderKeysOf(partnerID, orderIDs)
	if err := removeProofs(ctx, tx.conn, keys); err != nil {
		return err
	}
	removed, err := tx.lockedBytes(ctx, keys)
	if err != nil {
		return err
	}
	p := db.NewPipeline(tx.conn)
	for _, drop := range []*db.Statement[*order.OrderKey]{
		dropEventsOf, dropFurtherOf, dropHistories, dropNotes, dropDeliveries, dropReturns, dropScans, dropMailsOf,
		dropOrderMails,
		dropOriginals, dropOrders,
	} {
		db.Write(p, drop, db.Pointers(keys))
	}
	writeUsages(p, []order.Used{{PartnerID: partnerID, Bytes: -removed}})
	if _, err = p.Flush(ctx); err != nil {
		return err
	}
	return dropIndex(ctx, tx.conn, keys)
}

// lockedBytes returns the size of orders' documents, locked where another node could
// remove them at the same time.
func (tx retentionTx) lockedBytes(ctx context.Context, keys []order.OrderKey) (size int64, err error) {
	rows, err := db.FindNow(ctx, tx.conn, lockDocuments, keys...)
	for _, row := range rows {
		size += int64(len(row.document))
	}
	return size, err
}

// RemoveEvents removes events that are still in the state that they had, with what is kept of their
// deliveries to further endpoints: one that is redelivered meanwhile stays.
func (tx retentionTx) RemoveEvents(ctx context.Context, removed []retention.EventTime) error {
	keys := make([]outbox.EventKey, len(removed))
	for i, event := range removed {
		keys[i] = event.EventKey
	}
	waiting, err := db.FindNow(ctx, tx.conn, findFurtherDue, keys...)
	if err != nil {
		return err
	}
	stays := make(map[outbox.EventKey]bool, len(waiting))
	for _, event := range waiting {
		stays[outbox.KeyOf(&event.Event)] = true
	}
	var rows []*webhook.Event
	for _, event := range removed {
		if !stays[event.EventKey] {
			rows = append(rows, &webhook.Event{
				Event: delivery.Event{PartnerID: event.PartnerID, OrderID: event.OrderID, Sequence: event.Sequence},
				State: event.State,
			})
		}
	}
	keys = slices.DeleteFunc(keys, func(key outbox.EventKey) bool { return stays[key] })
	p := db.NewPipeline(tx.conn)
	db.Write(p, dropFurther, db.Pointers(keys))
	db.Write(p, dropEventsInState, rows)
	_, err = p.Flush(ctx)
	return err
}

// ForgetPictures forgets pictures that are deleted.
func (tx retentionTx) ForgetPictures(ctx context.Context, partnerID string, pictures []string) error {
	_, err := forgetPictures(ctx, tx.conn, partnerID, pictures...)
	return err
}
