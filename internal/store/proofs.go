package store

import (
	"context"
	"slices"
	"strings"
	"time"

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
	proofColumns = slices.Concat(proofKeys, texts("kind", "name"), byteses("digest"), integers("at"), texts("operator_id"))
	addProofs    = newSet(insertNew, "order_proofs", proofKeys, proofColumns[len(proofKeys):])
	findProofs   = newSet(lookUp, "order_proofs", orderKeys, proofColumns)
	dropProofs   = newSet(deleteOld, "order_proofs", orderKeys, nil)

	looseKeys   = texts("partner_id", "name")
	addLoose    = newSet(insertOver, "loose_pictures", looseKeys, integers("due_at"))
	forgetLoose = newSet(deleteOld, "loose_pictures", looseKeys, nil)
)

// scanProof reads one row of proofColumns.
func scanProof(r row) (p delivery.Proof, err error) {
	var digest []byte
	err = r.scan(&p.PartnerID, &p.OrderID, &p.ProofID, (*string)(&p.Kind), &p.Name, &digest, &p.At, &p.OperatorID)
	copy(p.Digest[:], digest)
	return p, err
}

// AddProof adds a proof to an order.
func (tx *Tx) AddProof(ctx context.Context, p *delivery.Proof) error {
	return tx.all(ctx, addProofs, 1, func(_ int, b binder) {
		b.text(string(p.Kind))
		b.text(p.Name)
		b.bytes(p.Digest[:])
		b.integer(micros(p.At))
		b.text(p.OperatorID)
		b.text(p.PartnerID)
		b.text(p.OrderID)
		b.text(p.ProofID)
	})
}

// proofsOf goes through the proofs of orders, in no order.
func (tx *Tx) proofsOf(ctx context.Context, keys []order.OrderKey, each func(delivery.Proof)) error {
	return tx.conn.find(ctx, findProofs, len(keys), bindOrderKeys(keys), func(r row) error {
		p, err := scanProof(r)
		if err == nil {
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

// removeProofs removes the proofs of orders, and leaves their pictures to be
// deleted at once.
func (tx *Tx) removeProofs(ctx context.Context, partnerID string, orderIDs []string) error {
	keys := make([]order.OrderKey, len(orderIDs))
	for i, id := range orderIDs {
		keys[i] = order.OrderKey{PartnerID: partnerID, OrderID: id}
	}
	var pictures []string
	if err := tx.proofsOf(ctx, keys, func(p delivery.Proof) { pictures = append(pictures, p.Name) }); err != nil {
		return err
	}
	if err := tx.addLoose(ctx, partnerID, pictures, time.Time{}); err != nil {
		return err
	}
	_, err := tx.conn.apply(ctx, dropProofs, len(keys), bindOrderKeys(keys))
	return err
}

func (tx *Tx) addLoose(ctx context.Context, partnerID string, pictures []string, due time.Time) error {
	_, err := tx.conn.apply(ctx, addLoose, len(pictures), func(i int, b binder) {
		b.integer(micros(due))
		b.text(partnerID)
		b.text(pictures[i])
	})
	return err
}

// AddLoosePicture notes that a picture belongs to no proof, and when it is to be
// deleted.
func (tx *Tx) AddLoosePicture(ctx context.Context, partnerID, name string, due time.Time) error {
	return tx.addLoose(ctx, partnerID, []string{name}, due)
}

// TakeLoosePicture takes that back. It is false if the picture is not noted.
func (tx *Tx) TakeLoosePicture(ctx context.Context, partnerID, name string) (taken bool, err error) {
	rows, err := tx.forgetLoose(ctx, partnerID, []string{name})
	return rows == 1, err
}

// LoosePictures lists the pictures of a partner that are due to be deleted.
func (tx *Tx) LoosePictures(ctx context.Context, partnerID string, now time.Time, limit int) (pictures []string, err error) {
	return tx.ids(ctx, "SELECT name FROM loose_pictures WHERE partner_id = $1 AND due_at <= $2 ORDER BY name LIMIT $3", partnerID, now, limit)
}

// ForgetPictures forgets pictures that are deleted.
func (tx *Tx) ForgetPictures(ctx context.Context, partnerID string, pictures []string) error {
	_, err := tx.forgetLoose(ctx, partnerID, pictures)
	return err
}

func (tx *Tx) forgetLoose(ctx context.Context, partnerID string, pictures []string) (rows int64, err error) {
	return tx.conn.apply(ctx, forgetLoose, len(pictures), func(i int, b binder) {
		b.text(partnerID)
		b.text(pictures[i])
	})
}
