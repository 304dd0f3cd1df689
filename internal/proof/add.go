package proof

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Records is where it is written which proofs an order has.
type Records interface {
	Read(ctx context.Context, fn func(RecordReader) error) error
	Write(ctx context.Context, fn func(RecordWriter) error) error
}

// RecordReader reads what a proof is added by. What does not exist is nil.
type RecordReader interface {
	// Order is one order with its history.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// Proofs lists the proofs of an order, oldest first.
	Proofs(ctx context.Context, partnerID, orderID string) ([]*delivery.Proof, error)
}

// RecordWriter adds proofs.
type RecordWriter interface {
	RecordReader
	// LockOrder returns one order with its history, locked until the transaction
	// ends.
	LockOrder(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	AddProof(ctx context.Context, proof *delivery.Proof) error
	// AddLoosePicture notes that a picture belongs to no proof, and is to be deleted
	// when it is due.
	AddLoosePicture(ctx context.Context, partnerID, name string, due time.Time) error
	// TakeLoosePicture takes that back. It is false if the picture is not noted, and
	// so may be deleted by now.
	TakeLoosePicture(ctx context.Context, partnerID, name string) (taken bool, err error)
	// AddAudit writes what was changed by whom.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

const (
	// MaxProofs is how many proofs an order may have.
	MaxProofs = 10
	// courierMayAdd is how long after the delivery its courier may add a proof: a
	// phone may have been without a network for a shift.
	courierMayAdd = 24 * time.Hour
	// looseFor is how long a picture may stay that was sent and has not become part
	// of a proof: much longer than a request lasts.
	looseFor = time.Hour
	// tidying is how long it may take to delete such a picture at once.
	tidying = 5 * time.Second
)

// Upload is the wish to add a proof to an order.
type Upload struct {
	OrderID string
	Kind    delivery.ProofKind
	Data    []byte // the file, as it was sent
	// CourierID is the courier who sends it, and for whom no other courier's
	// orders exist; empty for the dispatch desk.
	CourierID string
}

// Add keeps a picture as a proof of an order, and tells whether it had been
// added before: the same file is one proof of an order, however often it is
// sent. It is not_found, a conflict if the order's state or number of proofs
// takes none, or says what is wrong with the picture; then nothing is kept.
//
// The picture is kept before the row that names it, so that no row ever names
// nothing. Before that it is noted as loose, and taken off that list in the
// transaction that writes the row: whatever happens in between, a crash too, the
// picture has a row or is deleted within two hours (package retention).
func (s *Service) Add(ctx context.Context, upload Upload) (added *delivery.Proof, again bool, err error) {
	partnerID, ok := delivery.PartnerOfOrder(upload.OrderID)
	if !ok {
		return nil, false, errNoOrder
	}
	if err := checkSize(upload.Data); err != nil {
		return nil, false, err
	}
	proof := &delivery.Proof{
		PartnerID: partnerID, OrderID: upload.OrderID, Kind: upload.Kind,
		Digest: sha256.Sum256(upload.Data), OperatorID: audit.OperationOf(ctx).OperatorID,
	}
	earlier, err := s.earlier(ctx, proof, upload.CourierID)
	if err != nil || earlier != nil {
		return earlier, earlier != nil, err
	}
	proof.Name, err = s.Keep(ctx, upload.Data, func(name string) error {
		return s.Records.Write(ctx, func(tx RecordWriter) error {
			return tx.AddLoosePicture(ctx, partnerID, name, timestamp.Truncate(s.Now().Add(looseFor)))
		})
	})
	if err != nil {
		return nil, false, err // what may have been kept all the same is on the list
	}
	earlier, err = s.record(ctx, proof, upload.CourierID)
	if err != nil || earlier != nil {
		s.tidy(ctx, proof, err)
	}
	if err != nil {
		return nil, false, err
	}
	return cmp.Or(earlier, proof), earlier != nil, nil
}

var (
	errNoOrder = refusal.NotFound("order")
	errTooLate = refusal.New(refusal.CodeUnavailable, "the picture was kept for too long without its proof: send it again")
)

// earlier looks, before the work of cleaning, for the same file among the order's
// proofs, and for what keeps the order from taking one.
func (s *Service) earlier(ctx context.Context, proof *delivery.Proof, courierID string) (found *delivery.Proof, err error) {
	err = s.Records.Read(ctx, func(tx RecordReader) error {
		order, err := tx.Order(ctx, proof.PartnerID, proof.OrderID)
		if err == nil {
			found, err = s.admit(ctx, tx, order, proof, courierID)
		}
		return err
	})
	return found, err
}

// record writes the row of a picture that is kept, unless the same file has come
// in another request meanwhile. The order is locked, as it is when it moves: it
// gets no two rows of one file, and whatever proof is there before its delivery is
// told with that.
func (s *Service) record(ctx context.Context, proof *delivery.Proof, courierID string) (earlier *delivery.Proof, err error) {
	proof.At = timestamp.Truncate(s.Now())
	if proof.ProofID, err = identifier.NewUUID(s.Random, proof.At); err != nil {
		return nil, err
	}
	// The name is as good as the picture, and the audit log is not erased.
	entry, err := audit.NewEntry(ctx, s.Random, proof.At, audit.ActionProofAdded)
	if err != nil {
		return nil, err
	}
	entry.PartnerID, entry.ObjectID, entry.After = proof.PartnerID, proof.OrderID, proofFacts{proof.ProofID, proof.Kind}
	err = s.Records.Write(ctx, func(tx RecordWriter) error {
		order, err := tx.LockOrder(ctx, proof.PartnerID, proof.OrderID)
		if err != nil {
			return err
		}
		earlier, err = s.admit(ctx, tx, order, proof, courierID)
		if err != nil || earlier != nil {
			return err
		}
		taken, err := tx.TakeLoosePicture(ctx, proof.PartnerID, proof.Name)
		if err == nil && !taken {
			err = errTooLate
		}
		if err != nil {
			return err
		}
		if err := tx.AddProof(ctx, proof); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
	if earlier != nil && earlier.Name == proof.Name {
		// The transaction was repeated because its answer got lost, and finds what
		// it had committed.
		earlier = nil
	}
	return earlier, err
}

// proofFacts are what the audit log tells of a proof.
type proofFacts struct {
	ProofID string             `json:"proof_id"`
	Kind    delivery.ProofKind `json:"kind"`
}

// admit finds the same file among the proofs of an order; nil if it is new and
// may be added. An order that is another courier's is one that does not exist.
func (s *Service) admit(ctx context.Context, tx RecordReader, order *delivery.Order, proof *delivery.Proof, courierID string) (*delivery.Proof, error) {
	if order == nil || courierID != "" && !order.CarriedBy(courierID) {
		return nil, errNoOrder
	}
	proofs, err := tx.Proofs(ctx, proof.PartnerID, proof.OrderID)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(proofs, func(p *delivery.Proof) bool { return p.Digest == proof.Digest }); i >= 0 {
		return proofs[i], nil
	}
	switch {
	case !slices.Contains(delivery.CourierStatuses, order.Status):
		return nil, refusal.New(refusal.CodeConflict, fmt.Sprintf("an order that is %s takes no proofs", order.Status))
	case courierID != "" && order.Status == delivery.StatusDelivered && s.Now().Sub(order.UpdatedAt) > courierMayAdd:
		return nil, refusal.New(refusal.CodeConflict, "the order was delivered more than a day ago: the dispatch desk may add a proof")
	case len(proofs) >= MaxProofs:
		return nil, refusal.New(refusal.CodeConflict, fmt.Sprintf("an order has at most %d proofs", MaxProofs))
	}
	return nil, nil
}

// tidy deletes a picture that has become part of no proof, as far as that is known:
// after an error that is no refusal, the row may be there. What tidy leaves, and
// what it cannot delete now, is deleted when it is due.
func (s *Service) tidy(ctx context.Context, proof *delivery.Proof, cause error) {
	var refused *refusal.Error
	if cause != nil && !errors.As(cause, &refused) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), tidying) // the request may have ended
	defer cancel()
	err := s.Delete(ctx, proof.Name)
	if err == nil {
		err = s.Records.Write(ctx, func(tx RecordWriter) error {
			_, err := tx.TakeLoosePicture(ctx, proof.PartnerID, proof.Name)
			return err
		})
	}
	if err != nil {
		s.Log.WarnContext(ctx, "a picture that belongs to no proof is left for later", "name", proof.Name, "error", err)
	}
}
