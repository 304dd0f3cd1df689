package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/proof"
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

// loosePicture is a picture that belongs to no proof.
type loosePicture struct {
	partnerID, name string
	dueAt           time.Time // to be deleted; zero for immediately
}

var (
	byPicture = db.Key(
		db.Text("partner_id", func(p *loosePicture) *string { return &p.partnerID }),
		db.Text("name", func(p *loosePicture) *string { return &p.name }))
	loosePictures = db.NewTable("loose_pictures", byPicture,
		db.Moment("due_at", func(p *loosePicture) *time.Time { return &p.dueAt }))
	addLoose    = loosePictures.Upsert()
	forgetLoose = db.DeleteFrom(loosePictures, byPicture)
)

// duePictures lists pictures of a partner that are due to be deleted, by name.
func duePictures(ctx context.Context, c db.Conn, partnerID string, now time.Time, limit int) ([]string, error) {
	return db.IDs(ctx, c, "SELECT name FROM loose_pictures WHERE partner_id = $1 AND due_at <= $2 ORDER BY name LIMIT $3",
		partnerID, now, limit)
}

// forgetPictures removes pictures from the list, and returns how many were on
// it.
func forgetPictures(ctx context.Context, c db.Conn, partnerID string, names ...string) (int64, error) {
	pictures := make([]*loosePicture, len(names))
	for i, name := range names {
		pictures[i] = &loosePicture{partnerID: partnerID, name: name}
	}
	return db.WriteNow(ctx, c, forgetLoose, pictures...)
}

// Proofs is the store as package proof sees it.
func (s *Store) Proofs() proof.Records {
	return view[proof.RecordReader, proof.RecordWriter]{s.Database,
		func(c db.Conn) proof.RecordReader { return proofTx{auditing{c}} },
		func(c db.Conn) proof.RecordWriter { return proofTx{auditing{c}} }}
}

// proofTx is a transaction of package proof.
type proofTx struct{ auditing }

// Order returns one order with its history; nil if there is none.
func (tx proofTx) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	return orderTx{conn: tx.conn}.Order(ctx, partnerID, orderID)
}

// LockOrder returns one order with its history, locked until the transaction
// ends; nil if there is none.
func (tx proofTx) LockOrder(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	return orderByKey(ctx, tx.conn, lockOrders, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
}

// Proofs lists the proofs of an order, oldest first.
func (tx proofTx) Proofs(ctx context.Context, partnerID, orderID string) ([]*delivery.Proof, error) {
	return proofsOf(ctx, tx.conn, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
}

// AddProof adds a proof to an order.
func (tx proofTx) AddProof(ctx context.Context, added *delivery.Proof) error {
	return db.WriteAllNow(ctx, tx.conn, addProofs, added)
}

// AddLoosePicture puts a picture on the list of those that belong to no proof,
// to be deleted when it is due.
func (tx proofTx) AddLoosePicture(ctx context.Context, partnerID, name string, due time.Time) error {
	_, err := db.WriteNow(ctx, tx.conn, addLoose, &loosePicture{partnerID, name, due})
	return err
}

// TakeLoosePicture takes a picture off that list. It is false if the picture is
// not on it.
func (tx proofTx) TakeLoosePicture(ctx context.Context, partnerID, name string) (taken bool, err error) {
	rows, err := forgetPictures(ctx, tx.conn, partnerID, name)
	return rows == 1, err
}
