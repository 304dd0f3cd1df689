package storetest

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

var (
	errKilled     = errors.New("killed") // the process of a transaction
	errRolledBack = errors.New("rolled back")
)

// life is how long a process lives.
type life struct {
	left      int  // transactions until it is killed
	committed bool // it is killed after the COMMIT of the last, whose answer is lost; otherwise before
	dead      bool
}

// write runs a transaction, as the process lives or dies.
func (l *life) write(run func(rollBack error) error) error {
	if l.dead {
		return errKilled
	}
	if l.left--; l.left > 0 {
		return run(nil)
	}
	l.dead = true
	if !l.committed {
		return run(errKilled)
	}
	return cmp.Or(run(nil), errKilled)
}

// writing runs a transaction that is rolled back with an error, unless it is nil. It is run twice, as databases do that
// roll a transaction back in favour of another one.
func writing[W any](
	ctx context.Context, write func(context.Context, func(W) error) error, fn func(W) error,
) func(error) error {
	return func(rollBack error) error {
		if err := write(ctx, func(tx W) error { return cmp.Or(fn(tx), errRolledBack) }); !errors.Is(err, errRolledBack) {
			return err
		}
		return write(ctx, func(tx W) error { return cmp.Or(fn(tx), rollBack) })
	}
}

// reading does the same with a transaction that reads.
func reading[R any](
	ctx context.Context, read func(context.Context, func(R) error) error, fn func(R) error,
) error {
	return read(ctx, func(tx R) error { return cmp.Or(fn(tx), fn(tx)) })
}

// mortalOrders is a store of orders in a process that may be killed.
type mortalOrders struct {
	order.Store
	*life
}

func (s mortalOrders) Write(ctx context.Context, fn func(order.Writer) error) error {
	return s.write(writing(ctx, s.Store.Write, fn))
}

// mortalBooks is the same of the books.
type mortalBooks struct {
	accounting.Store
	*life
}

func (s mortalBooks) Read(ctx context.Context, fn func(accounting.Reader) error) error {
	return reading(ctx, s.Store.Read, fn)
}

func (s mortalBooks) Write(ctx context.Context, fn func(accounting.Writer) error) error {
	return s.write(writing(ctx, s.Store.Write, fn))
}

// months are the months of a firm, one after the other, in which its process is killed again and again.
type months struct {
	*testing.T
	db     *store.Store
	random *rand.Rand
	node   *cashNode
	life   *life
	kills  int
	now    time.Time
	keys   uint64
	sums   map[string]map[money.Account]int64 // predicted, by partner; of all months
	month
}

// month is one of the months. The courier with a number delivers the orders of the partner with the same number only.
type month struct {
	partners, couriers []string
	orders             []*monthsOrder
	cash               map[string]int64 // by courier
}

// monthsOrder is what is known of an order.
type monthsOrder struct {
	*delivery.Order
	of       int // the number of its partner
	status   delivery.Status
	attempts int
	pickedUp bool
	due      bool // it has to come back
}

// testMonths compares the balances after each of many random months with those that follow from what was done. What is
// not answered, because the process was killed, is done again under the same key by the next process.
func testMonths(t *testing.T, s *store.Store) {
	m := &months{T: t, db: s, sums: map[string]map[money.Account]int64{}}
	number := testkit.Scaled(1000, 5)
	if s.Shared() {
		number = testkit.Scaled(200, 5) // a server is ten times as slow
	}
	for i := range number {
		m.random = repeatable.Rand(t, fmt.Sprint("month ", i))
		m.begin(i)
		for range 20 + m.random.IntN(40) {
			m.now = m.now.Add(time.Duration(m.random.IntN(1400)) * time.Minute)
			m.act()
		}
		m.check(i)
		if t.Failed() {
			return
		}
	}
	m.node.Close()
	checkBooks(t, s)
	t.Logf("%d months, %d kills", number, m.kills)
	if m.kills < number {
		t.Errorf("got %d kills in %d months, want more", m.kills, number)
	}
}

func (m *months) begin(number int) {
	m.Helper()
	m.month = month{cash: map[string]int64{}}
	m.now = testkit.Epoch
	for i := range 3 {
		m.partners = append(m.partners, fmt.Sprintf("par_%07d%d", number, i))
		m.couriers = append(m.couriers, fmt.Sprintf("cou_m%d%d", number, i))
	}
	openBooks(m.T, m.db, m.partners, m.couriers)
	if m.node == nil {
		m.start()
	}
}

// start starts a process, which will be killed.
func (m *months) start() {
	if m.node != nil {
		m.node.Close()
		m.kills++
	}
	m.life = &life{left: 1 + m.random.IntN(12), committed: m.random.IntN(2) == 0}
	m.node = newCashNode(m.T, m.db, mortalOrders{m.db.Orders(), m.life}, mortalBooks{m.db.Accounting(), m.life},
		fmt.Sprint("process ", m.kills), func() time.Time { return m.now })
}

// until repeats a request until a process has answered it, and reports whether it was carried out.
func (m *months) until(request func() error) bool {
	m.Helper()
	err := request()
	for errors.Is(err, errKilled) {
		m.start()
		err = request()
	}
	var refused *refusal.Error
	if err != nil && !errors.As(err, &refused) {
		m.Fatal(err)
	}
	return err == nil
}

// key returns a key that no other request has.
func (m *months) key() (key [16]byte) {
	m.keys++
	binary.NativeEndian.PutUint64(key[:], m.keys)
	return key
}

// onOrder makes a request about an order.
func (m *months) onOrder(
	scope string, request func(context.Context, *idempotency.Request) (order.Answer, error),
) bool {
	m.Helper()
	keyed := idempotency.NewRequest(idempotency.Key{Scope: scope, UUID: m.key()}, []byte(scope))
	return m.until(func() error {
		_, err := request(acting(m.T), &keyed)
		return err
	})
}

// onBooks posts to the books, as the service does for a request with a key: the receipt is written with the change.
func (m *months) onBooks(scope string, request func(context.Context) error) bool {
	m.Helper()
	change := idempotency.NewChange("opr_1", m.key(), scope, nil)
	change.RequestID, change.CreatedAt = fmt.Sprint("req_", m.keys), m.now
	return m.until(func() error {
		made, err := m.db.Receipts().Find(m.Context(), change.ChangeKey)
		if made != nil || err != nil {
			return err
		}
		return request(idempotency.WithChange(acting(m.T), change))
	})
}

func (m *months) post(partner int, lines map[money.Account]int64) {
	id := m.partners[partner]
	if m.sums[id] == nil {
		m.sums[id] = map[money.Account]int64{}
	}
	for account, cents := range lines {
		m.sums[id][account] += cents
	}
}

// charge adds what an act is charged with. Orders go from Quebec to Ontario, where the tax is 13 %; back to Quebec it
// is 5 %.
func (m *months) charge(partner int, cents int64, back bool) {
	rate, account := int64(13), money.TaxHST
	if back {
		rate, account = 5, money.TaxGST
	}
	tax := (cents*rate + 50) / 100
	m.post(partner, map[money.Account]int64{money.Charges: cents + tax, money.Revenue: -cents, account: -tax})
}

// collect adds what was collected by a courier in cash, or by card.
func (m *months) collect(partner int, cents int64, card bool) {
	held := money.Cash
	if card {
		held = money.Terminal
	} else {
		m.cash[m.couriers[partner]] += cents
	}
	m.post(partner, map[money.Account]int64{money.Collected: -cents, held: cents})
}

// act does something.
func (m *months) act() {
	m.Helper()
	acts := []func(){m.create, m.handIn, m.deposit, m.remit, m.pay, m.correct}
	if len(m.orders) > 0 {
		acts = append(acts, m.move, m.move, m.move, m.move, m.move, m.move, m.move, m.move, m.receive)
	}
	acts[m.random.IntN(len(acts))]()
}

func (m *months) create() {
	o := &monthsOrder{of: m.random.IntN(len(m.partners)), status: delivery.StatusPending}
	m.keys++
	number, cents := m.keys, int64(m.random.IntN(3))*m.random.Int64N(9000)
	m.until(func() (err error) {
		o.Order, err = createOrder(m.Context(), m.node.Service, m.partners[o.of],
			withPayment(fmt.Sprint("M-", number), cents), number)
		return err
	})
	m.orders = append(m.orders, o)
}

// move takes an order a step along. Most come to their ends.
func (m *months) move() {
	m.Helper()
	o := m.orders[m.random.IntN(len(m.orders))]
	next := delivery.NextStatuses(o.status)
	if len(next) == 0 {
		return
	}
	move := order.Advance{Status: next[m.random.IntN(len(next))], CourierID: m.couriers[o.of]}
	if i := slices.Index(forward, o.status); i >= 0 && m.random.IntN(4) > 0 {
		move.Status = forward[i+1]
	}
	if move.Status == delivery.StatusDelivered && o.COD != nil {
		move.Collected = m.amount(o)
	}
	if !m.onOrder("move", func(ctx context.Context, r *idempotency.Request) (order.Answer, error) {
		return m.node.Advance(ctx, r, o.OrderID, move)
	}) {
		m.Fatalf("the move of %s from %s to %s was refused", o.OrderID, o.status, move.Status)
	}
	m.moved(o, move)
}

// forward is the way of an order that nothing keeps from being delivered.
var forward = []delivery.Status{
	delivery.StatusPending, delivery.StatusAccepted, delivery.StatusCourierAssigned, delivery.StatusPickedUp,
	delivery.StatusOutForDelivery, delivery.StatusDelivered,
}

// moved predicts what follows from a move.
func (m *months) moved(o *monthsOrder, move order.Advance) {
	from := o.status
	o.status = move.Status
	switch move.Status {
	case delivery.StatusPickedUp:
		o.pickedUp = true
	case delivery.StatusOutForDelivery:
		o.pickedUp = true
		if o.attempts++; o.attempts > 1 {
			m.charge(o.of, additionsOfRuns.AttemptCents, false)
		}
	case delivery.StatusDelivered:
		m.charge(o.of, o.RateCents, false)
		m.set(o, move.Collected)
	case delivery.StatusCancelled:
		switch {
		case o.pickedUp:
			o.due = true
			m.charge(o.of, o.RateCents, false)
		case from == delivery.StatusCourierAssigned, from == delivery.StatusFailed:
			m.charge(o.of, additionsOfRuns.LateCancellationCents, false)
		}
	case delivery.StatusInTransit:
		o.pickedUp = true
	default: // costs nothing
	}
}

// set predicts what follows from what was collected, instead of what was recorded before; nil is nothing.
func (m *months) set(o *monthsOrder, collected *delivery.Collected) {
	if before := o.Course.Collected; before != nil {
		m.collect(o.of, -before.AmountCents, before.Method == delivery.PaidTerminal)
	}
	if o.Course.Collected = collected; collected != nil {
		m.collect(o.of, collected.AmountCents, collected.Method == delivery.PaidTerminal)
	}
}

// amount draws what was collected of an order.
func (m *months) amount(o *monthsOrder) *delivery.Collected {
	c := *o.CollectedAsAsked()
	c.Method = delivery.CollectionMethods[m.random.IntN(3)]
	switch {
	case c.Method == delivery.PaidNothing:
		c.AmountCents = 0
	case m.random.IntN(4) == 0:
		c.AmountCents = 1 + m.random.Int64N(9000)
	}
	c.Notes = "as it was"
	return &c
}

// correct corrects what was collected of an order.
func (m *months) correct() {
	m.Helper()
	i := slices.IndexFunc(m.orders, func(o *monthsOrder) bool {
		return o.status == delivery.StatusDelivered && o.COD != nil && m.random.IntN(2) == 0
	})
	if i < 0 {
		return
	}
	o := m.orders[i]
	amount := m.amount(o)
	m.onOrder("collected", func(ctx context.Context, r *idempotency.Request) (order.Answer, error) {
		return m.node.SetCollected(ctx, r, o.OrderID, order.CollectedWanted{Collected: amount})
	})
	m.set(o, amount)
}

// receive receives the goods of an order that come back.
func (m *months) receive() {
	m.Helper()
	i := slices.IndexFunc(m.orders, func(o *monthsOrder) bool { return o.due })
	if i < 0 {
		return
	}
	o := m.orders[i]
	if m.onOrder("receive", func(ctx context.Context, r *idempotency.Request) (order.Answer, error) {
		return m.node.Receive(ctx, r, o.OrderID, order.Receipt{Location: "MTL-1"})
	}) {
		o.due = false
		m.charge(o.of, additionsOfRuns.ReturnCents, true)
	}
}

// handIn counts the cash of a courier.
func (m *months) handIn() {
	m.Helper()
	i := m.random.IntN(len(m.couriers))
	expected := m.cash[m.couriers[i]]
	h := accounting.HandIn{Currency: delivery.CAD, Kept: max(0, expected) / int64(1+m.random.IntN(4)), Expected: &expected}
	h.Counted = max(0, expected-h.Kept+int64(m.random.IntN(3)-1)*20)
	if h.Kept > 0 && h.Kept == expected {
		h.Counted = 0
	}
	done := m.onBooks("hand-in", func(ctx context.Context) error {
		_, err := m.node.books.HandIn(ctx, m.couriers[i], h)
		return err
	})
	if done != (expected != 0) { // below zero after a correction, the courier is owed it
		m.Errorf("a count of %d cents: got it carried out %t", expected, done)
	}
	if done {
		m.cash[m.couriers[i]] = h.Kept
		m.post(i, map[money.Account]int64{
			money.Cash: h.Kept - expected, money.Desk: h.Counted, money.Differences: expected - h.Kept - h.Counted,
		})
	}
}

// deposit takes cash to the bank, or what was paid by card, of one partner after the other.
func (m *months) deposit() {
	m.Helper()
	cents, from := 1+m.random.Int64N(9000), []money.Account{money.Desk, money.Terminal}[m.random.IntN(2)]
	there := int64(0)
	for _, sums := range m.sums {
		there += sums[from]
	}
	done := m.onBooks("deposit", func(ctx context.Context) error {
		_, err := m.node.books.Deposit(ctx, accounting.Deposit{Money: cad(cents), From: from})
		return err
	})
	if done != (cents <= there) {
		m.Errorf("a deposit of %d cents of %d from the account %s: got it carried out %t", cents, there, from, done)
	}
	for _, partnerID := range slices.Sorted(maps.Keys(m.sums)) {
		if part := min(cents, m.sums[partnerID][from]); done && part > 0 {
			cents -= part
			m.sums[partnerID][from] -= part
			m.sums[partnerID][money.Bank] += part
		}
	}
}

// remit sends a partner what was collected for it.
func (m *months) remit() {
	m.Helper()
	i := m.random.IntN(len(m.partners))
	cents, owed := 1+m.random.Int64N(9000), -m.sums[m.partners[i]][money.Collected]
	done := m.onBooks("remit", func(ctx context.Context) error {
		_, err := m.node.books.Remit(ctx, m.partners[i], accounting.Remittance{Money: cad(cents), From: money.Bank})
		return err
	})
	if done != (cents <= owed) {
		m.Errorf("a remittance of %d cents of %d: got it carried out %t", cents, owed, done)
	}
	if done {
		m.post(i, map[money.Account]int64{money.Collected: cents, money.Bank: -cents})
	}
}

// pay records a payment, or an adjustment that is about no order.
func (m *months) pay() {
	m.Helper()
	i, cents := m.random.IntN(len(m.partners)), 1+m.random.Int64N(9000)
	if m.random.IntN(2) == 0 {
		m.onBooks("adjust", func(ctx context.Context) error {
			_, err := m.node.books.Adjust(ctx, m.partners[i], accounting.Adjustment{Cents: cents, Reason: "storage"})
			return err
		})
		m.post(i, map[money.Account]int64{money.Charges: cents, money.Revenue: -cents})
		return
	}
	m.onBooks("pay", func(ctx context.Context) error {
		_, err := m.node.books.Pay(ctx, m.partners[i], accounting.Payment{Cents: cents})
		return err
	})
	m.post(i, map[money.Account]int64{money.Charges: -cents, money.Bank: cents})
}

// check compares the balances.
func (m *months) check(number int) {
	m.Helper()
	for _, partnerID := range m.partners {
		got, sum := balancesOf(m.T, m.db, accounting.Filter{PartnerID: partnerID}), int64(0)
		for _, account := range money.Accounts {
			sum += got[account]
			if got[account] != m.sums[partnerID][account] {
				m.Errorf("month %d, %s: got %d cents on the account %s, want %d", number, partnerID, got[account], account,
					m.sums[partnerID][account])
			}
		}
		if sum != 0 {
			m.Errorf("month %d, %s: got balances that add up to %d", number, partnerID, sum)
		}
	}
	out, desk := map[string]int64{}, int64(0)
	carriers, err := m.node.books.Carriers(m.Context())
	must(m.T, err)
	for _, one := range carriers {
		out[one.CourierID] += one.Cents
	}
	for _, courierID := range m.couriers {
		if got := balancesOf(m.T, m.db, accounting.Filter{CourierID: courierID})[money.Cash]; got != m.cash[courierID] ||
			out[courierID] != got {
			m.Errorf("month %d: got %d and %d cents with %s, want %d", number, got, out[courierID], courierID, m.cash[courierID])
		}
	}
	balances, err := m.node.books.AtDesk(m.Context())
	must(m.T, err)
	for _, sums := range m.sums {
		desk += sums[money.Desk]
	}
	if got := money.BalanceOn(balances, money.Desk, delivery.CAD); got != desk {
		m.Errorf("month %d: got %d cents at the desk, want %d", number, got, desk)
	}
	m.checkDue(number)
}

// checkDue compares what is to be sent to the partners.
func (m *months) checkDue(number int) {
	m.Helper()
	due, err := m.node.books.ToRemit(m.Context())
	must(m.T, err)
	owed := map[string]int64{}
	for _, one := range due {
		owed[one.PartnerID] += one.Cents
	}
	for _, partnerID := range m.partners {
		if want := max(0, -m.sums[partnerID][money.Collected]); owed[partnerID] != want {
			m.Errorf("month %d: got %d cents to be sent to %s, want %d", number, owed[partnerID], partnerID, want)
		}
	}
}
