package order

import (
	"context"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// EditPreview is what an edit would do to an order.
type EditPreview struct {
	Before, After *delivery.Order // the same if the edit would change nothing
	Record        []byte          // what the edit would answer
}

// Fields returns the paths of what the edit would change, in the order of a request's fields.
func (p *EditPreview) Fields() (fields []string) {
	for _, part := range delivery.EditedParts(&p.Before.OrderRequest, &p.After.OrderRequest) {
		fields = append(fields, part.Field)
	}
	return fields
}

// PreviewEdit returns what an edit would do to an order right now, and stores nothing. Its error
// is the one that the edit would end with. partnerID is the partner who edits; it does not matter
// to an edit by the service.
func (s *Service) PreviewEdit(ctx context.Context, partnerID, orderID string, e Edit) (EditPreview, error) {
	if e.By == delivery.EditorPartner && !ownedBy(partnerID, orderID) {
		return EditPreview{}, refusal.NotFound("order")
	}
	return decideAgain(func() (preview EditPreview, err error) {
		order, err := s.find(ctx, orderID)
		if err != nil {
			return EditPreview{}, err
		}
		cmd, err := s.editing(ctx, nil, order, &e)
		if err != nil {
			return EditPreview{}, err
		}
		err = s.config.Store.Read(ctx, func(tx Reader) error {
			commands := []command{cmd}
			state, err := tx.Peek(ctx, needsOf(commands))
			if err != nil {
				return err
			}
			preview.Before = state.Orders[cmd.target]
			outcomes, _ := decideGroup(s.config.zones(), state, commands)
			preview.After, preview.Record = state.Orders[cmd.target], outcomes[0].answer
			return outcomes[0].err
		})
		return preview, err
	})
}
