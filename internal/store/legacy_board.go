package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/retention"
)

// This file is to go with Tx.

func old(c conn) *Tx { return &Tx{legacyConn{c}} }

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
