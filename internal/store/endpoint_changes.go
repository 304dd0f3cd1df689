package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/webhook"
)

var (
	endpointChanges = newTable("endpoint_changes",
		key(
			text("partner_id", func(c *webhook.Change) *string { return &c.PartnerID }),
			moment("signed_at", func(c *webhook.Change) *time.Time { return &c.SignedAt }),
			blob("signature", func(c *webhook.Change) *[]byte { return &c.Signature })))
	addEndpointChanges = endpointChanges.insert()
)

// LastChange returns the latest time at which a change of a partner's endpoint was
// signed; zero if none is kept.
func (tx webhookTx) LastChange(ctx context.Context, partnerID string) (signedAt time.Time, err error) {
	err = tx.conn.query(ctx, "SELECT signed_at FROM endpoint_changes WHERE partner_id = $1 ORDER BY signed_at DESC LIMIT 1",
		[]any{partnerID}, func(r row) error { return r.scan(&signedAt) })
	return signedAt, err
}

// AddChange keeps a change of a partner's endpoint. It is false if it is kept already.
func (tx webhookTx) AddChange(ctx context.Context, change *webhook.Change) (added bool, err error) {
	rows, err := writeNow(ctx, tx.conn, addEndpointChanges, change)
	return rows == 1, err
}
