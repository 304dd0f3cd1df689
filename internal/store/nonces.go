package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/partner"
)

var (
	nonces = db.NewTable("nonces",
		db.Key(
			db.Text("partner_id", func(n *partner.Nonce) *string { return &n.PartnerID }),
			db.Text("key_id", func(n *partner.Nonce) *string { return &n.KeyID }),
			db.Text("nonce", func(n *partner.Nonce) *string { return &n.Text })),
		db.Moment("signed_at", func(n *partner.Nonce) *time.Time { return &n.SignedAt }),
	)
	addNonces = nonces.Insert()
)

// AddNonce keeps a nonce. It is false if the key has used it already.
func (tx partnerTx) AddNonce(ctx context.Context, nonce *partner.Nonce) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addNonces, nonce)
	return rows == 1, err
}

// ForgetSignatures removes what is kept of requests that were signed before a time.
func (tx partnerTx) ForgetSignatures(ctx context.Context, signedBefore time.Time) error {
	for _, table := range []string{nonces.Name, endpointChanges.Name} {
		if _, err := tx.conn.Exec(ctx, "DELETE FROM "+table+" WHERE signed_at < $1", signedBefore); err != nil {
			return err
		}
	}
	return nil
}
