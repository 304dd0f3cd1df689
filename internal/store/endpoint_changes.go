package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/webhook"
)

var (
	endpointChanges = db.NewTable("endpoint_changes",
		db.Key(
			db.Text("partner_id", func(c *webhook.Change) *string { return &c.PartnerID }),
			db.Moment("signed_at", func(c *webhook.Change) *time.Time { return &c.SignedAt }),
			db.Blob("signature", func(c *webhook.Change) *[]byte { return &c.Signature })))
	addEndpointChanges = endpointChanges.Insert()
)

// LastChange returns the latest time at which a change of a partner's endpoint was
// signed; zero if none is kept.
func (tx webhookTx) LastChange(ctx context.Context, partnerID string) (signedAt time.Time, err error) {
	err = tx.conn.Query(ctx, "SELECT signed_at FROM endpoint_changes WHERE partner_id = $1 ORDER BY signed_at DESC LIMIT 1",
		[]any{partnerID}, func(r db.Row) error { return r.Scan(&signedAt) })
	return signedAt, err
}

// AddChange keeps a change of a partner's endpoint. It is false if it is kept already.
func (tx webhookTx) AddChange(ctx context.Context, change *webhook.Change) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addEndpointChanges, change)
	return rows == 1, err
}
