package order

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/record"
)

// Pick records what the warehouse has picked for an order, and that the order is packed. A line that finds
// fewer units than are left to pick is short, and needs attention until a later pick completes it. Stock
// does not change: the order's creation has taken its items out.
//
// The answer is what is left to pick, without the recipient. r is the request, if it came with an
// Idempotency-Key; otherwise nil.
func (s *Service) Pick(
	ctx context.Context, r *idempotency.Request, orderID string, pick delivery.Pick,
) (Answer, error) {
	return s.settleGoods(ctx, r, orderID, CommandPick, func(r *idempotency.Request) (command, func(), error) {
		if err := pick.Problems().Err(); err != nil {
			return nil, nil, err
		}
		partnerID, ok := delivery.PartnerOfLiveOrder(orderID)
		if !ok { // the warehouse has no goods of test accounts
			return nil, nil, refusal.NotFound("order")
		}
		cmd := &pickCommand{
			target: OrderKey{partnerID, orderID}, location: pick.Location, lines: delivery.AddedUp(pick.Lines),
			sent: pick.Lines, packed: pick.Packed, encode: record.EncodePick, request: r,
		}
		var err error
		cmd.at, _, cmd.audit, err = s.begin(ctx, audit.ActionOrderPicked)
		return cmd, func() {}, err
	})
}
