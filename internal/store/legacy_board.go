package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/retention"
)

// This file is to go with Tx.

func old(c conn) *Tx { return &Tx{legacyConn{c}} }

func (tx *Tx) saveOpen(ctx context.Context, c *order.Changes) error {
	p := newPipeline(tx.conn.conn)
	writeBoard(p, c.Shown, c.Ended)
	_, err := p.flush(ctx)
	return err
}

func (tx *Tx) saveDelivered(ctx context.Context, c *order.Changes) error {
	p := newPipeline(tx.conn.conn)
	writeDeliveries(p, c.Deliveries)
	_, err := p.flush(ctx)
	return err
}

func (tx *Tx) ordersByID(ctx context.Context, set *setStatement, keys []order.OrderKey) (map[string]*delivery.Order, error) {
	byKey, err := tx.ordersByKey(ctx, set, keys)
	if err != nil {
		return nil, err
	}
	found := make(map[string]*delivery.Order, len(byKey))
	for key, o := range byKey {
		found[key.OrderID] = o
	}
	return found, nil
}

func (tx *Tx) bestProofs(ctx context.Context, keys []order.OrderKey) (map[order.OrderKey]*delivery.Proof, error) {
	found, err := findNow(ctx, tx.conn.conn, findProofs, keys...)
	return bestProofs(found), err
}

// LoosePictures lists the pictures of a partner that are due to be deleted.
func (tx *Tx) LoosePictures(ctx context.Context, partnerID string, now time.Time, limit int) (pictures []string, err error) {
	return duePictures(ctx, tx.conn.conn, partnerID, now, limit)
}

// ForgetPictures forgets pictures that are deleted.
func (tx *Tx) ForgetPictures(ctx context.Context, partnerID string, pictures []string) error {
	_, err := forgetPictures(ctx, tx.conn.conn, partnerID, pictures...)
	return err
}

func (tx *Tx) removeProofs(ctx context.Context, partnerID string, orderIDs []string) error {
	return removeProofs(ctx, tx.conn.conn, orderKeysOf(partnerID, orderIDs))
}

func (tx *Tx) eraseForOperators(ctx context.Context, partnerID string, orders []*retention.Stored) error {
	var shown []*board.Row
	ids := make([]string, 0, len(orders))
	notes := make([]noteText, 0, len(orders))
	for _, o := range orders {
		ids = append(ids, o.Order.OrderID)
		notes = append(notes, noteText{order.OrderKey{PartnerID: partnerID, OrderID: o.Order.OrderID}, retention.ErasedText})
		if board.IsOpen(o.Order.Status) {
			shown = append(shown, board.Of(o.Order))
		}
	}
	p := newPipeline(tx.conn.conn)
	writeBoard(p, shown, nil)
	write(p, overwriteNotes, pointers(notes))
	if _, err := p.flush(ctx); err != nil {
		return err
	}
	return removeProofs(ctx, tx.conn.conn, orderKeysOf(partnerID, ids))
}
