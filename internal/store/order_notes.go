package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

// noteText is the text of all notes of an order.
type noteText struct {
	order.OrderKey
	text string
}

var (
	orderNotes = newTable("order_notes",
		key(
			text("partner_id", func(n *dispatch.Note) *string { return &n.PartnerID }),
			text("order_id", func(n *dispatch.Note) *string { return &n.OrderID }),
			text("note_id", func(n *dispatch.Note) *string { return &n.NoteID })),
		text("operator_id", func(n *dispatch.Note) *string { return &n.OperatorID }),
		moment("at", func(n *dispatch.Note) *time.Time { return &n.At }),
		text("note", func(n *dispatch.Note) *string { return &n.Text }),
	)
	addNotes  = orderNotes.insert()
	dropNotes = deleteFrom(orderNotes, byOrder)
	// overwriteNotes gives all notes of an order the same text.
	overwriteNotes = updateOf(orderNotes,
		within(func(n *noteText) *order.OrderKey { return &n.OrderKey }, byOrder...),
		key(text("note", func(n *noteText) *string { return &n.text })))
)

// notesOf lists the newest notes of an order, newest first.
func notesOf(ctx context.Context, c conn, key order.OrderKey, limit int) ([]*dispatch.Note, error) {
	return orderNotes.all(ctx, c, "WHERE partner_id = $1 AND order_id = $2 ORDER BY note_id DESC LIMIT $3", key.PartnerID, key.OrderID, limit)
}
