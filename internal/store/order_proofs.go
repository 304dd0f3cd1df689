package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
)

var (
	orderProofs = newTable("order_proofs",
		key(
			text("partner_id", func(p *delivery.Proof) *string { return &p.PartnerID }),
			text("order_id", func(p *delivery.Proof) *string { return &p.OrderID }),
			text("proof_id", func(p *delivery.Proof) *string { return &p.ProofID })),
		text("kind", func(p *delivery.Proof) *string { return (*string)(&p.Kind) }),
		text("name", func(p *delivery.Proof) *string { return &p.Name }),
		fixed("digest", func(p *delivery.Proof) []byte { return p.Digest[:] }),
		text("operator_id", func(p *delivery.Proof) *string { return &p.OperatorID }),
		moment("at", func(p *delivery.Proof) *time.Time { return &p.At }),
		moment("recorded_at", func(p *delivery.Proof) *time.Time { return &p.RecordedAt }),
	)
	addProofs  = orderProofs.insert()
	findProofs = lookUpBy(byOrder, orderProofs)
	dropProofs = deleteFrom(orderProofs, byOrder)
)

// proofsOf lists the proofs of an order, oldest first.
func proofsOf(ctx context.Context, c conn, key order.OrderKey) ([]*delivery.Proof, error) {
	found, err := findNow(ctx, c, findProofs, key)
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
func removeProofs(ctx context.Context, c conn, keys []order.OrderKey) error {
	proofs, err := findNow(ctx, c, findProofs, keys...)
	if err != nil {
		return err
	}
	pictures := make([]loosePicture, len(proofs))
	for i, p := range proofs {
		pictures[i] = loosePicture{partnerID: p.PartnerID, name: p.Name}
	}
	p := newPipeline(c)
	write(p, addLoose, pointers(pictures))
	write(p, dropProofs, pointers(keys))
	_, err = p.flush(ctx)
	return err
}
