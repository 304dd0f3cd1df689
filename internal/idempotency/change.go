package idempotency

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"time"
)

// ChangeKey names a change by an operator that came with an Idempotency-Key.
type ChangeKey struct {
	OperatorID string
	KeyHash    [32]byte // SHA-256 of the Idempotency-Key, which is not kept
	Scope      string   // method and path
}

// Change is the receipt of a change by an operator. It is written in the transaction of
// the change, and its answer afterwards. Moves of orders and bookings of stock have a
// Receipt instead.
type Change struct {
	ChangeKey
	// BodyHash is the HMAC of the body under the Idempotency-Key. The key is random and not
	// kept, so that a password in the body cannot be guessed from the hash.
	BodyHash  [32]byte
	RequestID string // of the request that made the change
	CreatedAt time.Time

	// Action, PartnerID and ObjectID are those of the entry in the audit log.
	Action    string
	PartnerID string
	ObjectID  string

	Status int64  // of the answer; 0 until the answer is kept
	Answer []byte // the body that was answered
}

// NewChange returns the receipt of a request that is about to be carried out.
func NewChange(operatorID string, key [16]byte, scope string, body []byte) *Change {
	mac := hmac.New(sha256.New, key[:])
	mac.Write(body)
	return &Change{
		ChangeKey: ChangeKey{OperatorID: operatorID, KeyHash: sha256.Sum256(key[:]), Scope: scope},
		BodyHash:  [32]byte(mac.Sum(nil)),
	}
}

type changeKey struct{}

// WithChange returns a context for the change that a receipt belongs to. The transaction
// that writes the change's entry of the audit log writes the receipt as well.
func WithChange(ctx context.Context, c *Change) context.Context {
	return context.WithValue(ctx, changeKey{}, c)
}

// ChangeOf returns the receipt that a context carries; nil if it carries none.
func ChangeOf(ctx context.Context) *Change {
	c, _ := ctx.Value(changeKey{}).(*Change)
	return c
}
