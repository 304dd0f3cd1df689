package store

import (
	"context"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/proof"
)

// The transaction as the proof room sees it.
var (
	_ proof.RecordReader = (*Tx)(nil)
	_ proof.RecordWriter = (*Tx)(nil)
)

// Proofs is the store as the proof room sees it.
func (s *Store) Proofs() proof.Records { return View[proof.RecordReader, proof.RecordWriter]{s} }

var (
	proofKeys    = slices.Concat(orderKeys, texts("proof_id"))
	proofColumns = slices.Concat(proofKeys, texts("kind", "name"), byteses("digest"), integers("at"), texts("operator_id"), integers("removed"))
	addProofs    = newSet(insertNew, "order_proofs", proofKeys, proofColumns[len(proofKeys):])
	findProofs   = newSet(lookUp, "order_proofs", orderKeys, proofColumns)
	giveUpProofs = newSet(update, "order_proofs", orderKeys, integers("removed"))
	forgetProofs = newSet(deleteOld, "order_proofs", proofKeys, nil)
	listGivenUp  = "SELECT " + names(proofColumns) + " FROM order_proofs WHERE partner_id = $1 AND removed = 1 ORDER BY order_id, proof_id LIMIT $2"
)

// scanProof reads one row of proofColumns.
func scanProof(r row) (p delivery.Proof, removed bool, err error) {
	var digest []byte
	var flag int64
	err = r.scan(&p.PartnerID, &p.OrderID, &p.ProofID, (*string)(&p.Kind), &p.Name, &digest, &p.At, &p.OperatorID, &flag)
	copy(p.Digest[:], digest)
	return p, flag == 1, err
}

// AddProof adds a proof to an order.
func (tx *Tx) AddProof(ctx context.Context, p *delivery.Proof) error {
	return tx.all(ctx, addProofs, 1, func(_ int, b binder) {
		b.text(string(p.Kind))
		b.text(p.Name)
		b.bytes(p.Digest[:])
		b.integer(micros(p.At))
		b.text(p.OperatorID)
		b.integer(0)
		b.text(p.PartnerID)
		b.text(p.OrderID)
		b.text(p.ProofID)
	})
}

// proofsOf goes through the proofs of orders, in no order, without those that
// have been given up.
func (tx *Tx) proofsOf(ctx context.Context, keys []order.OrderKey, each func(delivery.Proof)) error {
	return tx.conn.find(ctx, findProofs, len(keys), bindOrderKeys(keys), func(r row) error {
		p, removed, err := scanProof(r)
		if err == nil && !removed {
			each(p)
		}
		return err
	})
}

// OrderProofs lists the proofs of an order, oldest first.
func (tx *Tx) OrderProofs(ctx context.Context, partnerID, orderID string) (found []delivery.Proof, err error) {
	err = tx.proofsOf(ctx, []order.OrderKey{{PartnerID: partnerID, OrderID: orderID}}, func(p delivery.Proof) { found = append(found, p) })
	slices.SortFunc(found, func(a, b delivery.Proof) int { return strings.Compare(a.ProofID, b.ProofID) })
	return found, err
}

// bestProofs finds the best proof of each order that has any.
func (tx *Tx) bestProofs(ctx context.Context, keys []order.OrderKey) (map[order.OrderKey]*delivery.Proof, error) {
	best := make(map[order.OrderKey]*delivery.Proof, len(keys))
	return best, tx.proofsOf(ctx, keys, func(p delivery.Proof) {
		key := order.OrderKey{PartnerID: p.PartnerID, OrderID: p.OrderID}
		if best[key] == nil || p.Better(best[key]) {
			best[key] = &p
		}
	})
}

// giveUpProofs removes the proofs of orders from sight. Their rows stay until
// their pictures are deleted.
func (tx *Tx) giveUpProofs(ctx context.Context, partnerID string, orderIDs []string) error {
	_, err := tx.conn.apply(ctx, giveUpProofs, len(orderIDs), func(i int, b binder) {
		b.integer(1)
		b.text(partnerID)
		b.text(orderIDs[i])
	})
	return err
}

// GivenUpProofs lists proofs of a partner whose pictures are to be deleted.
func (tx *Tx) GivenUpProofs(ctx context.Context, partnerID string, limit int) (found []delivery.Proof, err error) {
	err = tx.conn.query(ctx, listGivenUp, []any{partnerID, limit}, func(r row) error {
		p, _, err := scanProof(r)
		found = append(found, p)
		return err
	})
	return found, err
}

// ForgetProofs removes the rows of proofs whose pictures are deleted.
func (tx *Tx) ForgetProofs(ctx context.Context, proofs []delivery.Proof) error {
	_, err := tx.conn.apply(ctx, forgetProofs, len(proofs), func(i int, b binder) {
		b.text(proofs[i].PartnerID)
		b.text(proofs[i].OrderID)
		b.text(proofs[i].ProofID)
	})
	return err
}
