package money

import (
	"iter"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/pricing"
)

// Bookkeeper decides which acts are charged, and how.
type Bookkeeper struct {
	Books Books
	Zone  *time.Location // of the service, whose months statements are of
	// Clock returns the time zone of a province.
	Clock func(province string) *time.Location
}

// Moved returns the entry of a move, from the order before it to the order after it, whose
// histories must be complete; nil if the move costs nothing. The caller completes the entry
// by its id, the time of its recording, and who acted.
//
// The price of an order falls due once: when it is delivered, or cancelled after its pickup.
// Both states are final. Each move to out_for_delivery begins an attempt.
func (b *Bookkeeper) Moved(before, after *delivery.Order, additions pricing.Additions) *Entry {
	at, leg := after.LastMove().At, legOf(after)
	switch after.Status {
	case delivery.StatusDelivered:
		return b.charge(after, ActDelivery, at, leg, after.RateCents)
	case delivery.StatusCancelled:
		if after.WasPickedUp() {
			return b.charge(after, ActDelivery, at, leg, after.RateCents)
		}
		if slices.Contains(late, before.Status) {
			return b.add(after, ActLateCancellation, at, leg, additions.LateCancellationCents)
		}
	case delivery.StatusOutForDelivery:
		if attempts(after) > 1 {
			return b.add(after, ActAttempt, at, leg, additions.AttemptCents)
		}
	default: // costs nothing
	}
	return nil
}

// Returned returns the entry of the receipt of goods that were brought back at a time; nil if that costs
// nothing. A return order is paid for by its price.
func (b *Bookkeeper) Returned(o *delivery.Order, at time.Time, additions pricing.Additions) *Entry {
	if o.Course.Origin != nil {
		return nil
	}
	leg := legOf(o)
	return b.add(o, ActReturn, at, Leg{From: leg.To, To: leg.From}, additions.ReturnCents)
}

// late lists the states from which a cancellation before the pickup is a late one.
var late = []delivery.Status{delivery.StatusCourierAssigned, delivery.StatusFailed}

func legOf(o *delivery.Order) Leg {
	return Leg{From: o.Pickup.Address.Province, To: o.Dropoff.Address.Province}
}

func attempts(o *delivery.Order) (count int) {
	for _, entry := range o.History {
		if entry.Status == delivery.StatusOutForDelivery {
			count++
		}
	}
	return count
}

// add charges an addition, unless it is 0.
func (b *Bookkeeper) add(o *delivery.Order, act Act, at time.Time, leg Leg, cents int64) *Entry {
	if cents == 0 {
		return nil
	}
	return b.charge(o, act, at, leg, cents)
}

// charge charges an amount before taxes for an act at a time. The rates of taxes are those of
// the day at the end of the leg.
func (b *Bookkeeper) charge(o *delivery.Order, act Act, at time.Time, leg Leg, cents int64) *Entry {
	if b.Books.From == 0 || delivery.IsTest(o.PartnerID) {
		return nil
	}
	day := date.Of(at, b.Zone)
	if day < b.Books.From {
		return nil
	}
	return &Entry{
		PartnerID: o.PartnerID, Day: day, At: at, Act: act, OrderID: o.OrderID, PartnerOrderID: o.PartnerOrderID,
		Lines: charged(cents, o.Currency, func(yield func(Account, int64) bool) {
			for _, tax := range TaxesOf(leg, date.Of(at, b.Clock(leg.To)), b.Books.Numbers) {
				if !yield(tax.Account, tax.On(cents)) {
					return
				}
			}
		}),
	}
}

// charged returns the lines of a charge with its taxes, by account.
func charged(cents int64, currency delivery.Currency, taxes iter.Seq2[Account, int64]) []Line {
	lines := []Line{
		{Account: Charges, Currency: currency, Cents: cents}, {Account: Revenue, Currency: currency, Cents: -cents},
	}
	for account, tax := range taxes {
		if tax != 0 {
			lines[0].Cents += tax
			lines = append(lines, Line{Account: account, Currency: currency, Cents: -tax})
		}
	}
	return lines
}
