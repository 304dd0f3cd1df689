package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/idempotency"
)

var (
	receiptKey = db.Key(
		db.Text("partner_id", func(k *idempotency.Key) *string { return &k.PartnerID }),
		db.Fixed("idempotency_key", func(k *idempotency.Key) []byte { return k.UUID[:] }),
		db.Text("scope", func(k *idempotency.Key) *string { return &k.Scope }))
	// The answer to a creation is the document of its order, and not kept a
	// second time: then the column is empty.
	idempotencyKeys = db.NewTable("idempotency_keys",
		db.Key(
			db.Text("partner_id", func(r *idempotency.Receipt) *string { return &r.PartnerID }),
			db.Fixed("idempotency_key", func(r *idempotency.Receipt) []byte { return r.UUID[:] }),
			db.Text("scope", func(r *idempotency.Receipt) *string { return &r.Scope })),
		db.Fixed("body_hash", func(r *idempotency.Receipt) []byte { return r.BodyHash[:] }),
		db.Text("order_id", func(r *idempotency.Receipt) *string { return &r.OrderID }),
		db.Document("answer", func(r *idempotency.Receipt) *[]byte { return &r.Answer }),
		db.Moment("created_at", func(r *idempotency.Receipt) *time.Time { return &r.CreatedAt }),
	)
	findReceipts = db.LookUpBy(receiptKey, idempotencyKeys)
	addReceipts  = idempotencyKeys.Insert()
	dropReceipts = db.DeleteFrom(idempotencyKeys, receiptKey)
	saveAnswers  = db.UpdateOf(idempotencyKeys, idempotencyKeys.Key, idempotencyKeys.Pick("answer"))
)

// writeReceipts queues receipts.
func writeReceipts(p *db.Pipeline, receipts []*idempotency.Receipt) {
	rows := make([]*idempotency.Receipt, len(receipts))
	for i, receipt := range receipts {
		row := *receipt
		if row.OfCreation {
			row.Answer = nil
		}
		rows[i] = &row
	}
	db.WriteAll(p, addReceipts, rows)
}
