package partner

import (
	"context"
	"time"
)

// Nonce is the X-Nonce of a request with a signature of version 2.
type Nonce struct {
	PartnerID string // the test account for a test key
	KeyID     string
	Text      string
	SignedAt  time.Time // the X-Timestamp
}

// UseNonce uses a nonce up, for all nodes. It returns false if its key has used it already
// within the time in which a timestamp is accepted.
func (s *Service) UseNonce(ctx context.Context, nonce Nonce) (isNew bool, err error) {
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		isNew, err = tx.AddNonce(ctx, &nonce)
		return err
	})
	return isNew, err
}
