// Package storetest is the one suite that every engine must pass. It talks to
// a store only through the doors that the use cases have.
package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"pgregory.net/rapid"
)

// Run runs the suite. open gives an empty store, closed by the test's end.
func Run(t *testing.T, open func(t *testing.T) *store.Store) {
	for name, test := range map[string]func(*testing.T, *store.Store){
		"settings":          testSettings,
		"rollback":          testRollback,
		"cancelled context": testCancelledContext,
		"order round trip":  testOrderRoundTrip,
		"history":           testHistory,
		"raced":             testRaced,
		"stock":             testStock,
		"lists":             testLists,
		"concurrent stock":  testConcurrentStock,
		"ledgers":           testLedgers,
		"board":             testBoard,
		"board repair":      testRepair,
		"who moved":         testWhoMoved,
		"proofs":            testProofs,
		"couriers":          testCouriers,
		"courier jobs":      testCourierJobs,
		"operators":         testOperators,
		"operator tokens":   testOperatorTokens,
		"operator sessions": testOperatorSessions,
		"audit":             testAudit,
		"endpoints":         testEndpoints,
		"wakes":             testWakes,
		"queue":             testQueue,
		"behind":            testBehind,
		"skipping":          testSkipping,
		"event round trip":  testEventRoundTrip,
		"event lists":       testEventLists,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

const partnerID = "par_00000001"

var errWanted = errors.New("wanted")

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares all exported fields of two values, and those of what they point
// to.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	gotText, err := json.Marshal(got)
	must(t, err)
	wantText, err := json.Marshal(want)
	must(t, err)
	if string(gotText) != string(wantText) {
		t.Errorf("%s: got\n%s, want\n%s", what, gotText, wantText)
	}
}

func testSettings(t *testing.T, s *store.Store) {
	ctx := t.Context()
	set := func(value string) {
		must(t, s.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(ctx, "a", value) }))
	}
	get := func() (value string) {
		must(t, s.Read(ctx, func(tx *store.Tx) (err error) {
			value, err = tx.Setting(ctx, "a")
			return err
		}))
		return value
	}
	if got := get(); got != "" {
		t.Errorf("unset setting is %q", got)
	}
	set("1")
	set("2")
	if got := get(); got != "2" {
		t.Errorf("got %q, want the last value", got)
	}
}

func testRollback(t *testing.T, s *store.Store) {
	ctx := t.Context()
	err := s.Write(ctx, func(tx *store.Tx) error {
		must(t, tx.SetSetting(ctx, "a", "1"))
		return errWanted
	})
	if !errors.Is(err, errWanted) {
		t.Fatalf("got %v, want the error of the function", err)
	}
	must(t, s.Read(ctx, func(tx *store.Tx) error {
		value, err := tx.Setting(ctx, "a")
		if value != "" {
			t.Errorf("a failed write left %q behind", value)
		}
		return err
	}))
}

func testCancelledContext(t *testing.T, s *store.Store) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Read(ctx, func(*store.Tx) error { return nil }); err == nil {
		if err = s.Write(ctx, func(tx *store.Tx) error { return tx.SetSetting(ctx, "a", "1") }); err == nil {
			t.Error("neither a read nor a write noticed that nobody waits for it")
		}
	}
	must(t, s.Write(t.Context(), func(tx *store.Tx) error { return tx.SetSetting(t.Context(), "a", "2") }))
}

// newOrder makes an order of the suite's partner.
func newOrder(t testing.TB, reference string, at time.Time) *delivery.Order {
	t.Helper()
	id, err := delivery.NewOrderID(testkit.NewRandom(byte(len(reference))), partnerID, at)
	if err != nil {
		t.Fatal(err)
	}
	return testkit.Order(partnerID, id, reference, at)
}

func keyOf(o *delivery.Order) order.OrderKey {
	return order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}
}

// creation is the change that stores an order and its receipt.
func creation(o *delivery.Order, key byte) *order.Changes {
	document := record.Encode(o)
	return &order.Changes{
		Created: []order.Creation{{Order: o, Document: document}},
		Receipts: []*order.Receipt{{
			ReceiptKey: order.ReceiptKey{PartnerID: o.PartnerID, Scope: "POST /v1/orders", Key: [16]byte{key}},
			BodyHash:   [32]byte{key}, OrderID: o.OrderID, CreatedAt: o.CreatedAt, Answer: document, OfCreation: true,
		}},
	}
}

func save(ctx context.Context, s *store.Store, changes *order.Changes) error {
	changes.Complete()
	return s.Orders().Write(ctx, func(tx order.Writer) error { return tx.Save(ctx, changes) })
}

func load(t *testing.T, s *store.Store, needs *order.Needs) (state *order.State) {
	t.Helper()
	must(t, s.Orders().Write(t.Context(), func(tx order.Writer) (err error) {
		state, err = tx.Load(t.Context(), needs)
		return err
	}))
	return state
}

func testOrderRoundTrip(t *testing.T, s *store.Store) {
	ctx := t.Context()
	o := newOrder(t, "A-1", testkit.Epoch)
	changes := creation(o, 7)
	must(t, save(ctx, s, changes))

	key := changes.Receipts[0].ReceiptKey
	state := load(t, s, &order.Needs{
		Receipts:   []order.ReceiptKey{key, {PartnerID: partnerID, Scope: "other", Key: key.Key}},
		References: []order.Reference{{PartnerID: partnerID, PartnerOrderID: "A-1"}, {PartnerID: partnerID, PartnerOrderID: "A-2"}},
		Orders:     []order.OrderKey{keyOf(o), {PartnerID: partnerID, OrderID: "ord_none"}},
	})
	receipt := state.Receipts[key]
	if len(state.Receipts) != 1 || receipt == nil || receipt.OrderID != o.OrderID || receipt.BodyHash != [32]byte{7} {
		t.Fatalf("receipts: %+v", state.Receipts)
	}
	if string(receipt.Answer) != string(changes.Created[0].Document) {
		t.Errorf("the kept answer differs:\n%s\n%s", receipt.Answer, changes.Created[0].Document)
	}
	if len(state.Taken) != 1 || len(state.Orders) != 1 {
		t.Errorf("taken %v, orders %v", state.Taken, state.Orders)
	}
	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		got, err := tx.Order(ctx, partnerID, o.OrderID)
		if err != nil {
			return err
		}
		if string(record.Encode(got)) != string(record.Encode(o)) {
			t.Errorf("read back:\n%s\nstored:\n%s", record.Encode(got), record.Encode(o))
		}
		missing, err := tx.Order(ctx, "par_00000002", o.OrderID)
		if missing != nil {
			t.Error("another partner sees the order")
		}
		return err
	}))
}

// advance is the change that moves a stored order on by one version.
func advance(o *delivery.Order, to delivery.Status) *order.Changes {
	from := o.Version
	o.Version++
	o.Events++
	o.Status, o.UpdatedAt = to, o.UpdatedAt.Add(time.Minute)
	entry := delivery.HistoryEntry{Status: to, At: o.UpdatedAt, Notes: "note " + string(to)}
	o.History = append(o.History, entry)
	return &order.Changes{
		Changed: map[order.OrderKey]*order.Change{keyOf(o): {Order: o, FromVersion: from}},
		History: []order.History{{OrderKey: keyOf(o), Version: o.Version, Entry: entry}},
		Events: []*delivery.Event{{
			EventID: fmt.Sprintf("event-%d", o.Events), PartnerID: o.PartnerID, OrderID: o.OrderID,
			Type: delivery.EventOrderAccepted, Sequence: o.Events, CreatedAt: o.UpdatedAt,
		}},
	}
}

func testHistory(t *testing.T, s *store.Store) {
	ctx := t.Context()
	o := newOrder(t, "A-1", testkit.Epoch)
	must(t, save(ctx, s, creation(o, 1)))
	o.Courier = &delivery.Courier{CourierID: "cou_1", Name: "Camille Tremblay", Phone: "+15145550177", Vehicle: "van"}
	for _, to := range []delivery.Status{delivery.StatusAccepted, delivery.StatusCourierAssigned, delivery.StatusFailed} {
		must(t, save(ctx, s, advance(o, to)))
	}
	o.Cancellation = &delivery.Cancellation{Reason: "gave up", At: o.UpdatedAt.Add(time.Minute)}
	must(t, save(ctx, s, advance(o, delivery.StatusCancelled)))

	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		got, err := tx.Order(ctx, partnerID, o.OrderID)
		if err == nil && string(record.Encode(got)) != string(record.Encode(o)) {
			t.Errorf("read back:\n%s\nstored:\n%s", record.Encode(got), record.Encode(o))
		}
		return err
	}))
}

func testRaced(t *testing.T, s *store.Store) {
	ctx := t.Context()
	o := newOrder(t, "A-1", testkit.Epoch)
	must(t, save(ctx, s, creation(o, 1)))

	sameReference := newOrder(t, "A-1", testkit.Epoch.Add(time.Second))
	sameKey := newOrder(t, "A-22", testkit.Epoch.Add(time.Second))
	stale := *o
	must(t, save(ctx, s, advance(o, delivery.StatusAccepted)))
	for name, changes := range map[string]*order.Changes{
		"same reference": creation(sameReference, 2),
		"same key":       creation(sameKey, 1),
		"stale version":  advance(&stale, delivery.StatusAccepted),
	} {
		if err := save(ctx, s, changes); !errors.Is(err, order.ErrRaced) {
			t.Errorf("%s: got %v, want ErrRaced", name, err)
		}
	}
	must(t, s.Orders().Read(ctx, func(tx order.Reader) error {
		all, _, err := tx.Orders(ctx, order.Filter{PartnerID: partnerID, Limit: 10})
		if len(all) != 1 {
			t.Errorf("%d orders are left, want 1", len(all))
		}
		return err
	}))
}

func testStock(t *testing.T, s *store.Store) {
	ctx := t.Context()
	product := addProduct(t, s)
	levels := []delivery.Level{{ProductID: 1, Location: "A", Quantity: 3}, {ProductID: 1, Location: "B", Quantity: 4}}
	must(t, save(ctx, s, &order.Changes{
		Movements:    []order.Movement{{PartnerID: partnerID, Movement: delivery.Movement{MovementID: 1, Type: delivery.MovementIn, Quantity: 7, ProductID: 1, Location: "A"}}},
		LastMovement: map[string]int64{partnerID: 1},
		Stock:        map[order.ProductKey]*order.Stock{product: {Product: delivery.Product{Quantity: 7}, Levels: levels}},
	}))
	state := load(t, s, &order.Needs{Products: []order.ProductKey{product, {PartnerID: partnerID, ProductID: 9}}})
	stock := state.Stock[product]
	if len(state.Stock) != 1 || stock == nil || stock.Quantity != 7 || state.LastMovement[partnerID] != 1 {
		t.Fatalf("stock %+v, last movement %v", stock, state.LastMovement)
	}
	slices.SortFunc(stock.Levels, func(a, b delivery.Level) int { return int(a.Quantity - b.Quantity) })
	if !slices.Equal(stock.Levels, levels) {
		t.Errorf("levels: %+v, want %+v", stock.Levels, levels)
	}
}

// testLists holds every filter against a plain filter in memory.
func testLists(t *testing.T, s *store.Store) {
	ctx := t.Context()
	var all []*delivery.Order // newest first
	changes := &order.Changes{}
	for i := range 60 {
		o := newOrder(t, fmt.Sprintf("A-%02d", i), testkit.Epoch.Add(time.Duration(i)*time.Minute))
		o.Status = delivery.Statuses[i%3]
		changes.Created = append(changes.Created, order.Creation{Order: o, Document: record.Encode(o)})
		all = slices.Insert(all, 0, o)
	}
	stranger := testkit.Order("par_00000002", "ord_x", "A-01", testkit.Epoch)
	changes.Created = append(changes.Created, order.Creation{Order: stranger, Document: record.Encode(stranger)})
	must(t, save(ctx, s, changes))

	rapid.Check(t, func(rt *rapid.T) {
		f := drawFilter(rt, all)
		var got []*delivery.Order
		if err := s.Orders().Read(ctx, func(tx order.Reader) (err error) {
			got, _, err = tx.Orders(ctx, f)
			return err
		}); err != nil {
			rt.Fatal(err)
		}
		want := filtered(all, f)
		if !slices.EqualFunc(got, want, func(a, b *delivery.Order) bool { return a.OrderID == b.OrderID }) {
			rt.Fatalf("filter %+v: got %d orders, want %d", f, len(got), len(want))
		}
	})
}

func drawFilter(rt *rapid.T, all []*delivery.Order) order.Filter {
	f := order.Filter{PartnerID: partnerID, Limit: rapid.IntRange(1, 70).Draw(rt, "limit"), Offset: rapid.Int64Range(0, 70).Draw(rt, "offset")}
	if rapid.Bool().Draw(rt, "by status") {
		f.Status = rapid.SampledFrom(delivery.Statuses[:4]).Draw(rt, "status")
	}
	if rapid.Bool().Draw(rt, "by cursor") {
		f.Before = rapid.SampledFrom(all).Draw(rt, "cursor").OrderID
	}
	if rapid.Bool().Draw(rt, "by reference") {
		f.PartnerOrderID = rapid.SampledFrom(all).Draw(rt, "reference").PartnerOrderID
	}
	if rapid.Bool().Draw(rt, "from") {
		f.CreatedFrom = rapid.SampledFrom(all).Draw(rt, "created from").CreatedAt
	}
	if rapid.Bool().Draw(rt, "to") {
		f.CreatedTo = rapid.SampledFrom(all).Draw(rt, "created to").CreatedAt
	}
	return f
}

func filtered(all []*delivery.Order, f order.Filter) (want []*delivery.Order) {
	skip := f.Offset
	for _, o := range all {
		if f.Status != "" && o.Status != f.Status || f.Before != "" && o.OrderID >= f.Before ||
			f.PartnerOrderID != "" && o.PartnerOrderID != f.PartnerOrderID ||
			!f.CreatedFrom.IsZero() && o.CreatedAt.Before(f.CreatedFrom) ||
			!f.CreatedTo.IsZero() && !o.CreatedAt.Before(f.CreatedTo) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		if len(want) < f.Limit {
			want = append(want, o)
		}
	}
	return want
}

// testConcurrentStock adds to one level from many sides at once; a lost update
// would show, because Load locks what it reads.
func testConcurrentStock(t *testing.T, s *store.Store) {
	ctx := t.Context()
	product := addProduct(t, s)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				if err := s.Orders().Write(ctx, func(tx order.Writer) error { return receive(ctx, tx, product) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	state := load(t, s, &order.Needs{Products: []order.ProductKey{product}})
	if stock := state.Stock[product]; stock.Quantity != 80 || len(stock.Levels) != 1 || stock.Levels[0].Quantity != 80 || state.LastMovement[partnerID] != 80 {
		t.Errorf("stock %+v, last movement %d, want 80", stock, state.LastMovement[partnerID])
	}
}

// receive books one more of the product.
func receive(ctx context.Context, tx order.Writer, product order.ProductKey) error {
	state, err := tx.Load(ctx, &order.Needs{Products: []order.ProductKey{product}})
	if err != nil {
		return err
	}
	stock, last := state.Stock[product], state.LastMovement[partnerID]+1
	stock.Quantity++
	stock.Levels = []delivery.Level{{ProductID: product.ProductID, Location: "A", Quantity: stock.Quantity}}
	return tx.Save(ctx, &order.Changes{
		Movements: []order.Movement{{PartnerID: partnerID, Movement: delivery.Movement{
			MovementID: last, Type: delivery.MovementIn, Quantity: 1, ProductID: product.ProductID, Location: "A",
		}}},
		LastMovement: map[string]int64{partnerID: last},
		Stock:        map[order.ProductKey]*order.Stock{product: stock},
	})
}

// addProduct gives the suite's partner its first product.
func addProduct(t *testing.T, s *store.Store) order.ProductKey {
	t.Helper()
	ctx := t.Context()
	product := order.ProductKey{PartnerID: partnerID, ProductID: 1}
	must(t, s.Write(ctx, func(tx *store.Tx) error { return tx.AddPartnerCounters(ctx, partnerID) }))
	must(t, s.Write(ctx, func(tx *store.Tx) error {
		id, err := tx.AddProducts(ctx, partnerID, testkit.Epoch, delivery.Product{Name: "Lamp", Status: delivery.ProductActive})
		if id != product.ProductID {
			t.Errorf("the first product has the id %d", id)
		}
		return err
	}))
	return product
}
