package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/idempotency"
)

var (
	changeKey = key(
		text("operator_id", func(k *idempotency.ChangeKey) *string { return &k.OperatorID }),
		fixed("key_hash", func(k *idempotency.ChangeKey) []byte { return k.KeyHash[:] }),
		text("scope", func(k *idempotency.ChangeKey) *string { return &k.Scope }))
	operatorReceipts = newTable("operator_receipts",
		key(
			text("operator_id", func(c *idempotency.Change) *string { return &c.OperatorID }),
			fixed("key_hash", func(c *idempotency.Change) []byte { return c.KeyHash[:] }),
			text("scope", func(c *idempotency.Change) *string { return &c.Scope })),
		fixed("body_hash", func(c *idempotency.Change) []byte { return c.BodyHash[:] }),
		text("request_id", func(c *idempotency.Change) *string { return &c.RequestID }),
		text("action", func(c *idempotency.Change) *string { return &c.Action }),
		text("partner_id", func(c *idempotency.Change) *string { return &c.PartnerID }),
		text("object_id", func(c *idempotency.Change) *string { return &c.ObjectID }),
		integer("status", func(c *idempotency.Change) *int64 { return &c.Status }),
		moment("created_at", func(c *idempotency.Change) *time.Time { return &c.CreatedAt }),
		document("answer", func(c *idempotency.Change) *[]byte { return &c.Answer }),
	)
	findChanges   = lookUpBy(changeKey, operatorReceipts)
	addChanges    = operatorReceipts.insert()
	dropChanges   = deleteFrom(operatorReceipts, changeKey)
	answerChanges = updateOf(operatorReceipts, operatorReceipts.key, operatorReceipts.pick("status", "answer"))
)

// Receipts keeps the answers to operators' changes that came with an Idempotency-Key.
type Receipts struct{ engine engine }

// Receipts returns what is kept of operators' changes.
func (s *Store) Receipts() Receipts { return Receipts{s.engine} }

// Find returns the receipt under a key; nil if there is none.
func (r Receipts) Find(ctx context.Context, key idempotency.ChangeKey) (found *idempotency.Change, err error) {
	err = r.engine.read(ctx, func(c conn) error {
		found, err = findOne(ctx, c, findChanges, key)
		return err
	})
	return found, err
}

// Claim adds a receipt before its change, and returns nil; or the receipt that its key
// has already. Like every change, it refuses an actor who may no longer act.
func (r Receipts) Claim(ctx context.Context, change *idempotency.Change) (earlier *idempotency.Change, err error) {
	err = r.engine.write(ctx, func(c conn) error {
		if err := admit(ctx, c, nil); err != nil {
			return err
		}
		if earlier, err = findOne(ctx, c, findChanges, change.ChangeKey); err != nil || earlier != nil {
			return err
		}
		return addChange(ctx, c, change)
	})
	return earlier, err
}

// Release removes a receipt.
func (r Receipts) Release(ctx context.Context, key idempotency.ChangeKey) error {
	return r.engine.write(ctx, func(c conn) error {
		_, err := writeNow(ctx, c, dropChanges, &key)
		return err
	})
}

// Answer keeps the answer to a change. It adds the receipt if the request has changed
// nothing and so has none.
func (r Receipts) Answer(ctx context.Context, change *idempotency.Change) error {
	return r.engine.write(ctx, func(c conn) error {
		written, err := writeNow(ctx, c, answerChanges, change)
		if err == nil && written == 0 {
			err = addChange(ctx, c, change)
		}
		return err
	})
}

// addChange adds a receipt. A request may add its receipt twice, because it makes several
// entries in the audit log. The error is idempotency.ErrInProgress if another request
// with the same key was faster.
func addChange(ctx context.Context, c conn, change *idempotency.Change) error {
	written, err := writeNow(ctx, c, addChanges, change)
	if err != nil || written == 1 {
		return err
	}
	found, err := findOne(ctx, c, findChanges, change.ChangeKey)
	if err == nil && (found == nil || found.RequestID != change.RequestID) {
		err = idempotency.ErrInProgress
	}
	return err
}

// addChangeOf adds the receipt that a context carries, if it carries one, with what an
// entry of the audit log says.
func addChangeOf(ctx context.Context, c conn, entry *audit.Entry) error {
	change := idempotency.ChangeOf(ctx)
	if change == nil {
		return nil
	}
	noted := *change
	noted.Action, noted.PartnerID, noted.ObjectID = string(entry.Action), entry.PartnerID, entry.ObjectID
	return addChange(ctx, c, &noted)
}

// eraseAnswers empties the answers to changes of an order: what an operator has noted may
// be personal. A request that is repeated is refused then.
func eraseAnswers(ctx context.Context, c conn, partnerID, orderID string) error {
	_, err := c.exec(ctx, "UPDATE operator_receipts SET status = 0, answer = '' WHERE partner_id = $1 AND object_id = $2", partnerID, orderID)
	return err
}
