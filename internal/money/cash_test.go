package money_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// till is a model of the cash of one courier: what each of its orders has brought, in the order of collection.
type till struct {
	*rapid.T
	keeper  *money.Bookkeeper
	now     time.Time
	orders  []*delivery.Order
	entries []*money.Entry // oldest first
	desk    int64
	missing int64
}

func (m *till) post(entries ...*money.Entry) {
	for _, entry := range entries {
		if entry == nil {
			continue
		}
		if !entry.Balanced() {
			m.Errorf("got %+v, want lines that add up to zero", entry)
		}
		m.entries = append(m.entries, entry)
	}
}

// sum returns the sum on an account of all partners, or of one.
func (m *till) sum(partnerID string, account money.Account) (cents int64) {
	for _, entry := range m.entries {
		if partnerID == "" || entry.PartnerID == partnerID {
			cents += entry.On(account, delivery.CAD)
		}
	}
	return cents
}

var partnersOfTill = []string{"par_00000001", "par_00000002", "par_00000003"}

// carried returns what the courier carries, by the entries.
func (m *till) carried() (carried []money.Carried) {
	for _, partnerID := range partnersOfTill {
		held := money.Held{
			CourierID: "cou_1", PartnerID: partnerID, Currency: delivery.CAD, Cents: m.sum(partnerID, money.Cash),
		}
		var entries []*money.Entry
		for _, entry := range slices.Backward(m.entries) {
			if entry.PartnerID == partnerID {
				entries = append(entries, entry)
			}
		}
		if held.Cents != 0 {
			carried = append(carried, money.CarriedOf(held, entries)...)
		}
	}
	money.SortCarried(carried)
	return carried
}

func (m *till) deliver() {
	o := testkit.Order(rapid.SampledFrom(partnersOfTill).Draw(m.T, "partner"), fmt.Sprint("ord_", len(m.orders)), "A",
		testkit.Epoch)
	o.Status, o.Courier = delivery.StatusDelivered, &delivery.Courier{CourierID: "cou_1"}
	o.COD = &delivery.Money{AmountCents: rapid.Int64Range(1, 9000).Draw(m.T, "asked"), Currency: delivery.CAD}
	o.History = append(o.History, delivery.HistoryEntry{Status: delivery.StatusDelivered, At: m.now})
	o.Course.Collected = m.draw(o.COD.AmountCents)
	m.orders = append(m.orders, o)
	m.post(m.keeper.Collected(o))
}

// draw returns what was collected of an amount.
func (m *till) draw(asked int64) *delivery.Collected {
	c := &delivery.Collected{AmountCents: asked, Currency: delivery.CAD}
	methods := append(slices.Clone(delivery.CollectionMethods), delivery.PaidUnknown)
	c.Method = rapid.SampledFrom(methods).Draw(m.T, "method")
	switch {
	case c.Method == delivery.PaidNothing:
		c.AmountCents = 0
	case rapid.IntRange(0, 4).Draw(m.T, "other") == 0:
		c.AmountCents = rapid.Int64Range(1, 9000).Draw(m.T, "amount")
	}
	return c
}

func (m *till) correct() {
	if len(m.orders) == 0 {
		return
	}
	before := rapid.SampledFrom(m.orders).Draw(m.T, "order")
	after := *before
	after.Course.Collected = m.draw(before.COD.AmountCents)
	m.post(m.keeper.Corrected(before, &after, m.now))
	*before = after
}

func (m *till) handIn() {
	carried := m.carried()
	expected := money.SumOf(carried)
	if len(carried) == 0 {
		return
	}
	kept := max(0, rapid.SampledFrom([]int64{0, expected, expected / 3}).Draw(m.T, "kept"))
	counted := max(0, expected-kept+rapid.SampledFrom([]int64{0, 0, -100, 250, -expected}).Draw(m.T, "difference"))
	m.post(m.keeper.HandIn(carried, counted, kept, m.now)...)
	m.desk += counted
	m.missing += expected - kept - counted
	left := m.carried()
	if got := money.SumOf(left); got != kept {
		m.Errorf("got %d cents with the courier after a count, want %d, which the courier keeps", got, kept)
	}
	// The newest orders are kept.
	for _, one := range left {
		if i := slices.IndexFunc(carried, func(c money.Carried) bool { return c.OrderID == one.OrderID }); i < 0 ||
			carried[i].Cents < one.Cents {
			m.Errorf("got %+v, which the courier did not carry before the count", one)
		}
	}
}

// TestCash takes deliveries, corrections and counts in any order. What was collected is with the courier, at the desk,
// on the terminal, or missing; only counts and the desk's corrections lower what the courier carries.
func TestCash(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		m := &till{T: t, keeper: bookkeeper(1, both), now: testkit.Epoch}
		for range rapid.IntRange(1, 25).Draw(t, "acts") {
			m.now = m.now.Add(time.Minute)
			rapid.SampledFrom([]func(){m.deliver, m.deliver, m.correct, m.handIn}).Draw(t, "act")()
			var cash, terminal int64
			for _, o := range m.orders {
				if o.Course.Collected.Method == delivery.PaidTerminal {
					terminal += o.Course.Collected.AmountCents
					continue
				}
				cash += o.Course.Collected.AmountCents
			}
			if got := -m.sum("", money.Collected); got != cash+terminal {
				t.Fatalf("got %d cents collected for partners, want %d", got, cash+terminal)
			}
			if got := m.sum("", money.Terminal); got != terminal {
				t.Errorf("got %d cents on the terminal, want %d", got, terminal)
			}
			with := m.sum("", money.Cash)
			if got := money.SumOf(m.carried()); got != with || with != cash-m.desk-m.missing {
				t.Errorf("got %d cents with the courier by orders and %d by lines, want %d", got, with, cash-m.desk-m.missing)
			}
			if desk, missing := m.sum("", money.Desk), m.sum("", money.Differences); desk != m.desk || missing != m.missing {
				t.Errorf("got %d cents at the desk and %d missing, want %d and %d", desk, missing, m.desk, m.missing)
			}
		}
		m.deposit(t)
	})
}

// deposit takes some of the cash at the desk to the bank.
func (m *till) deposit(t *rapid.T) {
	var desk []money.Held
	for _, partnerID := range partnersOfTill {
		if cents := m.sum(partnerID, money.Desk); cents != 0 {
			desk = append(desk, money.Held{PartnerID: partnerID, Currency: delivery.CAD, Cents: cents})
		}
	}
	if m.desk <= 0 {
		return
	}
	cents := rapid.Int64Range(1, m.desk).Draw(t, "deposited")
	m.post(m.keeper.Deposit(desk, money.Desk, cents, m.now)...)
	if got := m.sum("", money.Bank); got != cents || m.sum("", money.Desk) != m.desk-cents {
		t.Errorf("got %d cents at the bank, want %d", got, cents)
	}
}
