package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// cashNode is what a node does with orders and with money.
type cashNode struct {
	*order.Service
	books *accounting.Service
}

// newCashNode returns a node that uses the stores of a database, or what stands before them.
func newCashNode(
	t *testing.T, s *store.Store, orders order.Store, books accounting.Store, name string, now func() time.Time,
) *cashNode {
	return &cashNode{
		orderNode(s, orders, repeatable.Reader(t, "orders of ", name), now),
		accounting.NewService(accounting.Config{
			Store: books, Now: now, Zone: testkit.Epoch.Location(), Random: repeatable.Reader(t, "books of ", name),
		}),
	}
}

// withPayment returns the request of an order of which an amount is to be collected, unless it is 0.
func withPayment(reference string, cents int64) []byte {
	body := testkit.OrderJSON(reference, "")
	if cents == 0 {
		return body
	}
	return bytes.Replace(body, []byte(`"reference":`),
		fmt.Appendf(nil, `"cod":{"amount_cents":%d,"currency":"CAD"},"reference":`, cents), 1)
}

// openBooks adds partners and couriers, and has everything in the books from the first day.
func openBooks(t *testing.T, s *store.Store, partners, couriers []string) {
	t.Helper()
	ctx := t.Context()
	must(t, s.Partners().Write(ctx, func(tx partner.Writer) error {
		for _, id := range partners {
			if _, err := tx.AddPartner(ctx,
				&partner.Partner{PartnerID: id, Name: id, Email: id + "@example.com", CreatedAt: testkit.Epoch}); err != nil {
				return err
			}
		}
		return nil
	}))
	writeOperators(t, s, func(tx operator.Writer) error {
		for _, id := range couriers {
			added := &operator.Courier{Courier: delivery.Courier{CourierID: id, Name: "Camille " + id}, Active: true}
			if err := tx.AddCourier(ctx, added); err != nil {
				return err
			}
		}
		return nil
	})
	writeBooks(t, s, func(tx accounting.Writer) error {
		must(t, tx.SaveFirm(ctx, money.Firm{Name: "Plateau", Numbers: numbersOfRuns}))
		return tx.SaveSettings(ctx, money.Settings{
			From: date.Of(testkit.Epoch, testkit.Epoch.Location()) - 1, CollectedFrom: money.Beginning.CollectedFrom,
		})
	})
}

// balancesOf returns the balances of a filter, by account.
func balancesOf(t *testing.T, s *store.Store, filter accounting.Filter) map[money.Account]int64 {
	t.Helper()
	sums := map[money.Account]int64{}
	must(t, s.Accounting().Read(t.Context(), func(tx accounting.Reader) error {
		balances, err := tx.Balances(t.Context(), filter)
		clear(sums)
		for _, b := range balances {
			sums[b.Account] += b.Cents
		}
		return err
	}))
	return sums
}

// checkBooks reports entries that dropyard doctor would find.
func checkBooks(t *testing.T, s *store.Store) {
	t.Helper()
	must(t, s.Read(t.Context(), func(c db.Conn) error {
		return c.Query(t.Context(), store.WrongEntries, nil, func(r db.Row) error {
			var text string
			err := r.Scan(&text)
			t.Error(text)
			return err
		})
	}))
}

// acting returns a context in which the desk acts.
func acting(t *testing.T) context.Context {
	return audit.WithOperation(t.Context(), audit.Operation{OperatorID: "opr_1"})
}

// cashCrowd is what happens to the cash of two couriers at the same time on several nodes.
type cashCrowd struct {
	*testing.T
	db    *store.Store
	nodes []*cashNode
	// The first courier delivers orders of the first partner only, which are corrected in both directions; and the second
	// those of the second, which are corrected upwards.
	partners, couriers []string
	orders             []*delivery.Order // those of the partners in turn
	doors              int               // how many of them were at the door before this round
	lowered            atomic.Int64      // by corrections, in cents
}

// testCashOfMany delivers orders on three nodes while several people count the couriers' cash, correct what was
// collected, take cash to the bank and send it to the partners. After each round of it, several do the same at the same
// time, of which one succeeds.
func testCashOfMany(t *testing.T, s *store.Store) {
	var seconds atomic.Int64
	c := &cashCrowd{
		T: t, db: s, partners: []string{"par_0000000a", "par_0000000b"}, couriers: []string{"cou_a", "cou_b"},
	}
	openBooks(t, s, c.partners, c.couriers)
	for i := range 3 {
		c.nodes = append(c.nodes, newCashNode(t, s, s.Orders(), s.Accounting(), fmt.Sprint(i), func() time.Time {
			return testkit.Epoch.Add(time.Duration(seconds.Add(1)) * time.Second)
		}))
	}
	for round := range testkit.Scaled(20, 3) {
		c.toDoors(12)
		c.round(round)
		c.settle()
		c.check()
	}
	for _, node := range c.nodes {
		node.Close()
	}
}

// toDoors brings orders to the doors of their recipients.
func (c *cashCrowd) toDoors(count int) {
	c.Helper()
	c.doors = len(c.orders)
	for range count {
		i := len(c.orders)
		body := withPayment(fmt.Sprint("C-", i), int64(5000+i))
		o, err := createOrder(c.Context(), c.nodes[0].Service, c.partners[i%2], body, uint64(i))
		must(c.T, err)
		for _, move := range []order.Advance{
			{Status: delivery.StatusAccepted}, {Status: delivery.StatusCourierAssigned, CourierID: c.couriers[i%2]},
			{Status: delivery.StatusPickedUp}, {Status: delivery.StatusOutForDelivery},
		} {
			_, err := c.nodes[0].Advance(acting(c.T), nil, o.OrderID, move)
			must(c.T, err)
		}
		c.orders = append(c.orders, o)
	}
}

// round lets all of them act at the same time. The last two orders stay at their doors.
func (c *cashCrowd) round(number int) {
	var done sync.WaitGroup
	for i := range 24 {
		random := repeatable.Rand(c.T, fmt.Sprint("caller ", i, " of round ", number))
		act := []func(*cashNode, *rand.Rand){
			c.deliver, c.deliver, c.count, c.count, c.correct, c.correct, c.deposit, c.remit,
		}[i%8]
		done.Go(func() {
			for range 4 {
				act(c.nodes[random.IntN(len(c.nodes))], random)
			}
		})
	}
	done.Wait()
}

// settle delivers what is left, and has all cash handed in, deposited and remitted, by several at the same time.
func (c *cashCrowd) settle() {
	c.Helper()
	for _, o := range c.orders[c.doors : len(c.orders)-2] {
		c.together(func(n *cashNode) error { return c.deliverTo(n, o) }) // perhaps it was
	}
	for _, o := range c.orders[len(c.orders)-2:] {
		c.one("delivers "+o.PartnerOrderID, func(n *cashNode) error { return c.deliverTo(n, o) })
	}
	for i, courierID := range c.couriers {
		carried, err := c.nodes[0].books.CashWith(c.Context(), courierID)
		must(c.T, err)
		expected := money.SumOf(carried)
		c.one(fmt.Sprint("counts ", expected), func(n *cashNode) error {
			_, err := n.books.HandIn(acting(c.T), courierID,
				accounting.HandIn{Currency: delivery.CAD, Counted: expected, Expected: &expected})
			return err
		})
		owed := -balancesOf(c.T, c.db, accounting.Filter{PartnerID: c.partners[i]})[money.Collected]
		c.one(fmt.Sprint("remits ", owed), func(n *cashNode) error {
			_, err := n.books.Remit(acting(c.T), c.partners[i], accounting.Remittance{Money: cad(owed), From: money.Bank})
			return err
		})
	}
	desk := balancesOf(c.T, c.db, accounting.Filter{})[money.Desk]
	c.one(fmt.Sprint("deposits ", desk), func(n *cashNode) error {
		_, err := n.books.Deposit(acting(c.T), accounting.Deposit{Money: cad(desk), From: money.Desk})
		return err
	})
}

// together does something in six places at the same time, and returns how often it succeeded.
func (c *cashCrowd) together(act func(*cashNode) error) int64 {
	var done sync.WaitGroup
	var succeeded atomic.Int64
	begin := make(chan struct{})
	for i := range 6 {
		done.Go(func() {
			<-begin
			if !c.refusedOr(act(c.nodes[i%len(c.nodes)])) {
				succeeded.Add(1)
			}
		})
	}
	close(begin)
	done.Wait()
	return succeeded.Load()
}

// one does so with what only one can do.
func (c *cashCrowd) one(what string, act func(*cashNode) error) {
	c.Helper()
	if got := c.together(act); got != 1 {
		c.Errorf("%d of six succeeded, each of which %s, want one", got, what)
	}
}

// refusedOr reports an error unless it is a refusal.
func (c *cashCrowd) refusedOr(err error) (refused bool) {
	var reason *refusal.Error
	if err != nil && !errors.As(err, &reason) {
		c.Error(err)
	}
	return err != nil
}

func (c *cashCrowd) deliver(n *cashNode, random *rand.Rand) {
	left := c.orders[c.doors : len(c.orders)-2]
	c.refusedOr(c.deliverTo(n, left[random.IntN(len(left))]))
}

func (c *cashCrowd) deliverTo(n *cashNode, o *delivery.Order) error {
	_, err := n.Advance(acting(c.T), nil, o.OrderID,
		order.Advance{Status: delivery.StatusDelivered, Collected: o.CollectedAsAsked()})
	return err
}

// count counts the cash of a courier, who keeps some of it at times.
func (c *cashCrowd) count(n *cashNode, random *rand.Rand) {
	courierID := c.couriers[random.IntN(2)]
	carried, err := n.books.CashWith(c.Context(), courierID)
	must(c.T, err)
	expected := money.SumOf(carried)
	h := accounting.HandIn{Currency: delivery.CAD, Kept: max(0, expected) / int64(1+random.IntN(3)), Expected: &expected}
	if random.IntN(2) == 0 {
		h.Expected = nil
	}
	h.Counted = max(0, expected-h.Kept-int64(random.IntN(3))*5)
	count, err := n.books.HandIn(acting(c.T), courierID, h)
	if c.refusedOr(err) {
		return
	}
	if h.Expected != nil && count.Expected != expected {
		c.Errorf("counted %d cents of %d, want a refusal", count.Expected, expected)
	}
}

// correct corrects what was collected of an order.
func (c *cashCrowd) correct(n *cashNode, random *rand.Rand) {
	i := random.IntN(len(c.orders) - 2)
	o := c.orders[i]
	amount := *o.CollectedAsAsked()
	amount.Notes = "miscounted"
	if amount.AmountCents += int64(1 + random.IntN(50)); i%2 == 0 {
		amount.AmountCents -= 60
	}
	_, err := n.SetCollected(acting(c.T), nil, o.OrderID, order.CollectedWanted{Collected: &amount})
	if !c.refusedOr(err) && i%2 == 0 {
		c.lowered.Add(60) // at most
	}
}

func (c *cashCrowd) deposit(n *cashNode, random *rand.Rand) {
	_, err := n.books.Deposit(acting(c.T), accounting.Deposit{Money: cad(1 + random.Int64N(9000)), From: money.Desk})
	c.refusedOr(err)
}

func (c *cashCrowd) remit(n *cashNode, random *rand.Rand) {
	from := []money.Account{money.Bank, money.Desk}[random.IntN(2)]
	_, err := n.books.Remit(acting(c.T), c.partners[random.IntN(2)],
		accounting.Remittance{Money: cad(1 + random.Int64N(9000)), From: from})
	c.refusedOr(err)
}

func cad(cents int64) delivery.Money {
	return delivery.Money{AmountCents: cents, Currency: delivery.CAD}
}

// check compares the sums.
func (c *cashCrowd) check() {
	c.Helper()
	checkBooks(c.T, c.db)
	all := balancesOf(c.T, c.db, accounting.Filter{})
	by := map[money.Act]map[money.Account]int64{}
	for _, act := range money.Acts {
		by[act] = balancesOf(c.T, c.db, accounting.Filter{Act: act})
	}
	collected := -by[money.ActCollection][money.Collected] - by[money.ActCorrection][money.Collected]
	handedIn := by[money.ActHandIn][money.Desk]
	if got := all[money.Cash] + handedIn + all[money.Differences]; got != collected {
		c.Errorf("got %d cents on couriers, handed in and missing, want %d, which were collected", got, collected)
	}
	fromDesk := -by[money.ActDeposit][money.Desk] - by[money.ActRemittance][money.Desk]
	if got := all[money.Desk] + fromDesk; got != handedIn {
		c.Errorf("got %d cents at the desk, deposited and remitted, want %d, which were handed in", got, handedIn)
	}
	if all[money.Desk] < 0 {
		c.Errorf("got %d cents at the desk, want none below zero", all[money.Desk])
	}
	for i, partnerID := range c.partners {
		bound := []int64{c.lowered.Load(), 0}[i]
		sums := balancesOf(c.T, c.db, accounting.Filter{PartnerID: partnerID})
		if owed := -sums[money.Collected]; owed < -bound {
			c.Errorf("%s: got %d cents owed, want at most %d remitted too much", partnerID, owed, bound)
		}
		if sums[money.Cash] < -bound {
			c.Errorf("%s: got %d cents with the courier, want at most %d taken back", partnerID, sums[money.Cash], bound)
		}
	}
	c.eachOnce()
}

// eachOnce checks that each order has one entry about its delivery and one about what was collected.
func (c *cashCrowd) eachOnce() {
	c.Helper()
	for _, o := range c.orders {
		var acts []string
		must(c.T, c.db.Accounting().Read(c.Context(), func(tx accounting.Reader) error {
			entries, err := tx.Entries(c.Context(), accounting.Filter{OrderID: o.OrderID, Oldest: true, Limit: 1000})
			acts = nil
			for _, entry := range entries {
				if entry.Act != money.ActCorrection {
					acts = append(acts, string(entry.Act))
				}
			}
			return err
		}))
		if got := strings.Join(acts, " "); got != "delivery collection" {
			c.Errorf("%s: got the acts %s, want its delivery and collection", o.PartnerOrderID, got)
		}
	}
}
