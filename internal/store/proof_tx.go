package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/proof"
)

// Proofs is the store as the proof room sees it.
func (s *Store) Proofs() proof.Records {
	return view[proof.RecordReader, proof.RecordWriter]{s.Database,
		func(c db.Conn) proof.RecordReader { return proofTx{auditing{c}} },
		func(c db.Conn) proof.RecordWriter { return proofTx{auditing{c}} }}
}

// proofTx is a transaction of the proof room.
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
