package stock

import (
	"context"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
)

// Request is a request about a partner's stock that has a result R.
type Request[R any] struct {
	PartnerID string
	Keyed     *idempotency.Request // nil if it came without a key
	// Encode writes the answer, as it is kept.
	Encode func(R) ([]byte, error)
}

// once carries out what a request asks for, unless an equal one was before, in a transaction
// that keeps its answer. In it the caller has locked the partner's counters, so that of two at
// once the second finds the first.
func (r Request[R]) once(ctx context.Context, s *Service, tx Writer, do func() (R, error)) (idempotency.Answer, error) {
	if answer, found, err := r.Keyed.Find(ctx, tx); err != nil || found {
		return answer, err
	}
	result, err := do()
	if err != nil {
		return idempotency.Answer{}, err
	}
	body, err := r.Encode(result)
	if err == nil {
		err = r.Keyed.Keep(ctx, tx, body, s.now())
	}
	return idempotency.Answer{Body: body}, err
}

// book carries out once what a request asks for of some products. The faults of the request come
// after the answer to an equal one: the rules may have changed since.
func (r Request[R]) book(
	ctx context.Context, s *Service, faults form.Problems, productIDs []int64, do func(Writer, *movement.Stock) (R, error),
) (answer idempotency.Answer, err error) {
	refused := faults.Err()
	if refused != nil && r.Keyed == nil {
		return idempotency.Answer{}, refused
	}
	if len(productIDs) == 0 {
		productIDs = []int64{0} // only locks the partner
	}
	err = s.write(ctx, func(tx Writer) error {
		locked, err := tx.LockStock(ctx, r.PartnerID, productIDs...)
		if err == nil && locked == nil {
			err = errNoPartner
		}
		if err != nil {
			return err
		}
		answer, err = r.once(ctx, s, tx, func() (result R, err error) {
			if refused != nil {
				return result, refused
			}
			return do(tx, locked)
		})
		return err
	})
	return answer, err
}
