package retention

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
)

// Preview is what an erasure would erase, as of now.
type Preview struct {
	Orders  []Selected // of the partner, not of its test account
	Tests   int        // test orders
	Damaged []string   // orders that cannot be read, and may be the recipient's: nothing is erased as long as there are any
}

// Selected is an order that an erasure selects.
type Selected struct {
	OrderID, PartnerOrderID string
	Status                  delivery.Status
	CreatedAt               time.Time
}

// Count returns how many orders would be erased.
func (p *Preview) Count() int { return len(p.Orders) + p.Tests }

// UnderWay returns how many of the orders are under way: they are erased by force only.
func (p *Preview) UnderWay() (count int) {
	for _, one := range p.Orders {
		if board.IsOpen(one.Status) {
			count++
		}
	}
	return count
}

// Preview returns what Erase would erase. It refuses with not_found, and changes nothing.
func (s *Service) Preview(ctx context.Context, partnerID string, selection Selection) (*Preview, error) {
	if err := checkPartner(ctx, s.config.Store, partnerID); err != nil {
		return nil, err
	}
	live, err := s.choose(ctx, partnerID, selection)
	if err != nil {
		return nil, err
	}
	tests, err := s.choose(ctx, delivery.TestAccount(partnerID), Selection{Recipient: selection.Recipient})
	if err != nil {
		return nil, err
	}
	return &Preview{Orders: live.selected, Tests: len(tests.targets), Damaged: append(live.damaged, tests.damaged...)}, nil
}
