package proof

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Records runs functions on the orders and their proofs: on a consistent view, or
// in a transaction.
type Records interface {
	Read(ctx context.Context, fn func(RecordReader) error) error
	// ReadOnce is Read for an fn that calls Proofs once, and nothing else.
	ReadOnce(ctx context.Context, fn func(RecordReader) error) error
	Write(ctx context.Context, fn func(RecordWriter) error) error
}

// RecordReader reads orders and their proofs.
type RecordReader interface {
	// Order returns an order with its history, or nil if there is none.
	Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	// Proofs lists the proofs of an order, oldest first.
	Proofs(ctx context.Context, partnerID, orderID string) ([]*delivery.Proof, error)
}

// RecordWriter adds proofs.
type RecordWriter interface {
	RecordReader
	// LockOrder returns an order with its history, or nil, and locks it until the
	// transaction ends.
	LockOrder(ctx context.Context, partnerID, orderID string) (*delivery.Order, error)
	AddProof(ctx context.Context, proof *delivery.Proof) error
	// AddLoosePicture lists a picture as one that belongs to no proof, to be deleted
	// when it is due.
	AddLoosePicture(ctx context.Context, partnerID, name string, due time.Time) error
	// TakeLoosePicture removes a picture from that list. It is false if the picture
	// is not on it, and so may have been deleted.
	TakeLoosePicture(ctx context.Context, partnerID, name string) (taken bool, err error)
	// AddAudit adds entries to the audit log.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

const (
	// MaxProofs is the greatest number of proofs of an order.
	MaxProofs = 10
	// courierMayAdd is how long after the delivery its courier may add a proof. The
	// phone may have had no network for a shift.
	courierMayAdd = 24 * time.Hour
	// looseFor is after what time a picture without a proof may be deleted. It is
	// much longer than a request.
	looseFor = time.Hour
	// discardTimeout is how long deleting such a picture immediately may take.
	discardTimeout = 5 * time.Second
)

// Upload is a request to add a proof to an order.
type Upload struct {
	OrderID string
	Kind    delivery.ProofKind
	Data    []byte // the file, as sent
	// CourierID limits the request to orders of one courier; empty means no limit.
	CourierID string
	// OccurredAt is when the picture was taken; zero if that is now.
	OccurredAt time.Time
}

// Add stores a picture as a proof of an order. It reports whether the same file
// had been added before: it is one proof of the order, however often it is sent.
// The error is not_found, a conflict if the order's status or number of proofs
// does not permit another one, or says what is wrong with the picture. Then
// nothing is stored.
//
// The picture is stored before the row that names it, so that every row names a
// picture. Before that, the picture is listed as loose, and it is taken off that
// list in the transaction that writes the row. So even after a crash the picture
// has a row, or is deleted within two hours (package retention).
func (s *Service) Add(ctx context.Context, upload Upload) (added *delivery.Proof, repeated bool, err error) {
	partnerID, ok := delivery.PartnerOfOrder(upload.OrderID)
	if !ok {
		return nil, false, errNoOrder
	}
	if err := picture.CheckSize(upload.Data); err != nil {
		return nil, false, err
	}
	proof := &delivery.Proof{
		PartnerID: partnerID, OrderID: upload.OrderID, Kind: upload.Kind,
		Digest: sha256.Sum256(upload.Data), OperatorID: audit.OperationOf(ctx).OperatorID,
	}
	earlier, err := s.earlier(ctx, proof, upload)
	if err != nil || earlier != nil {
		return earlier, earlier != nil, err
	}
	proof.Name, err = s.Keep(ctx, cmp.Or(proof.OperatorID, partnerID), upload.Data, func(name string) error {
		return s.config.Records.Write(ctx, func(tx RecordWriter) error {
			return tx.AddLoosePicture(ctx, partnerID, name, timestamp.Truncate(s.config.Now().Add(looseFor)))
		})
	})
	if err != nil {
		return nil, false, err // the picture, if it was stored, is listed as loose
	}
	earlier, err = s.record(ctx, proof, upload)
	if err != nil || earlier != nil {
		s.discard(ctx, proof, err)
	}
	if err != nil {
		return nil, false, err
	}
	return cmp.Or(earlier, proof), earlier != nil, nil
}

var (
	errNoOrder = refusal.NotFound("order")
	errTooLate = refusal.New(refusal.CodeUnavailable,
		"the picture was deleted before its proof was recorded: send it again")
)

// earlier returns the proof of the order that has the same file, or nil, and an
// error if the order does not permit another proof. It saves cleaning the picture
// in both cases.
func (s *Service) earlier(
	ctx context.Context, proof *delivery.Proof, upload Upload,
) (found *delivery.Proof, err error) {
	err = s.config.Records.Read(ctx, func(tx RecordReader) error {
		order, err := tx.Order(ctx, proof.PartnerID, proof.OrderID)
		if err == nil {
			found, err = s.admit(ctx, tx, order, proof, upload)
		}
		return err
	})
	return found, s.explained(ctx, err)
}

// explained adds the operator who moved the order last to the refusal of a proof that
// is older.
func (s *Service) explained(ctx context.Context, err error) error {
	var late *lateError
	if errors.As(err, &late) {
		return s.config.TooLate(ctx, late.order)
	}
	return err
}

// lateError means that the order was moved after the picture had been taken.
type lateError struct{ order *delivery.Order }

func (*lateError) Error() string { return "the order was moved after the picture had been taken" }

// record writes the row of a stored picture, unless another request has added the
// same file meanwhile; then it returns that proof. The order is locked, as it is
// when its status changes. So a file has one row, and the event of the delivery
// includes every proof that was added before it.
func (s *Service) record(
	ctx context.Context, proof *delivery.Proof, upload Upload,
) (earlier *delivery.Proof, err error) {
	proof.RecordedAt = timestamp.Truncate(s.config.Now())
	if proof.At = upload.OccurredAt; proof.At.IsZero() {
		proof.At = proof.RecordedAt
	}
	if proof.ProofID, err = identifier.NewUUID(s.config.Random, proof.RecordedAt); err != nil {
		return nil, err
	}
	// The name, which gives access to the picture, is not in the entry, because the
	// audit log is not erased.
	entry, err := audit.NewEntry(ctx, s.config.Random, proof.RecordedAt, audit.ActionProofAdded)
	if err != nil {
		return nil, err
	}
	entry.PartnerID, entry.ObjectID, entry.After = proof.PartnerID, proof.OrderID, proofFacts{proof.ProofID, proof.Kind}
	err = s.config.Records.Write(ctx, func(tx RecordWriter) error {
		order, err := tx.LockOrder(ctx, proof.PartnerID, proof.OrderID)
		if err != nil {
			return err
		}
		earlier, err = s.admit(ctx, tx, order, proof, upload)
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
		// The transaction was repeated because the answer to its commit was lost, and
		// has found its own row.
		earlier = nil
	}
	return earlier, s.explained(ctx, err)
}

// proofFacts is what the audit log holds of a proof.
type proofFacts struct {
	ProofID string             `json:"proof_id"`
	Kind    delivery.ProofKind `json:"kind"`
}

// admit returns the proof of the order that has the same file, or nil if the proof
// may be added. To a courier, an order of another courier is not_found.
func (s *Service) admit(
	ctx context.Context, tx RecordReader, order *delivery.Order, proof *delivery.Proof, upload Upload,
) (*delivery.Proof, error) {
	if order == nil || upload.CourierID != "" && !order.CarriedBy(upload.CourierID) {
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
	case !slices.Contains(delivery.CourierStatuses, order.Status) && !order.InHands():
		return nil,
			refusal.New(refusal.CodeConflict, fmt.Sprintf("proofs cannot be added to an order in status %s", order.Status))
	case upload.CourierID != "" && order.Status == delivery.StatusDelivered &&
		s.config.Now().Sub(recordedAt(order)) > courierMayAdd:
		return nil, refusal.New(refusal.CodeConflict,
			"the order was delivered more than a day ago: only the dispatch desk can add a proof now")
	case len(proofs) >= MaxProofs:
		return nil,
			refusal.New(refusal.CodeConflict, fmt.Sprintf("the order has %d proofs, and may not have more", len(proofs)))
	case !upload.OccurredAt.IsZero() && upload.OccurredAt.Before(order.UpdatedAt):
		return nil, &lateError{order}
	}
	return nil, nil
}

// recordedAt returns when the latest move of an order was recorded.
func recordedAt(order *delivery.Order) time.Time {
	return order.History[len(order.History)-1].RecordedAt
}

// discard deletes a picture that has no proof. After an error that is not a refusal
// it leaves the picture, because the row may have been written. A picture that it
// leaves or cannot delete is deleted when it is due.
func (s *Service) discard(ctx context.Context, proof *delivery.Proof, cause error) {
	var refused *refusal.Error
	if cause != nil && !errors.As(cause, &refused) {
		return
	}
	// the request may have ended
	ctx, cancel := context.WithTimeout(actor.Without(context.WithoutCancel(ctx)), discardTimeout)
	defer cancel()
	err := s.Delete(ctx, proof.Name)
	if err == nil {
		err = s.config.Records.Write(ctx, func(tx RecordWriter) error {
			_, err := tx.TakeLoosePicture(ctx, proof.PartnerID, proof.Name)
			return err
		})
	}
	if err != nil {
		s.config.Log.WarnContext(ctx, "cannot delete a picture without a proof now; it is deleted later", "name", proof.Name,
			"error", err)
	}
}
