package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	orderProofs = db.NewTable("order_proofs",
		db.Key(
			db.Text("partner_id", func(p *delivery.Proof) *string { return &p.PartnerID }),
			db.Text("order_id", func(p *delivery.Proof) *string { return &p.OrderID }),
			db.Text("proof_id", func(p *delivery.Proof) *string { return &p.ProofID })),
		db.Text("kind", func(p *delivery.Proof) *string { return (*string)(&p.Kind) }),
		db.Text("name", func(p *delivery.Proof) *string { return &p.Name }),
		db.Fixed("digest", func(p *delivery.Proof) []byte { return p.Digest[:] }),
		db.Text("operator_id", func(p *delivery.Proof) *string { return &p.OperatorID }),
		db.Moment("at", func(p *delivery.Proof) *time.Time { return &p.At }),
		db.Moment("recorded_at", func(p *delivery.Proof) *time.Time { return &p.RecordedAt }),
	)
	addProofs  = orderProofs.Insert()
	findProofs = db.LookUpBy(byOrder, orderProofs)
	dropProofs = db.DeleteFrom(orderProofs, byOrder)
)

// proofsOf lists the proofs of an order, oldest first.
func proofsOf(ctx context.Context, c db.Conn, key order.OrderKey) ([]*delivery.Proof, error) {
	found, err := db.FindNow(ctx, c, findProofs, key)
	slices.SortFunc(found, func(a, b *delivery.Proof) int { return strings.Compare(a.ProofID, b.ProofID) })
	return found, err
}

// bestProofs returns the best proof of each order that has any.
func bestProofs(proofs []*delivery.Proof) map[order.OrderKey]*delivery.Proof {
	best := map[order.OrderKey]*delivery.Proof{}
	for _, p := range proofs {
		key := order.OrderKey{PartnerID: p.PartnerID, OrderID: p.OrderID}
		if best[key] == nil || p.Better(best[key]) {
			best[key] = p
		}
	}
	return best
}

// removeProofs removes the proofs of orders. Their pictures become loose and due
// to be deleted immediately.
func removeProofs(ctx context.Context, c db.Conn, keys []order.OrderKey) error {
	proofs, err := db.FindNow(ctx, c, findProofs, keys...)
	if err != nil {
		return err
	}
	pictures := make([]loosePicture, len(proofs))
	for i, p := range proofs {
		pictures[i] = loosePicture{partnerID: p.PartnerID, name: p.Name}
	}
	p := db.NewPipeline(c)
	db.Write(p, addLoose, db.Pointers(pictures))
	db.Write(p, dropProofs, db.Pointers(keys))
	_, err = p.Flush(ctx)
	return err
}
