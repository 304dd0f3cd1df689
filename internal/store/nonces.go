package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

var (
	nonces = newTable("nonces",
		key(
			text("partner_id", func(n *partner.Nonce) *string { return &n.PartnerID }),
			text("key_id", func(n *partner.Nonce) *string { return &n.KeyID }),
			text("nonce", func(n *partner.Nonce) *string { return &n.Text })),
		moment("signed_at", func(n *partner.Nonce) *time.Time { return &n.SignedAt }),
	)
	addNonces = nonces.insert()
)

// AddNonce keeps a nonce. It is false if the key has used it already.
func (tx partnerTx) AddNonce(ctx context.Context, nonce *partner.Nonce) (added bool, err error) {
	rows, err := writeNow(ctx, tx.conn, addNonces, nonce)
	return rows == 1, err
}

// ForgetSignatures removes what is kept of requests that were signed before a time.
func (tx partnerTx) ForgetSignatures(ctx context.Context, signedBefore time.Time) error {
	for _, table := range []string{nonces.name, endpointChanges.name} {
		if _, err := tx.conn.exec(ctx, "DELETE FROM "+table+" WHERE signed_at < $1", signedBefore); err != nil {
			return err
		}
	}
	return nil
}
