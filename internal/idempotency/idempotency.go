// Package idempotency is the one rule by which a request that is repeated takes effect once
// (docs/contract.md, Idempotency): what a key names, what is kept under it, and what a second
// request with the same key is answered.
package idempotency

import (
	"crypto/sha256"
	"time"
)

// Key is an Idempotency-Key in its scope: the partner, and the method and path
// of the request.
type Key struct {
	PartnerID string
	Scope     string
	UUID      [16]byte // the key's bytes, so that its spelling does not matter
}

// Request is a request that may be repeated.
type Request struct {
	Key
	Body []byte // as sent; its hash distinguishes a retry from another request
}

// BodyHash returns the SHA-256 of the request's body.
func (r Request) BodyHash() [32]byte { return sha256.Sum256(r.Body) }

// Receipt is the kept answer to a request that had an effect. It is written in
// the transaction of the effect.
type Receipt struct {
	Key
	BodyHash  [32]byte
	OrderID   string // of the order that was created or cancelled; may be empty
	CreatedAt time.Time
	Answer    []byte // the body that was answered
	// OfCreation means that the answer is the stored order's own document, which
	// is not kept a second time.
	OfCreation bool
}

// Replay returns the kept answer for a request with the same key. A request with
// another body is refused as idempotency_key_reused.
func (r *Receipt) Replay(bodyHash [32]byte) ([]byte, error) {
	if r.BodyHash != bodyHash {
		return nil, ErrReused
	}
	return r.Answer, nil
}
