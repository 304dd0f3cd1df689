package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
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
	selected.AddText("object_id = ?", f.ObjectID)
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
