package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/operator"
)

var (
	audited = db.NewTable("audit",
		db.Key(
			db.Text("partner_id", func(a *operator.Audited) *string { return &a.PartnerID }),
			db.Text("audit_id", func(a *operator.Audited) *string { return &a.AuditID })),
		db.Moment("at", func(a *operator.Audited) *time.Time { return &a.At }),
		db.Text("operator_id", func(a *operator.Audited) *string { return &a.OperatorID }),
		db.Text("request_id", func(a *operator.Audited) *string { return &a.RequestID }),
		db.Text("action", func(a *operator.Audited) *string { return (*string)(&a.Action) }),
		db.Text("object_id", func(a *operator.Audited) *string { return &a.ObjectID }),
		db.Document("before", func(a *operator.Audited) *[]byte { return &a.Before }),
		db.Document("after", func(a *operator.Audited) *[]byte { return &a.After }),
	)
	addAudited = audited.Insert()
)

// auditing is the part of a transaction that writes the audit log.
type auditing struct{ conn db.Conn }

// AddAudit writes entries of the audit log, and the receipt of the change that they
// describe, if its request came with an Idempotency-Key.
func (tx auditing) AddAudit(ctx context.Context, entries ...*audit.Entry) error {
	p := db.NewPipeline(tx.conn)
	if err := writeAudit(p, entries); err != nil {
		return err
	}
	if _, err := p.Flush(ctx); err != nil || len(entries) == 0 {
		return err
	}
	return addChangeOf(ctx, tx.conn, entries[0])
}

// writeAudit queues entries of the audit log.
func writeAudit(p *db.Pipeline, entries []*audit.Entry) error {
	rows := make([]*operator.Audited, len(entries))
	for i, entry := range entries {
		before, err := encodedOrNone(entry.Before)
		if err != nil {
			return err
		}
		after, err := encodedOrNone(entry.After)
		if err != nil {
			return err
		}
		rows[i] = &operator.Audited{
			PartnerID: entry.PartnerID, AuditID: entry.AuditID, At: entry.At, Operation: entry.Operation,
			Action: entry.Action, ObjectID: entry.ObjectID, Before: before, After: after,
		}
	}
	db.WriteAll(p, addAudited, rows)
	return nil
}

// encodedOrNone returns a value as JSON; nothing for nil.
func encodedOrNone(value any) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	return strictjson.Marshal(value)
}

// auditLog lists entries of the audit log, newest first unless the filter says
// otherwise. Ids sort by time, so that a period is a range of ids.
func auditLog(ctx context.Context, c db.Conn, f operator.AuditFilter) ([]*operator.Audited, error) {
	var selected db.Conditions
	selected.AddText("operator_id = ?", f.OperatorID)
	selected.AddText("partner_id = ?", f.PartnerID)
	if len(f.Orders) == 0 {
		selected.AddText("object_id = ?", f.ObjectID)
	} else {
		selected.AddIn("object_id", append(f.Orders, f.ObjectID))
	}
	selected.AddText("action = ?", string(f.Action))
	selected.AddText("audit_id < ?", f.Before)
	selected.AddText("audit_id > ?", f.After)
	if !f.From.IsZero() {
		selected.Add("audit_id >= ?", identifier.FirstUUID(f.From))
	}
	if !f.To.IsZero() {
		selected.Add("audit_id < ?", identifier.FirstUUID(f.To))
	}
	order := "DESC"
	if f.Oldest {
		order = "ASC"
	}
	tail, args := selected.Clause("ORDER BY audit_id "+order+" LIMIT ?", f.Limit)
	return audited.All(ctx, c, tail, args...)
}

var (
	changeKey = db.Key(
		db.Text("operator_id", func(k *idempotency.ChangeKey) *string { return &k.OperatorID }),
		db.Fixed("key_hash", func(k *idempotency.ChangeKey) []byte { return k.KeyHash[:] }),
		db.Text("scope", func(k *idempotency.ChangeKey) *string { return &k.Scope }))
	operatorReceipts = db.NewTable("operator_receipts",
		db.Key(
			db.Text("operator_id", func(c *idempotency.Change) *string { return &c.OperatorID }),
			db.Fixed("key_hash", func(c *idempotency.Change) []byte { return c.KeyHash[:] }),
			db.Text("scope", func(c *idempotency.Change) *string { return &c.Scope })),
		db.Fixed("body_hash", func(c *idempotency.Change) []byte { return c.BodyHash[:] }),
		db.Text("request_id", func(c *idempotency.Change) *string { return &c.RequestID }),
		db.Text("action", func(c *idempotency.Change) *string { return &c.Action }),
		db.Text("partner_id", func(c *idempotency.Change) *string { return &c.PartnerID }),
		db.Text("object_id", func(c *idempotency.Change) *string { return &c.ObjectID }),
		db.Integer("status", func(c *idempotency.Change) *int64 { return &c.Status }),
		db.Moment("created_at", func(c *idempotency.Change) *time.Time { return &c.CreatedAt }),
		db.Document("answer", func(c *idempotency.Change) *[]byte { return &c.Answer }),
	)
	findChanges   = db.LookUpBy(changeKey, operatorReceipts)
	addChanges    = operatorReceipts.Insert()
	dropChanges   = db.DeleteFrom(operatorReceipts, changeKey)
	answerChanges = db.UpdateOf(operatorReceipts, operatorReceipts.Key, operatorReceipts.Pick("status", "answer"))
)

// Receipts keeps the answers to operators' changes that came with an Idempotency-Key.
type Receipts struct{ database *db.Database }

// Receipts returns what is kept of operators' changes.
func (s *Store) Receipts() Receipts { return Receipts{s.Database} }

// Find returns the receipt under a key; nil if there is none.
func (r Receipts) Find(ctx context.Context, key idempotency.ChangeKey) (found *idempotency.Change, err error) {
	err = r.database.Read(ctx, func(c db.Conn) error {
		found, err = db.FindOne(ctx, c, findChanges, key)
		return err
	})
	return found, err
}

// Claim adds a receipt before its change, and returns nil; or the receipt that its key
// has already. Like every change, it refuses an actor who may no longer act.
func (r Receipts) Claim(ctx context.Context, change *idempotency.Change) (earlier *idempotency.Change, err error) {
	err = r.database.Write(ctx, func(c db.Conn) error {
		if err := admit(ctx, c, nil); err != nil {
			return err
		}
		if earlier, err = db.FindOne(ctx, c, findChanges, change.ChangeKey); err != nil || earlier != nil {
			return err
		}
		return addChange(ctx, c, change)
	})
	return earlier, err
}

// Release removes a receipt.
func (r Receipts) Release(ctx context.Context, key idempotency.ChangeKey) error {
	return r.database.Write(ctx, func(c db.Conn) error {
		_, err := db.WriteNow(ctx, c, dropChanges, &key)
		return err
	})
}

// Answer keeps the answer to a change. It adds the receipt if the request has changed
// nothing and so has none.
func (r Receipts) Answer(ctx context.Context, change *idempotency.Change) error {
	return r.database.Write(ctx, func(c db.Conn) error {
		written, err := db.WriteNow(ctx, c, answerChanges, change)
		if err == nil && written == 0 {
			err = addChange(ctx, c, change)
		}
		return err
	})
}

// addChange adds a receipt. A request may add its receipt twice, because it makes several
// entries in the audit log. The error is idempotency.ErrInProgress if another request
// with the same key was faster.
func addChange(ctx context.Context, c db.Conn, change *idempotency.Change) error {
	written, err := db.WriteNow(ctx, c, addChanges, change)
	if err != nil || written == 1 {
		return err
	}
	found, err := db.FindOne(ctx, c, findChanges, change.ChangeKey)
	if err == nil && (found == nil || found.RequestID != change.RequestID) {
		err = idempotency.ErrInProgress
	}
	return err
}

// addChangeOf adds the receipt that a context carries, if it carries one, with what an
// entry of the audit log says.
func addChangeOf(ctx context.Context, c db.Conn, entry *audit.Entry) error {
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
func eraseAnswers(ctx context.Context, c db.Conn, partnerID, orderID string) error {
	_, err := c.Exec(ctx, "UPDATE operator_receipts SET status = 0, answer = '' WHERE partner_id = $1 AND object_id = $2",
		partnerID, orderID)
	return err
}
