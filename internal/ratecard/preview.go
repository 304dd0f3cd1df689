package ratecard

import (
	"context"
	"errors"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/pricing"
)

// PreviewRequest is a request for the price of a shipment by another card.
type PreviewRequest struct {
	Card   *pricing.Card // the proposed card; nil if CardID names it
	CardID string
	// OrderID names an existing order, whose shipment is priced. If it is empty,
	// Shipment is.
	OrderID  string
	Shipment delivery.Shipment
	// PartnerID names the partner whose current card is compared with. If it is
	// empty, it is the partner of the order, or the default series.
	PartnerID string
}

// ReadPreview reads a request for a preview: a card or the id of one, and the id of an
// order or the members of a quote.
func ReadPreview(f *form.Form) (r PreviewRequest) {
	f.Only("card", "card_id", "order_id", "quote", "partner_id")
	r.CardID = f.Text("card_id", form.Optional, idRule)
	r.OrderID = f.Text("order_id", form.Optional, idRule)
	r.PartnerID = f.Text("partner_id", form.Optional, idRule)
	if either(f, "card", "card_id") {
		if card := f.Object("card", form.Optional); card != nil {
			r.Card = pricing.ReadCard(card, form.Optional)
		}
	}
	if either(f, "quote", "order_id") {
		r.Shipment = delivery.ReadPriced(f.Object("quote", form.Optional))
	}
	if r.OrderID != "" && f.Has("partner_id") {
		f.Fault("partner_id", partnerOfOrder)
	}
	return r
}

// Proposed returns the proposed card of a preview, or a validation error if there is none
// with its id.
func (s *Service) Proposed(ctx context.Context, r PreviewRequest) (*pricing.Card, error) {
	if r.CardID == "" {
		return r.Card, nil
	}
	found, err := s.Get(ctx, r.CardID)
	if refusal.HasCode(err, refusal.CodeNotFound) {
		return nil, form.Fault("card_id", r.CardID, knownCard)
	}
	if err != nil {
		return nil, err
	}
	return s.cardOf(found.Entry)
}

var (
	idRule = form.Length(1, 255)

	partnerOfOrder = form.Define("partner_of_order", "no value together with order_id, which determines the partner")
	knownCard      = form.Define("known_card", "a rate card that exists")
	notBoth        = form.Define("not_both", "no value together with {other}")
	oneOfBoth      = form.Define("one_of_both", "a value here or in {other}")
)

// either reports whether exactly one of two members is present, and adds a fault
// to the form if not.
func either(f *form.Form, one, other string) bool {
	if f == nil {
		return false
	}
	switch {
	case f.Has(one) && f.Has(other):
		f.Fault(other, notBoth.With("other", one))
	case !f.Has(one) && !f.Has(other):
		f.Fault(one, oneOfBoth.With("other", other))
	default:
		return true
	}
	return false
}

// Preview is what a shipment costs by two cards, as of now. A price is nil if the
// card does not offer the service level in the shipment's zone.
type Preview struct {
	Current, Proposed *pricing.Price
}

// Compare prices a shipment by the card that is in force for a series, and by a
// proposed one.
func (s *Service) Compare(
	ctx context.Context, name string, proposed *pricing.Card, shipment delivery.Shipment,
) (p Preview, err error) {
	now := s.now()
	current, err := s.At(ctx, name, now)
	if err != nil {
		return p, err
	}
	if p.Current, err = s.price(current, shipment, now); err != nil {
		return p, err
	}
	p.Proposed, err = s.price(proposed, shipment, now)
	return p, err
}

func (s *Service) price(card *pricing.Card, shipment delivery.Shipment, now time.Time) (*pricing.Price, error) {
	found, err := card.Price(s.config.Calendar, shipment, now)
	var refused *refusal.Error
	if errors.As(err, &refused) {
		return nil, nil // the level is not offered in the zone
	}
	return &found, err
}
