package retention

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
)

// Preview is what an erasure would erase, as of now.
type Preview struct {
	Orders []Selected // of the partner, not of its test account
	Tests  int        // test orders
	// orders that cannot be read, and may be the recipient's: nothing is erased as long as there are any
	Damaged []string
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
	c, err := s.chooseAll(ctx, partnerID, selection)
	if err != nil {
		return nil, err
	}
	return c.preview(), nil
}

// preview returns what was chosen, for people.
func (c choice) preview() *Preview {
	return &Preview{Orders: c.live.selected, Tests: len(c.tests.targets), Damaged: slices.Concat(c.live.damaged,
		c.tests.damaged)}
}
