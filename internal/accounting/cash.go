package accounting

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
)

// CashWith returns the cash that a courier carries, by its orders, oldest first.
func (s *Service) CashWith(ctx context.Context, courierID string) (carried []money.Carried, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		known, err := tx.KnowsCourier(ctx, courierID)
		if err == nil && !known {
			err = refusal.NotFound("courier")
		}
		if err == nil {
			carried, err = carriedBy(ctx, tx, courierID)
		}
		return err
	})
	return carried, err
}

// carriedBy returns the cash that a courier carries.
func carriedBy(ctx context.Context, tx Reader, courierID string) (carried []money.Carried, err error) {
	held, err := tx.Held(ctx, money.Cash, courierID)
	for _, one := range held {
		if err != nil {
			return nil, err
		}
		var entries []*money.Entry
		entries, err = entriesBehind(ctx, tx, one)
		carried = append(carried, money.CarriedOf(one, entries)...)
	}
	money.SortCarried(carried)
	for i := range carried {
		if err == nil && carried[i].Unconfirmed {
			carried[i].Unconfirmed, err = isUnconfirmed(ctx, tx, carried[i])
		}
	}
	return carried, err
}

// isUnconfirmed reports whether the desk has not answered what was collected of an order. An answer that changes
// nothing has no line on the courier's cash.
func isUnconfirmed(ctx context.Context, tx Reader, of money.Carried) (bool, error) {
	answers, err := tx.Entries(ctx,
		Filter{PartnerID: of.PartnerID, OrderID: of.OrderID, Act: money.ActCorrection, Limit: 1})
	return len(answers) == 0, err
}

// entriesBehind returns the entries of a partner's cash that a courier carries, newest first, back to the oldest
// of the orders that it is of.
func entriesBehind(ctx context.Context, tx Reader, held money.Held) (entries []*money.Entry, err error) {
	const page = 200
	var after Cursor
	for held.Cents > 0 {
		found, err := tx.CashEntries(ctx, held, after, page)
		if err != nil {
			return nil, err
		}
		entries = append(entries, found...)
		if len(found) < page || money.Covered(held, entries) {
			return entries, nil
		}
		after = CursorOf(found[len(found)-1])
	}
	return entries, nil
}

// Carrier is a courier with the cash that the courier carries in one currency.
type Carrier struct {
	CourierID string
	Currency  delivery.Currency
	Cents     int64
	Since     time.Time // the oldest of it was collected; zero if corrections only have left it
}

// Carriers returns the couriers who carry cash, by courier and currency.
func (s *Service) Carriers(ctx context.Context) (carriers []Carrier, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		held, err := tx.Held(ctx, money.Cash, "")
		courierID := ""
		carriers = nil // of an earlier try
		for _, one := range held {
			if err != nil {
				return err
			}
			if one.CourierID == courierID {
				continue
			}
			courierID = one.CourierID
			var carried []money.Carried
			carried, err = carriedBy(ctx, tx, courierID)
			carriers = append(carriers, CarriersOf(carried)...)
		}
		return err
	})
	return carriers, err
}

// CarriersOf adds up what one courier carries, which is sorted.
func CarriersOf(carried []money.Carried) (carriers []Carrier) {
	for _, one := range carried {
		last := len(carriers) - 1
		if last < 0 || carriers[last].Currency != one.Currency {
			carriers, last = append(carriers, Carrier{CourierID: one.CourierID, Currency: one.Currency}), last+1
		}
		carriers[last].Cents += one.Cents
		if carriers[last].Since.IsZero() {
			carriers[last].Since = one.At
		}
	}
	return carriers
}

// ToRemit is what is owed to a partner that was collected for it.
type ToRemit struct {
	PartnerID string
	Currency  delivery.Currency
	Cents     int64
	Net       int64 // less what the partner owes, which may leave less than nothing
}

// ToRemit returns what is owed to partners that was collected for them, by partner and currency.
func (s *Service) ToRemit(ctx context.Context) (due []ToRemit, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		due = nil // of an earlier try
		collected, err := tx.Held(ctx, money.Collected, "")
		if err != nil {
			return err
		}
		charges, err := tx.Held(ctx, money.Charges, "")
		owed := map[money.Held]int64{}
		for _, one := range charges {
			owed[money.Held{PartnerID: one.PartnerID, Currency: one.Currency}] = one.Cents
		}
		for _, one := range collected {
			if one.Cents < 0 {
				net := -one.Cents - owed[money.Held{PartnerID: one.PartnerID, Currency: one.Currency}]
				due = append(due, ToRemit{one.PartnerID, one.Currency, -one.Cents, net})
			}
		}
		return err
	})
	return due, err
}

// AtDesk returns the cash at the desk, by currency.
func (s *Service) AtDesk(ctx context.Context) (desk []money.Balance, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		held, err := tx.Held(ctx, money.Desk, "")
		sums := map[delivery.Currency]int64{}
		desk = nil // of an earlier try
		for _, one := range held {
			sums[one.Currency] += one.Cents
		}
		for currency, cents := range sums {
			desk = append(desk, money.Balance{Account: money.Desk, Currency: currency, Cents: cents})
		}
		return err
	})
	money.SortBalances(desk)
	return desk, err
}

// CashDoubts returns what has to be cleared up: deliveries of which their courier has not said what was collected,
// until the desk answers, and counts that found a difference in the last 30 days, newest first.
func (s *Service) CashDoubts(ctx context.Context) (unconfirmed, differences []*money.Entry, err error) {
	const shown, days = 200, 30
	_, today := s.Month()
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if unconfirmed, err = tx.Unconfirmed(ctx, shown); err == nil {
			differences, err = tx.Differences(ctx, today-days, shown)
		}
		return err
	})
	return unconfirmed, differences, err
}

// HandIn is a count of the cash that a courier hands in.
type HandIn struct {
	form.Faults
	Currency delivery.Currency
	Counted  int64 // cents
	Kept     int64 // cents that the courier keeps
	// Expected is what the courier carried when the money was counted, by which a delivery meanwhile is noticed; nil
	// if the request does not say.
	Expected *int64
	Notes    string
}

var (
	currencyRule  = form.OneOf(delivery.CAD, delivery.USD)
	countedNone   = form.Define("counted_none", "0, as the courier keeps everything")
	keptAtMost    = form.Define("kept_at_most", "at most {dollars} dollars, which the courier carries")
	accountAtMost = form.Define("account_at_most", "at most {dollars} dollars, which the account has")
	owedAtMost    = form.Define("owed_at_most", "at most {dollars} dollars, which are owed to the partner")
	depositedFrom = form.OneOf(money.Desk, money.Terminal)
	remittedBy    = form.OneOf(money.Bank, money.Desk)
)

// dollars returns cents as an argument of a rule.
func dollars(cents int64) float64 { return float64(cents) / 100 }

// ReadHandIn reads a count.
func ReadHandIn(f *form.Form) HandIn {
	h := HandIn{
		Currency: delivery.Currency(f.Text("currency", form.Required, currencyRule)),
		Notes:    readNotes(f),
	}
	h.Counted, _ = f.Integer("counted_cents", form.Required, 0, maxPosted)
	h.Kept, _ = f.Integer("kept_cents", form.Optional, 0, maxPosted)
	if expected, sent := f.Integer("expected_cents", form.Optional, -maxPosted, maxPosted); sent {
		h.Expected = &expected
	}
	return h
}

// Count is what a count of a courier's cash has found, in cents.
type Count struct {
	Expected   int64 // that the courier carried
	Difference int64 // that was missing; below zero if there was too much
	Entries    []*money.Entry
}

// countFacts is what the audit log holds of a count.
type countFacts struct {
	Currency   delivery.Currency `json:"currency"`
	Expected   int64             `json:"expected_cents"`
	Counted    int64             `json:"counted_cents"`
	Kept       int64             `json:"kept_cents"`
	Difference int64             `json:"difference_cents"`
}

type expectedDetails struct {
	Expected int64 `json:"expected_cents"`
}

// HandIn records a count of the cash that a courier hands in. Of two counts at the same time the second one finds what
// the first has left. It refuses with not_found, and with a conflict if the courier carries nothing, if it is another
// amount than was expected, or before the books begin.
func (s *Service) HandIn(ctx context.Context, courierID string, h HandIn) (count Count, err error) {
	if err := h.Problems().Err(); err != nil {
		return count, err
	}
	count.Entries, err = s.record(ctx, audit.ActionCashCounted,
		func(tx Writer, keeper *money.Bookkeeper, at time.Time) (posting, error) {
			known, err := tx.LockCourier(ctx, courierID)
			if err == nil && !known {
				err = refusal.NotFound("courier")
			}
			if err == nil {
				err = begun(ctx, tx, keeper, at)
			}
			if err != nil {
				return posting{}, err
			}
			carried, err := carriedBy(ctx, tx, courierID)
			if err != nil {
				return posting{}, err
			}
			carried = money.In(carried, h.Currency)
			if count.Expected = money.SumOf(carried); len(carried) == 0 {
				return posting{}, refusal.New(refusal.CodeConflict, "the courier carries no cash in "+string(h.Currency))
			}
			if h.Expected != nil && *h.Expected != count.Expected {
				return posting{}, &refusal.Error{
					Code:    refusal.CodeConflict,
					Message: fmt.Sprintf("the courier carries %d cents by now, not %d", count.Expected, *h.Expected),
					Details: expectedDetails{count.Expected},
				}
			}
			if h.Kept > max(0, count.Expected) {
				return posting{}, form.Fault("kept_cents", h.Kept, keptAtMost.With("dollars", dollars(max(0, count.Expected))))
			}
			if h.Counted > 0 && h.Kept > 0 && h.Kept == count.Expected {
				return posting{}, form.Fault("counted_cents", h.Counted, countedNone)
			}
			count.Difference = count.Expected - h.Kept - h.Counted
			return posting{
				entries: keeper.HandIn(carried, h.Counted, h.Kept, at), notes: h.Notes, objectID: courierID,
				after: func() any { return countFacts{h.Currency, count.Expected, h.Counted, h.Kept, count.Difference} },
			}, nil
		})
	return count, err
}

// Deposit is a deposit of cash from the desk at the bank, or what was paid out there of cards.
type Deposit struct {
	form.Faults
	delivery.Money
	From  money.Account // Desk or Terminal
	Notes string
}

// ReadDeposit reads a deposit.
func ReadDeposit(f *form.Form) Deposit {
	d := Deposit{Money: readAmount(f), Notes: readNotes(f)}
	d.From = readFrom(f, depositedFrom, money.Desk)
	return d
}

func readAmount(f *form.Form) (amount delivery.Money) {
	amount.AmountCents, _ = f.Integer("amount_cents", form.Required, 1, maxPosted)
	amount.Currency = delivery.Currency(f.Text("currency", form.Required, currencyRule))
	return amount
}

// readFrom reads the account that an amount is taken from; the usual one if the request does not say.
func readFrom(f *form.Form, rule form.TextRule, usual money.Account) money.Account {
	return cmp.Or(money.Account(f.Text("from", form.Optional, rule)), usual)
}

func readNotes(f *form.Form) string { return f.Text("notes", form.Optional, paymentsNotes) }

// depositFacts is what the audit log holds of a deposit or remittance.
type depositFacts struct {
	AmountCents int64             `json:"amount_cents"`
	Currency    delivery.Currency `json:"currency"`
}

// Deposit records that cash was taken from the desk to the bank, or that the bank has what was paid by card: an entry
// for each partner for which it was collected. It refuses more than is there.
func (s *Service) Deposit(ctx context.Context, d Deposit) ([]*money.Entry, error) {
	if err := d.Problems().Err(); err != nil {
		return nil, err
	}
	return s.record(ctx, audit.ActionCashDeposited,
		func(tx Writer, keeper *money.Bookkeeper, at time.Time) (posting, error) {
			held, err := heldOn(ctx, tx, keeper, d.From, d.Money, at)
			return posting{
				entries: keeper.Deposit(held, d.From, d.AmountCents, at), notes: d.Notes,
				after: func() any { return depositFacts{d.AmountCents, d.Currency} },
			}, err
		})
}

// heldOn returns what an account has of each partner, from which no other transaction takes an amount until this one
// ends. It refuses if the account has less.
func heldOn(
	ctx context.Context, tx Writer, keeper *money.Bookkeeper, account money.Account, amount delivery.Money, at time.Time,
) (found []money.Held, err error) {
	if _, _, err := tx.LockSettings(ctx); err != nil {
		return nil, err
	}
	if err := begun(ctx, tx, keeper, at); err != nil {
		return nil, err
	}
	held, err := tx.Held(ctx, account, "")
	var sum int64
	for _, one := range held {
		if one.Currency == amount.Currency {
			found = append(found, one)
			sum += one.Cents
		}
	}
	if err == nil && amount.AmountCents > sum {
		err = form.Fault("amount_cents", amount.AmountCents, accountAtMost.With("dollars", dollars(sum)))
	}
	return found, err
}

// Remittance is a payment to a partner of what was collected for it.
type Remittance struct {
	form.Faults
	delivery.Money
	From  money.Account // Bank or Desk
	Notes string
}

// ReadRemittance reads a remittance.
func ReadRemittance(f *form.Form) Remittance {
	r := Remittance{Money: readAmount(f), Notes: readNotes(f)}
	r.From = readFrom(f, remittedBy, money.Bank)
	return r
}

// Remit records that a partner was sent what was collected for it. It refuses more than is owed to the partner, and
// more cash than is at the desk.
func (s *Service) Remit(ctx context.Context, partnerID string, r Remittance) (*money.Entry, error) {
	if err := r.Problems().Err(); err != nil {
		return nil, err
	}
	return s.post(ctx, audit.ActionRemittanceSent, partnerID,
		func(tx Writer, keeper *money.Bookkeeper, at time.Time) (*money.Entry, error) {
			if _, _, err := tx.LockSettings(ctx); err != nil { // of two remittances one waits
				return nil, err
			}
			balances, err := tx.Balances(ctx, Filter{PartnerID: partnerID})
			if err != nil {
				return nil, err
			}
			owed := -money.BalanceOn(balances, money.Collected, r.Currency)
			if r.AmountCents > owed {
				return nil, form.Fault("amount_cents", r.AmountCents, owedAtMost.With("dollars", dollars(max(0, owed))))
			}
			if r.From == money.Desk {
				if _, err := heldOn(ctx, tx, keeper, money.Desk, r.Money, at); err != nil {
					return nil, err
				}
			}
			entry := keeper.Remittance(partnerID, r.From, r.Money, at)
			entry.Notes = r.Notes
			return entry, nil
		})
}
