package storetest

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
)

// register adds the suite's partner.
func register(t *testing.T, s *store.Store) {
	t.Helper()
	account := &partner.Partner{PartnerID: partnerID, Name: "Metro", Email: "A@b.example", CreatedAt: testkit.Epoch}
	must(t, s.Partners().Write(t.Context(), func(tx partner.Writer) error {
		added, err := tx.AddPartner(t.Context(), account)
		if err == nil && !added {
			t.Error("got no partner, want one")
		}
		return err
	}))
}

// addProducts gives the suite's partner products with the ids 1, 2, ….
func addProducts(t *testing.T, s *store.Store, products ...delivery.Product) []movement.ProductKey {
	t.Helper()
	register(t, s)
	must(t, s.Stock().Write(t.Context(), func(tx stock.Writer) error {
		first, err := tx.AddProducts(t.Context(), partnerID, testkit.Epoch, products...)
		if first != 1 {
			t.Errorf("got first id %d, want 1", first)
		}
		return err
	}))
	keys := make([]movement.ProductKey, len(products))
	for i := range products {
		keys[i] = movement.ProductKey{PartnerID: partnerID, ProductID: int64(i + 1)}
	}
	return keys
}

var lamp = delivery.Product{
	Name: "Lamp", StockMin: 3, StockMax: 40, PriceCents: 1999, Barcode: "4006381333931", Status: delivery.ProductActive,
}

// book books movements in the stock of the suite's partner.
func book(t *testing.T, s *store.Store, movements ...delivery.Movement) {
	t.Helper()
	must(t, s.Stock().Write(t.Context(), func(tx stock.Writer) error {
		ids := make([]int64, 0, len(movements))
		for _, m := range movements {
			ids = append(ids, m.ProductID)
		}
		locked, err := tx.LockStock(t.Context(), partnerID, ids...)
		if err != nil {
			return err
		}
		for _, m := range movements {
			locked.Book(m)
		}
		return tx.SaveStock(t.Context(), locked)
	}))
}

func readStock(t *testing.T, s *store.Store, read func(tx stock.Reader) error) {
	t.Helper()
	must(t, s.Stock().Read(t.Context(), read))
}

func testProducts(t *testing.T, s *store.Store) {
	ctx := t.Context()
	inactive := delivery.Product{
		Name: "Rug 50%_off", StockMin: 1, StockMax: 2, PriceCents: 7, Barcode: "B-2", Status: delivery.ProductInactive,
	}
	addProducts(t, s, lamp, inactive)
	first, second := lamp, inactive
	first.ProductID, second.ProductID = 1, 2
	wantProducts := func(filter stock.ProductFilter, want ...delivery.Product) {
		t.Helper()
		filter.PartnerID = partnerID
		readStock(t, s, func(tx stock.Reader) error {
			count, err := tx.CountProducts(ctx, filter)
			if err != nil {
				return err
			}
			filter.Limit = 10
			got, err := tx.Products(ctx, filter)
			if !slices.Equal(got, want) || count != int64(len(want)) {
				t.Errorf("%+v: got %+v, counted %d, want %+v", filter, got, count, want)
			}
			return err
		})
	}
	wantProducts(stock.ProductFilter{}, first, second)
	wantProducts(stock.ProductFilter{Search: "50%_"}, second)
	wantProducts(stock.ProductFilter{Search: "5_%"})
	wantProducts(stock.ProductFilter{Search: "4006381333931"}, first)
	wantProducts(stock.ProductFilter{Status: delivery.ProductInactive}, second)
	wantProducts(stock.ProductFilter{After: 1}, second)
	wantProducts(stock.ProductFilter{LowStock: true}, first, second)

	book(t, s, delivery.Movement{Type: delivery.MovementIn, Quantity: 5, ProductID: 1, Location: "A"})
	changed := delivery.Product{
		ProductID: 1, Name: "Lamp 2", StockMin: 4, StockMax: 41, PriceCents: 2000, Barcode: "X",
		SKU: "LAMP-2", Status: delivery.ProductInactive,
	}
	must(t, s.Stock().Write(ctx, func(tx stock.Writer) error { return tx.SaveProducts(ctx, partnerID, changed) }))
	changed.Quantity = 5 // which a change of the description leaves alone
	wantProducts(stock.ProductFilter{Search: "lamp 2"}, changed)
	wantProducts(stock.ProductFilter{LowStock: true}, second)
	wantProducts(stock.ProductFilter{SKU: "LAMP-2"}, changed)
	wantProducts(stock.ProductFilter{SKU: "lamp-2"})
	wantProducts(stock.ProductFilter{Search: "lamp-2"}, changed)

	must(t, s.Stock().Write(ctx, func(tx stock.Writer) error {
		codes, err := tx.Codes(ctx, partnerID)
		want := stock.Codes{
			Barcodes: map[string][]int64{"X": {1}, "B-2": {2}}, SKUs: map[string][]int64{"LAMP-2": {1}},
		}
		if !reflect.DeepEqual(codes, want) {
			t.Errorf("got codes %v, want %v", codes, want)
		}
		if err != nil {
			return err
		}
		none, err := tx.AddProducts(ctx, "par_00000002", testkit.Epoch, lamp)
		if none != 0 {
			t.Errorf("an unknown partner got the product %d", none)
		}
		return err
	}))
	readStock(t, s, func(tx stock.Reader) error {
		for id, want := range map[string]bool{partnerID: true, "par_00000002": false} {
			if known, err := tx.HasPartner(ctx, id); err != nil || known != want {
				t.Errorf("%s: got %v, %v, want %v", id, known, err, want)
			}
		}
		return nil
	})
}

func testLowStock(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addProducts(t, s, lamp, lamp, lamp)
	book(t, s, delivery.Movement{Type: delivery.MovementIn, Quantity: lamp.StockMin + 1, ProductID: 2, Location: "A"})
	readStock(t, s, func(tx stock.Reader) error {
		low, err := tx.LowStock(ctx, stock.PartnerProduct{}, 10)
		if len(low) != 2 || low[0].ProductID != 1 || low[1].ProductID != 3 || low[0].PartnerID != partnerID ||
			low[0].Name != lamp.Name {
			t.Errorf("got %+v, want products 1 and 3", low)
		}
		if err != nil || len(low) == 0 {
			return err
		}
		rest, err := tx.LowStock(ctx, low[0], 10)
		if len(rest) != 1 || rest[0].ProductID != 3 {
			t.Errorf("got %+v after product 1, want product 3", rest)
		}
		return err
	})
}

func testFindProducts(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addProducts(t, s, lamp, lamp)
	readStock(t, s, func(tx stock.Reader) error {
		for _, c := range []struct {
			search      string
			limit, want int
		}{{"lamp", 10, 2}, {"amp", 1, 1}, {"4006381", 10, 2}, {"_", 10, 0}, {"none", 10, 0}} {
			found, err := tx.FindProducts(ctx, c.search, c.limit)
			if err != nil || len(found) != c.want || c.want > 0 && found[0].PartnerID != partnerID {
				t.Errorf("%q, at most %d: got %+v, %v, want %d products", c.search, c.limit, found, err, c.want)
			}
		}
		return nil
	})
}

func testMovements(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addProducts(t, s, lamp, lamp)
	at := testkit.Epoch
	booked := []delivery.Movement{
		{Type: delivery.MovementIn, Quantity: 7, ProductID: 1, Location: "A", Notes: "first", At: at},
		{Type: delivery.MovementOut, Quantity: 2, ProductID: 1, Location: "A", OrderID: "ord_1", At: at.Add(time.Minute)},
		{Type: delivery.MovementAdjustment, Quantity: 3, ProductID: 2, Location: "B", Notes: "count", At: at.Add(2 *
			time.Minute)},
	}
	book(t, s, booked...)
	for i := range booked {
		booked[i].MovementID, booked[i].ProductName = int64(i+1), lamp.Name
	}
	for name, test := range map[string]struct {
		filter stock.MovementFilter
		want   []int // of booked
	}{
		"all":      {stock.MovementFilter{}, []int{2, 1, 0}},
		"product":  {stock.MovementFilter{ProductID: 1}, []int{1, 0}},
		"type":     {stock.MovementFilter{Type: delivery.MovementIn}, []int{0}},
		"location": {stock.MovementFilter{Location: "B"}, []int{2}},
		"from":     {stock.MovementFilter{From: booked[1].At}, []int{2, 1}},
		"to":       {stock.MovementFilter{To: booked[1].At}, []int{0}},
		"before":   {stock.MovementFilter{Before: 3}, []int{1, 0}},
		"page":     {stock.MovementFilter{Offset: 1, Limit: 1}, []int{1}},
	} {
		test.filter.PartnerID = partnerID
		if test.filter.Limit == 0 {
			test.filter.Limit = 10
		}
		var want []delivery.Movement
		for _, i := range test.want {
			want = append(want, booked[i])
		}
		readStock(t, s, func(tx stock.Reader) error {
			got, err := tx.Movements(ctx, test.filter)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %+v, want %+v", name, got, want)
			}
			return err
		})
	}
}

func testBooking(t *testing.T, s *store.Store) {
	ctx := t.Context()
	keys := addProducts(t, s, lamp)
	book(t, s,
		delivery.Movement{Type: delivery.MovementIn, Quantity: 4, ProductID: 1, Location: "B"},
		delivery.Movement{Type: delivery.MovementIn, Quantity: 3, ProductID: 1, Location: "A"})
	want := lamp
	want.ProductID, want.Quantity = 1, 7
	levels := []delivery.Level{{ProductID: 1, Location: "A", Quantity: 3}, {ProductID: 1, Location: "B", Quantity: 4}}
	readStock(t, s, func(tx stock.Reader) error {
		got, at, err := tx.Product(ctx, partnerID, 1)
		if got == nil || *got != want || !slices.Equal(at, levels) {
			t.Errorf("got %+v at %+v, want %+v at %+v", got, at, want, levels)
		}
		if err != nil {
			return err
		}
		none, _, err := tx.Product(ctx, partnerID, 2)
		if none != nil {
			t.Errorf("got %+v, want no product 2", none)
		}
		return err
	})
	for _, state := range []*order.State{
		load(t, s, &order.Needs{Products: append(keys, movement.ProductKey{PartnerID: partnerID, ProductID: 9})}),
		peek(t, s, &order.Needs{Products: keys}),
	} {
		of := state.Stocks[partnerID]
		if of == nil || of.LastMovement != 2 || len(of.Products) != 1 {
			t.Fatalf("got ledger %+v, want movement 2 and one product", of)
		}
		product := of.Products[1]
		slices.SortFunc(product.Levels, func(a, b delivery.Level) int { return int(a.Quantity - b.Quantity) })
		if product.Product != want || !slices.Equal(product.Levels, levels) {
			t.Errorf("got %+v, want %+v at %+v", product, want, levels)
		}
	}
	codes(t, s, keys[0])
	must(t, s.Stock().Write(ctx, func(tx stock.Writer) error {
		none, err := tx.LockStock(ctx, "par_00000002", 1)
		if none != nil {
			t.Errorf("got the ledger %+v of an unknown partner", none)
		}
		return err
	}))
}

func testReceipts(t *testing.T, s *store.Store) {
	ctx := t.Context()
	kept := &idempotency.Receipt{
		Request: idempotency.Request{
			Key: idempotency.Key{
				PartnerID: partnerID, Scope: "POST /ops/v1/counts", UUID: [16]byte{1, 2},
			}, BodyHash: [32]byte{3, 4},
		},
		OrderID: "ord_1", CreatedAt: testkit.Epoch, Answer: []byte(`{"a":1}`),
	}
	must(t, s.Stock().Write(ctx, func(tx stock.Writer) error { return tx.AddReceipt(ctx, kept) }))
	must(t, s.Stock().Write(ctx, func(tx stock.Writer) error {
		got, err := tx.Receipt(ctx, kept.Key)
		if !reflect.DeepEqual(got, kept) {
			t.Errorf("got %+v, want %+v", got, kept)
		}
		if err != nil {
			return err
		}
		other := kept.Key
		other.Scope = "another"
		none, err := tx.Receipt(ctx, other)
		if none != nil {
			t.Errorf("got %+v in another scope, want nothing", none)
		}
		return err
	}))
}

// testConcurrentStock books in one stock from many sides; a lost update would
// show, because Load locks what it reads.
func testConcurrentStock(t *testing.T, s *store.Store) {
	ctx := t.Context()
	keys := addProducts(t, s, lamp)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 10 {
				if err := s.Orders().Write(ctx, func(tx order.Writer) error { return receive(ctx, tx, keys[0]) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	of := load(t, s, &order.Needs{Products: keys}).Stocks[partnerID]
	if product := of.Products[1]; product.Quantity != 80 || len(product.Levels) != 1 ||
		product.Levels[0].Quantity != 80 || of.LastMovement != 80 {
		t.Errorf("got %+v and last movement %d, want 80", product, of.LastMovement)
	}
}

// receive books one more of the product.
func receive(ctx context.Context, tx order.Writer, product movement.ProductKey) error {
	state, err := tx.Load(ctx, &order.Needs{Products: []movement.ProductKey{product}})
	if err != nil {
		return err
	}
	state.Stocks[partnerID].Book(delivery.Movement{
		Type: delivery.MovementIn, Quantity: 1, ProductID: product.ProductID, Location: "A",
	})
	return order.Apply(ctx, tx, &order.Changes{Stocks: state.Stocks})
}

// codes looks products up by their skus and barcodes, beside others by their ids.
func codes(t *testing.T, s *store.Store, known movement.ProductKey) {
	t.Helper()
	code := func(text string) movement.ProductCode { return movement.ProductCode{PartnerID: partnerID, Code: text} }
	lamp := delivery.Product{ProductID: 1, Name: "Lamp", SKU: "S-1", Barcode: "B-1", Status: delivery.ProductActive}
	must(t, s.Stock().Write(t.Context(), func(tx stock.Writer) error {
		return tx.SaveProducts(t.Context(), partnerID, lamp)
	}))
	needs := &order.Needs{
		Products: []movement.ProductKey{known}, SKUs: []movement.ProductCode{code("S-1"), code("S-2")},
		Barcodes: []movement.ProductCode{code(""), code("B-1"), code("S-1")},
	}
	for _, state := range []*order.State{
		load(t, s, needs), peek(t, s, needs), load(t, s, &order.Needs{SKUs: needs.SKUs, Barcodes: needs.Barcodes}),
	} {
		if want := map[movement.ProductCode][]int64{code("S-1"): {1}}; !reflect.DeepEqual(state.SKUs, want) {
			t.Errorf("got the skus %v, want %v", state.SKUs, want)
		}
		if want := map[movement.ProductCode][]int64{code("B-1"): {1}}; !reflect.DeepEqual(state.Barcodes, want) {
			t.Errorf("got the barcodes %v, want %v", state.Barcodes, want)
		}
		if of := state.Stocks[partnerID]; of == nil || of.Products[1] == nil || of.Products[1].Levels == nil {
			t.Errorf("got the stock %+v, want the product with its levels", of)
		}
	}
}
