package money

import (
	"iter"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/pricing"
)

// Adjustment returns the entry of a correction of what a partner was charged, by an amount in cents CAD before taxes,
// which is below zero if too much was charged. What corrects a charge has its part of the taxes of that charge, so that
// taking all of it back leaves nothing; other corrections have none. The caller completes the entry.
func (b *Bookkeeper) Adjustment(partnerID string, cents int64, charge *Entry, at time.Time) *Entry {
	entry := &Entry{
		PartnerID: partnerID, Day: date.Of(at, b.Zone), At: at, RecordedAt: at, Act: ActAdjustment,
	}
	if charge != nil {
		entry.OrderID, entry.PartnerOrderID = charge.OrderID, charge.PartnerOrderID
	}
	entry.Lines = charged(cents, delivery.CAD, charge.partOfTaxes(cents))
	return entry
}

// taxAccounts are those of taxes.
var taxAccounts = []Account{TaxGST, TaxHST, TaxQST}

// partOfTaxes returns the taxes of a charge, in the part that an amount has of what was charged before taxes, each
// rounded half up; none of nil.
func (e *Entry) partOfTaxes(cents int64) iter.Seq2[Account, int64] {
	return func(yield func(Account, int64) bool) {
		if e == nil || e.On(Revenue, delivery.CAD) == 0 {
			return
		}
		net := -e.On(Revenue, delivery.CAD)
		for _, account := range taxAccounts {
			if !yield(account, portion(-e.On(account, delivery.CAD), cents, net)) {
				return
			}
		}
	}
}

// portion returns amount * part / whole, rounded half up, and as much below zero for a part below zero.
func portion(amount, part, whole int64) int64 {
	if part < 0 {
		return -portion(amount, -part, whole)
	}
	return pricing.MulDiv(amount, part, whole)
}

// Payment returns the entry of a payment by a partner, of an amount in cents CAD. The caller completes it.
func (b *Bookkeeper) Payment(partnerID string, cents int64, at time.Time) *Entry {
	return &Entry{
		PartnerID: partnerID, Day: date.Of(at, b.Zone), At: at, RecordedAt: at, Act: ActPayment,
		Lines: []Line{
			{Account: Charges, Currency: delivery.CAD, Cents: -cents}, {Account: Bank, Currency: delivery.CAD, Cents: cents},
		},
	}
}
