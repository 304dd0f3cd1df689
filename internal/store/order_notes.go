package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
)

// noteText is the text of all notes of an order.
type noteText struct {
	order.OrderKey
	text string
}

var (
	orderNotes = db.NewTable("order_notes",
		db.Key(
			db.Text("partner_id", func(n *dispatch.Note) *string { return &n.PartnerID }),
			db.Text("order_id", func(n *dispatch.Note) *string { return &n.OrderID }),
			db.Text("note_id", func(n *dispatch.Note) *string { return &n.NoteID })),
		db.Text("operator_id", func(n *dispatch.Note) *string { return &n.OperatorID }),
		db.Moment("at", func(n *dispatch.Note) *time.Time { return &n.At }),
		db.Text("note", func(n *dispatch.Note) *string { return &n.Text }),
	)
	addNotes  = orderNotes.Insert()
	dropNotes = db.DeleteFrom(orderNotes, byOrder)
	// overwriteNotes gives all notes of an order the same text.
	overwriteNotes = db.UpdateOf(orderNotes,
		db.Within(func(n *noteText) *order.OrderKey { return &n.OrderKey }, byOrder...),
		db.Key(db.Text("note", func(n *noteText) *string { return &n.text })))
)

// notesOf lists the newest notes of an order, newest first.
func notesOf(ctx context.Context, c db.Conn, key order.OrderKey, limit int) ([]*dispatch.Note, error) {
	return orderNotes.All(ctx, c, "WHERE partner_id = $1 AND order_id = $2 ORDER BY note_id DESC LIMIT $3", key.PartnerID, key.OrderID, limit)
}
