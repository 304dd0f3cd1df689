package money

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
)

// Collected returns the entry of what was collected of an order that has just been delivered; nil if nothing was. Cash
// stands with the courier from then on. The caller completes the entry as that of Moved.
func (b *Bookkeeper) Collected(o *delivery.Order) *Entry {
	c := o.Course.Collected
	if c == nil || c.AmountCents == 0 {
		return nil
	}
	act := ActCollection
	if c.Method == delivery.PaidUnknown {
		act = ActUnconfirmed
	}
	return b.collected(o, act, o.LastMove().At, collectedLines(o, c, 1))
}

// Corrected returns the entry of a correction of what was collected of an order whose delivery is in the books, from
// the order before it to the order after it. It has the differences only: none if the desk confirms what was recorded.
func (b *Bookkeeper) Corrected(before, after *delivery.Order, at time.Time) *Entry {
	changed := collectedLines(after, after.Course.Collected, 1)
	changed = append(changed, collectedLines(before, before.Course.Collected, -1)...)
	return b.collected(after, ActCorrection, at, sumLines(changed))
}

// collected returns an entry about what was collected of an order. It is in the books if the delivery is.
func (b *Bookkeeper) collected(o *delivery.Order, act Act, at time.Time, lines []Line) *Entry {
	if b.Books.From == 0 || delivery.IsTest(o.PartnerID) || date.Of(o.LastMove().At, b.Zone) < b.Books.From {
		return nil
	}
	return &Entry{
		PartnerID: o.PartnerID, Day: date.Of(at, b.Zone), At: at, Act: act, OrderID: o.OrderID,
		PartnerOrderID: o.PartnerOrderID, Lines: lines,
	}
}

// collectedLines returns the lines of what was collected, or with the sign -1 those that take it back.
func collectedLines(o *delivery.Order, c *delivery.Collected, sign int64) []Line {
	if c == nil || c.AmountCents == 0 {
		return nil
	}
	held := Line{Account: Terminal, Currency: c.Currency, Cents: sign * c.AmountCents}
	if c.Method != delivery.PaidTerminal {
		held.Account = Desk
		if o.Courier != nil {
			held.Account, held.CourierID = Cash, o.Courier.CourierID
		}
	}
	return []Line{{Account: Collected, Currency: c.Currency, Cents: -sign * c.AmountCents}, held}
}

// sumLines adds up the lines on the same account, and leaves out those that come to nothing.
func sumLines(lines []Line) (sums []Line) {
	for _, line := range lines {
		i := slices.IndexFunc(sums, func(s Line) bool {
			return s.Account == line.Account && s.CourierID == line.CourierID && s.Currency == line.Currency
		})
		if i < 0 {
			sums = append(sums, line)
			continue
		}
		sums[i].Cents += line.Cents
	}
	return slices.DeleteFunc(sums, func(s Line) bool { return s.Cents == 0 })
}

// Held is an amount of a partner's cash that a courier carries.
type Held struct {
	CourierID string
	PartnerID string
	Currency  delivery.Currency
	Cents     int64
}

// Carried is the cash of an order that a courier carries.
type Carried struct {
	Held
	OrderID        string // empty for what corrections have left
	PartnerOrderID string
	At             time.Time // of its collection
	Unconfirmed    bool      // the courier has not said that it was collected
}

// CarriedOf returns the orders of which a partner's cash is that a courier carries, oldest first, by their entries,
// newest first: what was handed in was that of older orders. The entries may end where the amount is reached.
func CarriedOf(held Held, entries []*Entry) []Carried {
	var carried []Carried
	of := map[string]int{}
	for _, entry := range entries {
		cents := entry.cashOf(held.CourierID, held.Currency)
		if entry.OrderID == "" || cents == 0 {
			continue
		}
		i, known := of[entry.OrderID]
		if !known {
			i = len(carried)
			of[entry.OrderID] = i
			carried = append(carried, Carried{
				Held: Held{held.CourierID, held.PartnerID, held.Currency, 0}, OrderID: entry.OrderID,
				PartnerOrderID: entry.PartnerOrderID, Unconfirmed: entry.Act == ActUnconfirmed,
			})
		}
		carried[i].Cents += cents
		carried[i].At = entry.At
	}
	left := held.Cents
	carried = slices.DeleteFunc(carried, func(c Carried) bool { return c.Cents <= 0 })
	// An order that was corrected later comes first in the journal, although it was collected before others.
	slices.SortFunc(carried, func(a, b Carried) int {
		return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.OrderID, a.OrderID))
	})
	for i := range carried {
		carried[i].Cents = max(0, min(carried[i].Cents, left))
		left -= carried[i].Cents
	}
	carried = slices.DeleteFunc(carried, func(c Carried) bool { return c.Cents == 0 })
	if left != 0 {
		carried = append(carried, Carried{Held: Held{held.CourierID, held.PartnerID, held.Currency, left}})
	}
	slices.Reverse(carried)
	return carried
}

// Covered reports whether the entries of a partner's cash that a courier carries reach back to the oldest of its
// orders.
func Covered(held Held, entries []*Entry) bool {
	var sum int64
	for _, entry := range entries {
		if entry.OrderID != "" {
			sum += entry.cashOf(held.CourierID, held.Currency)
		}
	}
	return sum >= held.Cents
}

// cashOf returns the sum of the lines of an entry on a courier's cash.
func (e *Entry) cashOf(courierID string, currency delivery.Currency) (cents int64) {
	for _, line := range e.Lines {
		if line.Account == Cash && line.CourierID == courierID && line.Currency == currency {
			cents += line.Cents
		}
	}
	return cents
}

// SortCarried sorts what a courier carries of several partners, oldest first. What corrections have left comes
// first.
func SortCarried(carried []Carried) {
	slices.SortStableFunc(carried, func(a, b Carried) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), a.At.Compare(b.At), cmp.Compare(a.PartnerID, b.PartnerID),
			cmp.Compare(a.OrderID, b.OrderID))
	})
}

// In returns what a courier carries in one currency.
func In(carried []Carried, currency delivery.Currency) (in []Carried) {
	for _, c := range carried {
		if c.Currency == currency {
			in = append(in, c)
		}
	}
	return in
}

// SumOf returns what a courier carries, in cents of one currency.
func SumOf(carried []Carried) (cents int64) {
	for _, c := range carried {
		cents += c.Cents
	}
	return cents
}

// HandIn returns the entries of a count of a courier's cash, one for each partner, sorted by partner. What was carried
// is that of one currency, oldest first: the courier keeps the newest of it. A difference is one of the newest that
// was handed in. The caller completes the entries.
func (b *Bookkeeper) HandIn(carried []Carried, counted, kept int64, at time.Time) []*Entry {
	lines := map[string][]Line{}
	move := func(of Carried, cash, desk int64) {
		lines[of.PartnerID] = append(lines[of.PartnerID],
			Line{Account: Cash, CourierID: of.CourierID, Currency: of.Currency, Cents: -cash},
			Line{Account: Desk, Currency: of.Currency, Cents: desk},
			Line{Account: Differences, Currency: of.Currency, Cents: cash - desk})
	}
	handedIn, last := SumOf(carried)-kept, carried[0]
	for _, c := range carried {
		cash := c.Cents
		if cash > 0 { // what corrections have left below zero comes first, and is settled as a whole
			cash = min(cash, handedIn)
		}
		if cash == 0 {
			break
		}
		desk := min(cash, counted)
		move(c, cash, desk)
		handedIn, counted, last = handedIn-cash, counted-desk, c
	}
	move(last, 0, counted) // more than was carried
	var entries []*Entry
	for _, partnerID := range slices.Sorted(maps.Keys(lines)) {
		if sums := sumLines(lines[partnerID]); len(sums) > 0 {
			entries = append(entries, &Entry{
				PartnerID: partnerID, Day: date.Of(at, b.Zone), At: at, RecordedAt: at, Act: ActHandIn, Lines: sums,
			})
		}
	}
	return entries
}

// Deposit returns the entries of a deposit at the bank, of cash from the desk or of what was paid by card: one for each
// partner, sorted by partner, by what the account has of each. The amount is at most the sum of that. The caller
// completes the entries.
func (b *Bookkeeper) Deposit(held []Held, from Account, cents int64, at time.Time) (entries []*Entry) {
	held = slices.Clone(held)
	slices.SortFunc(held, func(a, b Held) int { return cmp.Compare(a.PartnerID, b.PartnerID) })
	for _, one := range held {
		part := min(one.Cents, cents)
		if part <= 0 {
			continue
		}
		cents -= part
		entries = append(entries, &Entry{
			PartnerID: one.PartnerID, Day: date.Of(at, b.Zone), At: at, RecordedAt: at, Act: ActDeposit,
			Lines: []Line{
				{Account: from, Currency: one.Currency, Cents: -part}, {Account: Bank, Currency: one.Currency, Cents: part},
			},
		})
	}
	return entries
}

// Remittance returns the entry of what was sent to a partner, from the bank or in cash from the desk. The caller
// completes it.
func (b *Bookkeeper) Remittance(partnerID string, from Account, sent delivery.Money, at time.Time) *Entry {
	return &Entry{
		PartnerID: partnerID, Day: date.Of(at, b.Zone), At: at, RecordedAt: at, Act: ActRemittance,
		Lines: []Line{
			{Account: Collected, Currency: sent.Currency, Cents: sent.AmountCents},
			{Account: from, Currency: sent.Currency, Cents: -sent.AmountCents},
		},
	}
}
