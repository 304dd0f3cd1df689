package order

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/pricing"
)

// charged is what the charge for an act depends on besides the order.
type charged struct {
	maybe     bool // the act can cost something
	additions pricing.Additions
	actorID   string // who acts; empty for what the service does by itself
}

// charged returns what the charge for an act depends on that happens to an order of a partner at a time. Test
// orders cost nothing. A rate card that cannot be read keeps no courier from delivering: then nothing is charged
// besides the price, which the order has.
func (s *Service) charged(ctx context.Context, partnerID string, at time.Time) charged {
	if delivery.IsTest(partnerID) {
		return charged{}
	}
	c := charged{maybe: true, actorID: audit.OperationOf(ctx).OperatorID}
	if card, err := s.config.Card(ctx, partnerID, at); err == nil {
		c.additions = card.Additions
	}
	return c
}

// costly reports whether a move to a status can cost something.
func costly(to delivery.Status) bool {
	switch to {
	case delivery.StatusDelivered, delivery.StatusCancelled, delivery.StatusOutForDelivery:
		return true
	default:
		return false
	}
}

// charges reports whether the changes have the charge for the delivery of an order.
func (c *Changes) charges(key OrderKey) bool {
	return slices.ContainsFunc(c.Entries, func(e *money.Entry) bool {
		return e.Act == money.ActDelivery && e.PartnerID == key.PartnerID && e.OrderID == key.OrderID
	})
}

// record adds an entry to the journal; nil is none. The entry of an act has the id of the act's event, and one of what
// was collected the next id.
func (c *Changes) record(entry *money.Entry, by charged, entryID string, at time.Time) {
	if entry == nil {
		return
	}
	entry.EntryID, entry.RecordedAt, entry.ActorID = entryID, at, by.actorID
	c.Entries = append(c.Entries, entry)
}
