// Package money has the books: the journal of double entry, what a delivery is charged with,
// and the taxes on it. Accounts and amounts are those of one partner; the books of the service
// are the sum of its partners'.
//
// It is pure: settings, time zones and orders are arguments. docs/money.md describes the rules.
package money

import (
	"cmp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
)

// Account is what an amount belongs to.
type Account string

// The accounts. What a partner owes, money that is held, and costs are above zero; what the
// service owes, and what it has earned, below.
const (
	Charges     Account = "charges"   // what the partner owes for deliveries, with taxes
	Collected   Account = "collected" // what was collected for the partner, and is owed to it
	Revenue     Account = "revenue"   // what deliveries have earned, without taxes
	TaxGST      Account = "tax_gst"   // taxes that are owed to the authorities, by kind
	TaxHST      Account = "tax_hst"
	TaxQST      Account = "tax_qst"
	Cash        Account = "cash"        // that couriers carry; each line names the courier
	Terminal    Account = "terminal"    // paid by card at the door
	Desk        Account = "desk"        // cash that was handed in
	Bank        Account = "bank"        // deposited, paid or remitted
	Differences Account = "differences" // missing when cash was counted; below zero if there was too much
)

// Accounts lists all accounts, in the order in which they are shown.
var Accounts = []Account{
	Charges, Collected, Revenue, TaxGST, TaxHST, TaxQST, Cash, Terminal, Desk, Bank, Differences,
}

// Line is an amount of an entry on one account.
type Line struct {
	Account   Account
	CourierID string // on the account Cash; empty on others
	Currency  delivery.Currency
	Cents     int64
}

// Act is what an entry is about.
type Act string

// The acts.
const (
	ActDelivery         Act = "delivery"          // an order was delivered, or ended otherwise after its pickup
	ActAttempt          Act = "attempt"           // an attempt to deliver after the first
	ActReturn           Act = "return"            // goods of an order that was given up were brought back
	ActLateCancellation Act = "late_cancellation" // an order was cancelled that a courier was to pick up
	ActAdjustment       Act = "adjustment"        // a charge was corrected
	ActPayment          Act = "payment"           // the partner has paid

	ActCollection  Act = "collection"  // a courier collected money for the partner at the door
	ActUnconfirmed Act = "unconfirmed" // money was to be collected, and the delivery does not say whether it was
	ActCorrection  Act = "correction"  // the desk has confirmed or corrected what was collected
	ActHandIn      Act = "hand_in"     // a courier's cash was counted at the desk
	ActDeposit     Act = "deposit"     // cash was taken from the desk to the bank
	ActRemittance  Act = "remittance"  // the partner was sent what was collected for it
)

// Acts lists all acts.
var Acts = []Act{
	ActDelivery, ActAttempt, ActReturn, ActLateCancellation, ActAdjustment, ActPayment,
	ActCollection, ActUnconfirmed, ActCorrection, ActHandIn, ActDeposit, ActRemittance,
}

// Entry is one act in the books. It is written in the transaction of the act and never
// changed; what was wrong is corrected by another entry.
type Entry struct {
	PartnerID string
	EntryID   string    // a UUID that sorts by the time of recording
	Day       date.Day  // of the act, in the time zone of the service
	At        time.Time // of the act
	// RecordedAt is when the service learned of the act, which may be hours later.
	RecordedAt     time.Time
	Act            Act
	OrderID        string // empty for an act that is about no order
	PartnerOrderID string
	ActorID        string // the operator or user who acted; empty for what the service does by itself
	Notes          string // why an adjustment was made, or what a payment refers to; empty for acts of orders
	Lines          []Line
}

// IsCharge reports whether the entry is a charge for an order, which an adjustment may correct.
func (e *Entry) IsCharge() bool {
	switch e.Act {
	case ActDelivery, ActAttempt, ActReturn, ActLateCancellation:
		return true
	default:
		return false
	}
}

// Balanced reports whether the lines of the entry add up to zero for each currency.
func (e *Entry) Balanced() bool {
	sums := map[delivery.Currency]int64{}
	for _, line := range e.Lines {
		sums[line.Currency] += line.Cents
	}
	for _, cents := range sums {
		if cents != 0 {
			return false
		}
	}
	return true
}

// On returns the sum of the lines of the entry on an account, in cents of a currency.
func (e *Entry) On(account Account, currency delivery.Currency) (cents int64) {
	for _, line := range e.Lines {
		if line.Account == account && line.Currency == currency {
			cents += line.Cents
		}
	}
	return cents
}

// Balance is the sum of the lines on one account in one currency.
type Balance struct {
	Account  Account
	Currency delivery.Currency
	Cents    int64
}

// BalanceOn returns the balance on an account, in cents of a currency.
func BalanceOn(balances []Balance, account Account, currency delivery.Currency) (cents int64) {
	for _, balance := range balances {
		if balance.Account == account && balance.Currency == currency {
			cents += balance.Cents
		}
	}
	return cents
}

// SortBalances sorts balances by currency, and by account as in Accounts.
func SortBalances(balances []Balance) {
	slices.SortFunc(balances, func(a, b Balance) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), compareAccounts(a.Account, b.Account))
	})
}

// SortLines sorts the lines of an entry as balances are sorted.
func SortLines(lines []Line) {
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Currency, b.Currency), compareAccounts(a.Account, b.Account),
			cmp.Compare(a.CourierID, b.CourierID))
	})
}

func compareAccounts(a, b Account) int {
	return cmp.Compare(slices.Index(Accounts, a), slices.Index(Accounts, b))
}
