package money

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
)

// Statement reports a month to a partner: what it owed before, what was charged, collected and paid since
// its last statement, and what it owes now. A closed one never changes.
type Statement struct {
	PartnerID string
	Number    int64 // counts the statements of the partner from 1; 0 while it is not closed
	Period    Period
	ClosedAt  time.Time // zero while it is not closed
	ClosedOn  date.Day  // the day of that in the time zone of the service
	Firm      Firm      // as at closing
	Name      string    // of the partner, as at closing
	Lines     []StatementLine
	Sums      []Sums // CAD always, other currencies if they have any amount
}

// StatementLine is an entry on a statement, in one currency. The entries of an act in two currencies are two lines.
type StatementLine struct {
	EntryID        string
	Day            date.Day
	Act            Act
	OrderID        string
	PartnerOrderID string
	Notes          string
	Currency       delivery.Currency
	Net            int64 // in cents before taxes; below zero for what the partner owes less
	Taxes          []TaxAmount
	Total          int64
}

// TaxAmount is the amount of a tax, in cents.
type TaxAmount struct {
	Tax   Account
	Cents int64
}

// Closing is what a statement ends with in one currency, with which the next one begins.
type Closing struct {
	Currency  delivery.Currency `json:"currency"`
	Charges   int64             `json:"charges"`   // that the partner owes for deliveries, in cents
	Collected int64             `json:"collected"` // below zero for what it is owed
}

// Balance returns what the partner owes in all; below zero if it is owed something.
func (c Closing) Balance() int64 { return c.Charges + c.Collected }

// Sums are the sums of a statement in one currency, in cents. The amount in the end is that of the beginning, and
// Charged, Taxes and Remitted, less Paid and Collected.
type Sums struct {
	Currency           delivery.Currency
	Opening            Closing
	Charged            int64 // for deliveries and by corrections, before taxes
	Taxes              []TaxAmount
	Paid               int64 // by the partner
	Collected          int64 // for the partner at doors
	Remitted           int64 // of that, sent to the partner
	Closing            Closing
	Collections, Lines int // how many lines there are
}

// StatementAccounts are those whose lines are on statements: what the partner owes and is owed.
var StatementAccounts = []Account{Charges, Collected}

// currencies lists those of the books, in the order of statements.
var currencies = []delivery.Currency{delivery.CAD, delivery.USD}

// NewStatement returns the statement of entries that are on none yet, after an earlier one that has ended with
// closings. The caller completes it.
func NewStatement(entries []*Entry, before []Closing) *Statement {
	s := &Statement{}
	for _, currency := range currencies {
		sums := Sums{Currency: currency, Opening: Closing{Currency: currency}}
		for _, one := range before {
			if one.Currency == currency {
				sums.Opening = one
			}
		}
		sums.Closing = sums.Opening
		for _, entry := range entries {
			if entry.onStatementIn(currency) {
				line := entry.statementLine(currency)
				s.Lines = append(s.Lines, line)
				sums.add(entry, line)
			}
		}
		if currency == delivery.CAD || sums.Lines > 0 || sums.Opening.Charges != 0 || sums.Opening.Collected != 0 {
			s.Sums = append(s.Sums, sums)
		}
	}
	slices.SortStableFunc(s.Lines, func(a, b StatementLine) int {
		return cmp.Or(cmp.Compare(a.Day, b.Day), strings.Compare(a.EntryID, b.EntryID))
	})
	return s
}

func (e *Entry) onStatementIn(currency delivery.Currency) bool {
	return slices.ContainsFunc(e.Lines, func(line Line) bool {
		return line.Currency == currency && slices.Contains(StatementAccounts, line.Account)
	})
}

// statementLine returns the entry as a line in a currency.
func (e *Entry) statementLine(currency delivery.Currency) StatementLine {
	line := StatementLine{
		EntryID: e.EntryID, Day: e.Day, Act: e.Act, OrderID: e.OrderID, PartnerOrderID: e.PartnerOrderID, Notes: e.Notes,
		Currency: currency, Total: e.On(Charges, currency) + e.On(Collected, currency),
	}
	line.Net = line.Total
	for _, tax := range taxAccounts {
		if cents := -e.On(tax, currency); cents != 0 {
			line.Taxes = append(line.Taxes, TaxAmount{tax, cents})
			line.Net -= cents
		}
	}
	return line
}

// add adds an entry and its line.
func (s *Sums) add(e *Entry, line StatementLine) {
	charged, collected := e.On(Charges, s.Currency), e.On(Collected, s.Currency)
	s.Lines++
	s.Closing.Charges += charged
	s.Closing.Collected += collected
	for _, tax := range line.Taxes {
		charged -= tax.Cents
		s.Taxes = addTax(s.Taxes, tax)
	}
	if e.Act == ActPayment {
		s.Paid -= charged
	} else {
		s.Charged += charged
	}
	switch {
	case e.Act == ActRemittance:
		s.Remitted += collected
	case collected != 0:
		s.Collected -= collected
		s.Collections++
	}
}

// addTax adds an amount to those of the same kind, in the order of the accounts.
func addTax(sums []TaxAmount, tax TaxAmount) []TaxAmount {
	for i := range sums {
		if sums[i].Tax == tax.Tax {
			sums[i].Cents += tax.Cents
			return sums
		}
	}
	sums = append(sums, tax)
	slices.SortFunc(sums, func(a, b TaxAmount) int { return compareAccounts(a.Tax, b.Tax) })
	return sums
}

// Closings returns what the statement ends with.
func (s *Statement) Closings() []Closing {
	closings := make([]Closing, len(s.Sums))
	for i, sums := range s.Sums {
		closings[i] = sums.Closing
	}
	return closings
}

// Owing reports whether a statement with these closings ends with a balance, so that another one follows even
// without an entry.
func Owing(closings []Closing) bool {
	return slices.ContainsFunc(closings, func(c Closing) bool { return c.Balance() != 0 })
}

// Empty reports whether there is nothing to state: no entry, and no balance.
func (s *Statement) Empty() bool { return len(s.Lines) == 0 && !Owing(s.Closings()) }
