package order

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
)

// CreateByDesk creates an order for a partner who has asked the desk for it. The price, the stock and the limits
// are those of the partner, and so is the record; the order keeps which operator created it. Besides what Create
// refuses, it refuses with not_found, and with forbidden for a partner that is suspended or awaits approval.
func (s *Service) CreateByDesk(ctx context.Context, r idempotency.Request, wanted Wanted) (Answer, error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), audit.ActionOrderCreated)
	if err != nil {
		return Answer{}, err
	}
	return s.settleOnce(ctx, r.Key, s.creationByDesk(ctx, r, &wanted, entry))
}

// creationByDesk returns the command that creates an order for a partner, or that refuses to. entry is the
// beginning of the entry in the audit log.
func (s *Service) creationByDesk(
	ctx context.Context, r idempotency.Request, wanted *Wanted, entry *audit.Entry,
) command {
	if err := s.config.Admits(ctx, r.PartnerID); err != nil {
		return &refuseCommand{kind: CommandCreate, request: r, refusal: err}
	}
	cmd := s.creation(ctx, r, wanted)
	if create, admitted := cmd.(*createCommand); admitted {
		create.order.Course.CreatedBy = entry.OperatorID
		create.audit = entry
	}
	return cmd
}

// auditCreation completes the entry of an order by the desk in the audit log; nil is none.
func auditCreation(c *Changes, begun *audit.Entry, created *delivery.Order) {
	if begun == nil {
		return
	}
	entry := *begun
	entry.PartnerID, entry.ObjectID, entry.After = created.PartnerID, created.OrderID, factsOf(created, nil)
	c.Audit = append(c.Audit, &entry)
}
