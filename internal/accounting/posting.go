package accounting

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
)

// maxPosted bounds what is posted by hand, in cents: what ten orders of the highest amount come to.
const maxPosted = 10 * delivery.MaxCents

var (
	onlyCAD       = form.OneOf(delivery.CAD)
	notZero       = form.Define("amount_not_zero", "an amount other than 0")
	chargedOrder  = form.Define("charged_order", "an order for which the partner was charged")
	postedNotes   = form.Length(1, 500)
	paymentsNotes = form.Length(0, 500)
)

// Adjustment is a correction of what a partner was charged.
type Adjustment struct {
	form.Faults
	Cents   int64  // CAD, before taxes; below zero if too much was charged
	OrderID string // the charge for whose delivery is corrected; empty for none
	Reason  string
}

// ReadAdjustment reads a correction.
func ReadAdjustment(f *form.Form) Adjustment {
	a := Adjustment{
		OrderID: f.Text("order_id", form.Optional, form.Length(1, 255)),
		Reason:  f.Text("reason", form.Required, postedNotes),
	}
	cents, sent := f.Integer("amount_cents", form.Required, -maxPosted, maxPosted)
	if a.Cents = cents; sent && cents == 0 {
		f.Fault("amount_cents", notZero)
	}
	readOnlyCAD(f)
	return a
}

// readOnlyCAD reads the currency of an amount that is always in CAD, so that no other one is taken for it.
func readOnlyCAD(f *form.Form) { f.Text("currency", form.Optional, onlyCAD) }

// Adjust corrects what a partner was charged. What corrects the charges for an order takes back or adds its part of
// their taxes, so that taking all of them back leaves nothing.
func (s *Service) Adjust(ctx context.Context, partnerID string, a Adjustment) (*money.Entry, error) {
	if err := a.Problems().Err(); err != nil {
		return nil, err
	}
	return s.post(ctx, audit.ActionAdjustmentPosted, partnerID,
		func(tx Writer, keeper *money.Bookkeeper, at time.Time) (*money.Entry, error) {
			var charge *money.Entry
			if a.OrderID != "" {
				found, err := tx.Entries(ctx,
					Filter{PartnerID: partnerID, OrderID: a.OrderID, Oldest: true, Limit: mostOfOrder})
				if err != nil {
					return nil, err
				}
				if charge = chargeOf(found); charge == nil {
					return nil, form.Fault("order_id", a.OrderID, chargedOrder)
				}
			}
			entry := keeper.Adjustment(partnerID, a.Cents, charge, at)
			entry.Notes = a.Reason
			return entry, nil
		})
}

// mostOfOrder bounds how many entries of an order are read to find what is corrected.
const mostOfOrder = 100

// chargeOf returns what an order was charged in all, for its delivery or cancellation, further attempts and return;
// nil if it was not charged.
func chargeOf(entries []*money.Entry) (charge *money.Entry) {
	for _, entry := range entries {
		switch {
		case !entry.IsCharge():
		case charge == nil:
			sum := *entry
			sum.Lines = slices.Clone(entry.Lines)
			charge = &sum
		default:
			charge.Lines = append(charge.Lines, entry.Lines...)
		}
	}
	return charge
}

// Payment is a payment by a partner.
type Payment struct {
	form.Faults
	Cents int64 // CAD
	Notes string
}

// ReadPayment reads a payment.
func ReadPayment(f *form.Form) Payment {
	p := Payment{Notes: readNotes(f)}
	p.Cents, _ = f.Integer("amount_cents", form.Required, 1, maxPosted)
	readOnlyCAD(f)
	return p
}

// Pay records that a partner has paid.
func (s *Service) Pay(ctx context.Context, partnerID string, p Payment) (*money.Entry, error) {
	if err := p.Problems().Err(); err != nil {
		return nil, err
	}
	return s.post(ctx, audit.ActionPaymentRecorded, partnerID,
		func(_ Writer, keeper *money.Bookkeeper, at time.Time) (*money.Entry, error) {
			entry := keeper.Payment(partnerID, p.Cents, at)
			entry.Notes = p.Notes
			return entry, nil
		})
}

// postedFacts is what the audit log holds of an entry. Its notes are in the journal only.
type postedFacts struct {
	EntryID     string    `json:"entry_id"`
	Act         money.Act `json:"act"`
	AmountCents int64     `json:"amount_cents"` // by which the partner owes more; below zero for less
	OrderID     string    `json:"order_id,omitzero"`
}

// post adds an entry of a partner to the journal. It refuses with not_found, and with a conflict before the books
// begin.
func (s *Service) post(
	ctx context.Context, action audit.Action, partnerID string,
	entryOf func(Writer, *money.Bookkeeper, time.Time) (*money.Entry, error),
) (*money.Entry, error) {
	entries, err := s.record(ctx, action, func(tx Writer, keeper *money.Bookkeeper, at time.Time) (posting, error) {
		known, err := tx.KnowsPartner(ctx, partnerID)
		if err == nil && (!known || delivery.IsTest(partnerID)) {
			err = refusal.NotFound("partner")
		}
		if err != nil {
			return posting{}, err
		}
		if err := begun(ctx, tx, keeper, at); err != nil {
			return posting{}, err
		}
		entry, err := entryOf(tx, keeper, at)
		if err != nil {
			return posting{}, err
		}
		return posting{entries: []*money.Entry{entry}, partnerID: partnerID, objectID: partnerID, after: func() any {
			return postedFacts{entry.EntryID, entry.Act, entry.On(money.Charges, delivery.CAD), entry.OrderID}
		}}, nil
	})
	if err != nil {
		return nil, err
	}
	return entries[0], nil
}

// posting is what an act adds to the journal, and what the audit log holds of it.
type posting struct {
	entries             []*money.Entry
	notes               string     // of entries that have none
	partnerID, objectID string     // of the entry in the audit log
	after               func() any // what the audit log holds, once the entries have ids
}

// record adds the entries of an act by an operator to the journal.
func (s *Service) record(
	ctx context.Context, action audit.Action,
	decide func(Writer, *money.Bookkeeper, time.Time) (posting, error),
) (entries []*money.Entry, err error) {
	now := s.now()
	id, err := identifier.NewUUID(s.config.Random, now)
	if err != nil {
		return nil, err
	}
	err = s.change(ctx, action, func(tx Writer, note *audit.Entry) (bool, error) {
		act, err := decide(tx, &money.Bookkeeper{Zone: s.config.Zone}, now)
		if err != nil {
			return false, err
		}
		entryID := id // the transaction may be tried again
		for _, entry := range act.entries {
			entry.EntryID, entry.ActorID, entry.Notes = entryID, note.OperatorID, cmp.Or(entry.Notes, act.notes)
			entryID = identifier.NextUUID(entryID)
			money.SortLines(entry.Lines)
		}
		entries = act.entries
		note.PartnerID, note.ObjectID, note.After = act.partnerID, act.objectID, act.after()
		return true, tx.AddEntries(ctx, entries)
	})
	return entries, err
}

// begun refuses what is posted while the books are off.
func begun(ctx context.Context, tx Writer, keeper *money.Bookkeeper, at time.Time) error {
	_, settings, err := tx.Settings(ctx)
	if err == nil && (settings.From == 0 || date.Of(at, keeper.Zone) < settings.From) {
		err = errNotBegun
	}
	return err
}

// errNotBegun refuses what is posted while the books are off.
var errNotBegun = refusal.New(refusal.CodeConflict, "the books have not begun: set their first day")
