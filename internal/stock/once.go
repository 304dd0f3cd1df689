package stock

import (
	"context"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/ledger"
)

// Request is a request that may come with an idempotency key.
type Request struct {
	idempotency.Request
	Keyed bool // false if the request came without a key; then nothing is kept
	// Encode writes the answer, as it is kept.
	Encode func(result any) ([]byte, error)
}

// Answer is what a request is answered with.
type Answer struct {
	Body     []byte
	Replayed bool // it is the original answer to an earlier, equal request
}

// RecordOnce is Record for a request that may be repeated: with its key, the
// movement is booked once.
func (s *Service) RecordOnce(ctx context.Context, r Request, wanted Booking) (Answer, error) {
	return s.once(ctx, r, wanted.Problems(), []int64{wanted.ProductID}, func(tx Writer, locked *ledger.Ledger) (any, error) {
		return s.record(ctx, tx, locked, wanted)
	})
}

// once carries out what a request asks for, unless an equal one was before; its
// answer is kept in the same transaction. The key is looked for under the lock
// of the partner's counters, so that of two at once the second finds the first,
// and before the refusal of its faults: the rules may have changed since.
func (s *Service) once(ctx context.Context, r Request, faults form.Problems, productIDs []int64, do func(Writer, *ledger.Ledger) (any, error)) (answer Answer, err error) {
	if err := faults.Err(); err != nil && !r.Keyed {
		return Answer{}, err
	}
	if len(productIDs) == 0 {
		productIDs = []int64{0} // only locks the partner
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		locked, err := tx.LockLedger(ctx, r.PartnerID, productIDs...)
		if err != nil {
			return err
		}
		if locked == nil {
			return errNoPartner
		}
		var found bool
		if answer, found, err = r.find(ctx, tx); err != nil || found {
			return err
		}
		if err := faults.Err(); err != nil {
			return err
		}
		result, err := do(tx, locked)
		if err != nil {
			return err
		}
		answer, err = s.keep(ctx, tx, r, result)
		return err
	})
	return answer, err
}

// keep writes the answer to a request, and keeps it if the request has a key.
func (s *Service) keep(ctx context.Context, tx Writer, r Request, result any) (Answer, error) {
	body, err := r.Encode(result)
	if err == nil && r.Keyed {
		err = tx.AddReceipt(ctx, &idempotency.Receipt{Key: r.Key, BodyHash: r.BodyHash(), Answer: body, CreatedAt: s.now()})
	}
	return Answer{Body: body}, err
}

// receipts are what is kept under idempotency keys.
type receipts interface {
	Receipt(ctx context.Context, key idempotency.Key) (*idempotency.Receipt, error)
}

// checkParts refuses an import whose key was used for one of several parts that did not
// come to its end.
func (r Request) checkParts(ctx context.Context, tx receipts) error {
	if !r.Keyed {
		return nil
	}
	receipt, err := tx.Receipt(ctx, partKey(r.Key, 0))
	if err == nil && receipt != nil {
		err = idempotency.ErrReused
	}
	return err
}

// find looks for the answer to an equal request.
func (r Request) find(ctx context.Context, tx receipts) (answer Answer, found bool, err error) {
	if !r.Keyed {
		return Answer{}, false, nil
	}
	receipt, err := tx.Receipt(ctx, r.Key)
	if err != nil || receipt == nil {
		return Answer{}, false, err
	}
	body, err := receipt.Replay(r.BodyHash())
	return Answer{Body: body, Replayed: true}, true, err
}
