package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/idempotency"
)

var (
	receiptKey = key(
		text("partner_id", func(k *idempotency.Key) *string { return &k.PartnerID }),
		fixed("idempotency_key", func(k *idempotency.Key) []byte { return k.UUID[:] }),
		text("scope", func(k *idempotency.Key) *string { return &k.Scope }))
	// The answer to a creation is the document of its order, and not kept a
	// second time: then the column is empty.
	idempotencyKeys = newTable("idempotency_keys",
		key(
			text("partner_id", func(r *idempotency.Receipt) *string { return &r.PartnerID }),
			fixed("idempotency_key", func(r *idempotency.Receipt) []byte { return r.UUID[:] }),
			text("scope", func(r *idempotency.Receipt) *string { return &r.Scope })),
		fixed("body_hash", func(r *idempotency.Receipt) []byte { return r.BodyHash[:] }),
		text("order_id", func(r *idempotency.Receipt) *string { return &r.OrderID }),
		document("answer", func(r *idempotency.Receipt) *[]byte { return &r.Answer }),
		moment("created_at", func(r *idempotency.Receipt) *time.Time { return &r.CreatedAt }),
	)
	findReceipts = lookUpBy(receiptKey, idempotencyKeys)
	addReceipts  = idempotencyKeys.insert()
	dropReceipts = deleteFrom(idempotencyKeys, receiptKey)
	saveAnswers  = updateOf(idempotencyKeys, idempotencyKeys.key, idempotencyKeys.pick("answer"))
)

// writeReceipts queues receipts.
func writeReceipts(p *pipeline, receipts []*idempotency.Receipt) {
	rows := make([]*idempotency.Receipt, len(receipts))
	for i, receipt := range receipts {
		row := *receipt
		if row.OfCreation {
			row.Answer = nil
		}
		rows[i] = &row
	}
	writeAll(p, addReceipts, rows)
}
