package store

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/operator"
)

var (
	auditKeys   = texts("partner_id", "audit_id")
	auditValues = slices.Concat(integers("at"), texts("operator_id", "request_id", "action", "object_id", "before", "after"))
	addAudit    = newSet(insertNew, "audit", auditKeys, auditValues)
)

// AddAudit writes what was changed by whom.
func (tx *Tx) AddAudit(ctx context.Context, entries ...*audit.Entry) error {
	var enc encodings
	err := tx.all(ctx, addAudit, len(entries), func(i int, b binder) {
		e := entries[i]
		b.integer(micros(e.At))
		b.text(e.OperatorID)
		b.text(e.RequestID)
		b.text(string(e.Action))
		b.text(e.ObjectID)
		b.text(enc.json(e.Before, e.Before == nil))
		b.text(enc.json(e.After, e.After == nil))
		b.text(e.PartnerID)
		b.text(e.AuditID)
	})
	if enc.err != nil {
		return enc.err
	}
	return err
}

// Audit lists what was changed, newest first unless the filter says otherwise.
func (tx *Tx) Audit(ctx context.Context, f operator.AuditFilter) (found []operator.Audited, err error) {
	parts, args := []string{"1 = 1"}, []any(nil)
	add := func(condition, value string) {
		if value != "" {
			args = append(args, value)
			parts = append(parts, condition+" $"+strconv.Itoa(len(args)))
		}
	}
	add("operator_id =", f.OperatorID)
	add("partner_id =", f.PartnerID)
	add("object_id =", f.ObjectID)
	add("action =", string(f.Action))
	add("audit_id <", f.Before)
	add("audit_id >", f.After)
	order := "DESC"
	if f.Oldest {
		order = "ASC"
	}
	if !f.From.IsZero() {
		add("audit_id >=", identifier.FirstUUID(f.From))
	}
	if !f.To.IsZero() {
		add("audit_id <", identifier.FirstUUID(f.To))
	}
	args = append(args, f.Limit)
	text := fmt.Sprintf(`SELECT partner_id, audit_id, at, operator_id, request_id, action, object_id, before, after
		FROM audit WHERE %s ORDER BY audit_id %s LIMIT $%d`, strings.Join(parts, " AND "), order, len(args))
	err = tx.conn.query(ctx, text, args, func(r row) error {
		var a operator.Audited
		err := r.scan(&a.PartnerID, &a.AuditID, &a.At, &a.OperatorID, &a.RequestID, (*string)(&a.Action), &a.ObjectID, &a.Before, &a.After)
		found = append(found, a)
		return err
	})
	return found, err
}
