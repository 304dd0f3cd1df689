// Package idempotency is the one rule by which a request that is repeated takes effect once
// (docs/contract.md, Idempotency): what a key names, what is kept under it, and what a second
// request with the same key is answered. A Receipt is written in the transaction of the effect, and
// has its answer; a Change is of the effects whose answer is known only later.
package idempotency

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Key is an Idempotency-Key in its scope: the partner, and the method and path
// of the request.
type Key struct {
	PartnerID string
	Scope     string
	UUID      [16]byte // the key's bytes, so that its spelling does not matter
}

// Request is a request that may be repeated. Where a key may be left out, the request without
// one is nil: it has no earlier answer, and its own is not kept.
type Request struct {
	Key
	BodyHash [32]byte // SHA-256 of the body as sent, which distinguishes a retry from another request
}

// NewRequest returns a request with a body under a key.
func NewRequest(key Key, body []byte) Request { return Request{key, sha256.Sum256(body)} }

// Of returns the request as one that concerns a partner.
func (r *Request) Of(partnerID string) *Request {
	if r == nil {
		return nil
	}
	of := *r
	of.PartnerID = partnerID
	return &of
}

// Part returns a part of the request, which is carried out once by itself.
func (r *Request) Part(name string) *Request {
	if r == nil {
		return nil
	}
	part := *r
	part.Scope += "#" + name
	return &part
}

// Answer is what a request is answered with.
type Answer struct {
	Body     []byte
	Replayed bool // it is the original answer to an earlier, equal request
}

// Reader finds receipts.
type Reader interface {
	// Receipt returns the receipt under a key; nil if there is none.
	Receipt(ctx context.Context, key Key) (*Receipt, error)
}

// Writer is the transaction of an effect.
type Writer interface {
	Reader
	// AddReceipt adds a receipt.
	AddReceipt(ctx context.Context, receipt *Receipt) error
}

// Find returns the answer to an earlier, equal request.
func (r *Request) Find(ctx context.Context, tx Reader) (answer Answer, found bool, err error) {
	if r == nil {
		return Answer{}, false, nil
	}
	receipt, err := tx.Receipt(ctx, r.Key)
	if err != nil || receipt == nil {
		return Answer{}, false, err
	}
	body, err := receipt.Replay(r.BodyHash)
	return Answer{Body: body, Replayed: true}, true, err
}

// Keep keeps the answer to the request.
func (r *Request) Keep(ctx context.Context, tx Writer, answer []byte, at time.Time) error {
	if r == nil {
		return nil
	}
	return tx.AddReceipt(ctx, &Receipt{Request: *r, Answer: answer, CreatedAt: at})
}

// Receipt is the kept answer to a request that had an effect. It is written in
// the transaction of the effect.
type Receipt struct {
	Request
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

// ErrInProgress refuses a request while an earlier one with the same key runs.
var ErrInProgress = &refusal.Error{
	Code:       refusal.CodeIdempotencyInProgress,
	Message:    "an earlier request with this Idempotency-Key is still running",
	RetryAfter: time.Second,
}

// ErrReused refuses a request whose key was used with another body.
var ErrReused = refusal.New(refusal.CodeIdempotencyKeyReused,
	"this Idempotency-Key was used before with another request body")
