package order

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/record"
)

// Confirmation confirms the edits of an order up to a version.
type Confirmation struct {
	form.Faults           // which come after the answer to an equal request
	Version     int64     // the version that the courier has seen
	OccurredAt  time.Time // when it was seen; zero if now
	// By is the courier who confirms, which is limited to that courier's orders; empty for the
	// dispatch desk, which has spoken with the courier.
	By string
}

// ReadConfirmation returns the reader of confirmations by a courier; empty for the dispatch desk.
func (s *Service) ReadConfirmation(by string) func(*form.Form) Confirmation {
	return func(f *form.Form) Confirmation {
		c := Confirmation{By: by}
		c.Version, _ = f.Integer("version", form.Required, 1, maxVersion)
		c.OccurredAt = s.readOccurred(f)
		return c
	}
}

// Confirm notes that a courier knows the edits of an order up to a version. Those that are
// confirmed already stay as they are, so that a repetition changes nothing. A confirmation
// overtakes nothing and is never too late: the courier has seen what there was to see.
//
// r is the request, if it came with an Idempotency-Key; otherwise nil.
func (s *Service) Confirm(
	ctx context.Context, r *idempotency.Request, orderID string, wanted Confirmation,
) (Answer, error) {
	partnerID, ok := delivery.PartnerOfLiveOrder(orderID)
	if !ok {
		return Answer{}, refusal.NotFound("order")
	}
	r = r.Of(partnerID)
	err := wanted.Problems().Err()
	if err != nil && r != nil {
		return s.settleOnce(ctx, r.Key, &refuseCommand{kind: CommandConfirm, request: *r, refusal: err})
	}
	if err != nil {
		return Answer{}, err
	}
	cmd := &confirmCommand{
		target: OrderKey{partnerID, orderID}, version: wanted.Version, carrier: wanted.By, at: s.now(),
		occurredAt: wanted.OccurredAt, encode: record.EncodeForOperators, request: r,
	}
	if cmd.audit, err = audit.NewEntry(ctx, s.config.Random, cmd.at, audit.ActionOrderConfirmed); err != nil {
		return Answer{}, err
	}
	cmd.operatorID = cmd.audit.OperatorID
	if r == nil {
		return s.settle(ctx, cmd)
	}
	return s.settleOnce(ctx, r.Key, cmd)
}
