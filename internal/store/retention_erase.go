package store

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/webhook"
)

// LockOrders returns orders as they are stored, by id, locked where another node
// could interfere.
func (tx retentionTx) LockOrders(
	ctx context.Context, partnerID string, orderIDs []string,
) (map[string]*retention.Stored, error) {
	rows, err := db.FindNow(ctx, tx.conn, lockOrders, orderKeysOf(partnerID, slices.Sorted(slices.Values(orderIDs)))...)
	if err != nil {
		return nil, err
	}
	byKey := ordersOf(rows)
	if err := addHistories(ctx, tx.conn, byKey); err != nil {
		return nil, err
	}
	stored := make(map[string]*retention.Stored, len(rows))
	var keys []order.OrderKey
	for _, row := range rows {
		key := order.OrderKey{PartnerID: partnerID, OrderID: row.OrderID}
		stored[row.OrderID] = &retention.Stored{Order: byKey[key], Document: row.document}
		keys = append(keys, key)
	}
	kept, err := db.FindNow(ctx, tx.conn, findOriginals, keys...)
	if err != nil {
		return nil, err
	}
	for _, row := range kept {
		stored[row.OrderID].Original = row.document
	}
	found, err := db.FindNow(ctx, tx.conn, findEventsByOrder, keys...)
	for _, row := range found {
		stored[row.OrderID].Events = append(stored[row.OrderID].Events, &row.Event)
	}
	return stored, err
}

// SaveErased writes orders whose personal fields have been removed. It also
// empties the notes of their histories, replaces what operators have noted and scanned by
// note, and removes their proofs. All orders are of one partner.
func (tx retentionTx) SaveErased(ctx context.Context, erased []*retention.Stored, note string) error {
	keys := make([]order.OrderKey, len(erased))
	rows := make([]*orderRow, len(erased))
	histories := make([]*order.History, len(erased))
	notes := make([]*noteText, len(erased))
	var replaced []*orderRow
	var facts []*webhook.Event
	var shown []*board.Row
	for i, e := range erased {
		key := order.OrderKey{PartnerID: e.Order.PartnerID, OrderID: e.Order.OrderID}
		keys[i], rows[i] = key, orderRowOf(e.Order, e.Document, 0)
		histories[i], notes[i] = &order.History{OrderKey: key}, &noteText{key, note}
		if e.Original != nil {
			replaced = append(replaced, orderRowOf(e.Order, e.Original, 0))
		}
		for _, event := range e.Events {
			facts = append(facts, &webhook.Event{Event: *event})
		}
		if e.Shown != nil {
			shown = append(shown, e.Shown)
		}
	}
	before, err := tx.lockedBytes(ctx, keys)
	if err != nil || len(erased) == 0 {
		return err
	}
	for _, key := range keys {
		if err := eraseAnswers(ctx, tx.conn, key.PartnerID, key.OrderID); err != nil {
			return err
		}
	}
	used := order.Used{PartnerID: erased[0].Order.PartnerID, Bytes: -before}
	for _, row := range rows {
		used.Bytes += int64(len(row.document))
	}
	p := db.NewPipeline(tx.conn)
	db.Write(p, eraseOrders, rows)
	db.Write(p, saveOriginals, replaced)
	db.Write(p, eraseHistories, histories)
	db.Write(p, eraseFacts, facts)
	db.Write(p, overwriteNotes, notes)
	db.Write(p, overwriteScans, notes)
	db.Write(p, dropMailsOf, db.Pointers(keys))
	db.Write(p, dropOrderMails, db.Pointers(keys))
	writeBoard(p, shown, nil)
	writeUsages(p, []order.Used{used})
	if _, err := p.Flush(ctx); err != nil {
		return err
	}
	orders := make([]*delivery.Order, len(erased))
	for i, e := range erased {
		orders[i] = e.Order
	}
	if err := fillIndex(ctx, tx.conn, orders); err != nil {
		return err
	}
	return removeProofs(ctx, tx.conn, keys)
}

// SaveAnswer overwrites the answer kept under an idempotency key, if it is still
// kept.
func (tx retentionTx) SaveAnswer(ctx context.Context, key idempotency.Key, answer []byte) error {
	row := &idempotency.Receipt{Request: idempotency.Request{Key: key}, Answer: answer}
	_, err := db.WriteNow(ctx, tx.conn, saveAnswers, row)
	return err
}
