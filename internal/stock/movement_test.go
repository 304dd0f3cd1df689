package stock_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/stock"
)

// levels returns a product's levels and the partner's last movement id, as the order
// room reads them.
func (f *fixture) levels(productID int64) (levels map[string]int64, last int64) {
	f.t.Helper()
	key := movement.ProductKey{PartnerID: ours, ProductID: productID}
	levels = map[string]int64{}
	err := f.store.Orders().Write(f.t.Context(), func(tx order.Writer) error {
		state, err := tx.Load(f.t.Context(), &order.Needs{Products: []movement.ProductKey{key}})
		if err != nil {
			return err
		}
		for _, level := range state.Stocks[ours].Products[productID].Levels {
			levels[level.Location] = level.Quantity
		}
		last = state.Stocks[ours].LastMovement
		return nil
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return levels, last
}

func TestRecordEveryType(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	id := f.product(ours, `{"name":"Coffee","price":1,"stock_min":10}`)
	f.record(`{"type":"IN","product_id":1,"quantity":100,"location":"MTL-01","notes":"Delivery note 5512"}`)
	f.clock.Advance(1500 * time.Microsecond)
	f.record(`{"type":"OUT","product_id":1,"quantity":30.0,"location":"MTL-01"}`)
	f.record(`{"type":"ADJUSTMENT","product_id":1,"quantity":-5,"location":"MTL-01"}`)
	f.record(`{"type":"ADJUSTMENT","product_id":1,"quantity":2,"location":"QC-03","to_location":null}`)
	booked := f.record(`{"type":"TRANSFER","product_id":1,"quantity":65,"location":"MTL-01","to_location":"TOR-02"}`)

	later := start.Add(time.Millisecond)
	want := []delivery.Movement{
		{MovementID: 6, Type: "TRANSFER", Quantity: 65, ProductID: 1, ProductName: "Coffee", Location: "TOR-02", At: later},
		{MovementID: 5, Type: "TRANSFER", Quantity: -65, ProductID: 1, ProductName: "Coffee", Location: "MTL-01", At: later},
		{MovementID: 4, Type: "ADJUSTMENT", Quantity: 2, ProductID: 1, ProductName: "Coffee", Location: "QC-03", At: later},
		{MovementID: 3, Type: "ADJUSTMENT", Quantity: -5, ProductID: 1, ProductName: "Coffee", Location: "MTL-01", At: later},
		{MovementID: 2, Type: "OUT", Quantity: 30, ProductID: 1, ProductName: "Coffee", Location: "MTL-01", At: later},
		{
			MovementID: 1, Type: "IN", Quantity: 100, ProductID: 1, ProductName: "Coffee", Location: "MTL-01",
			Notes: "Delivery note 5512", At: start,
		},
	}
	if got := f.ledger(id); !slices.Equal(got, want) {
		t.Errorf("ledger: got\n%+v\nwant\n%+v", got, want)
	}
	if !slices.Equal(booked, []delivery.Movement{want[1], want[0]}) {
		t.Errorf("transfer: got %+v, want both of its movements, %+v", booked, want[:2])
	}
	levels, last := f.levels(id)
	if !maps.Equal(levels, map[string]int64{"MTL-01": 0, "QC-03": 2, "TOR-02": 65}) || last != 6 {
		t.Errorf("got levels %v, last movement %d, want MTL-01 0, QC-03 2, TOR-02 65, last movement 6", levels, last)
	}
	if p := f.find(id); p.Quantity != 67 || p.LowStock() || !p.Available() {
		t.Errorf("got %+v, want 67 in stock", p)
	}
}

func TestRecordRefusesMoreThanInStock(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	id := f.product(ours, `{"name":"Coffee","price":1,"status":"inactive"}`)
	f.record(`{"type":"IN","product_id":1,"quantity":3,"location":"A"}`)
	f.record(`{"type":"IN","product_id":1,"quantity":9,"location":"B"}`)
	for body, want := range map[string]string{
		`{"type":"OUT","product_id":1,"quantity":4,"location":"A"}`:                           `{"items":[{"product_id":1,"available":3,"requested":4}]}`,
		`{"type":"OUT","product_id":1,"quantity":1000000000,"location":"nowhere"}`:            `{"items":[{"product_id":1,"available":0,"requested":1000000000}]}`,
		`{"type":"ADJUSTMENT","product_id":1,"quantity":-10,"location":"B"}`:                  `{"items":[{"product_id":1,"available":9,"requested":10}]}`,
		`{"type":"TRANSFER","product_id":1,"quantity":4,"location":"A","to_location":"B"}`:    `{"items":[{"product_id":1,"available":3,"requested":4}]}`,
		`{"type":"TRANSFER","product_id":1,"quantity":1,"location":"new","to_location":"B"}`:  `{"items":[{"product_id":1,"available":0,"requested":1}]}`,
		`{"type":"TRANSFER","product_id":1,"quantity":10,"location":"B","to_location":"new"}`: `{"items":[{"product_id":1,"available":9,"requested":10}]}`,
	} {
		movements, err := f.book(ours, body)
		if !refusal.HasCode(err, delivery.CodeInsufficientStock) || movements != nil {
			t.Errorf("%s: got %v, %v, want insufficient_stock", body, movements, err)
			continue
		}
		if details := detailsOf(t, err); string(details) != want {
			t.Errorf("%s: got details %s, want %s", body, details, want)
		}
	}
	levels, last := f.levels(id)
	if !maps.Equal(levels, map[string]int64{"A": 3, "B": 9}) || last != 2 || f.find(id).Quantity != 12 {
		t.Errorf("after refusals: got levels %v, last movement %d, want A 3, B 9, last movement 2", levels, last)
	}
}

func TestRecordRefuses(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.product(ours, `{"name":"Coffee","price":1}`)
	f.product(theirs, `{"name":"Tea","price":1}`)
	f.product(theirs, `{"name":"Milk","price":1}`)
	for body, want := range map[string][]string{
		`null`: {""},
		`{}`:   {"type", "product_id", "quantity", "location"},
		`{"type":"in","product_id":"1","quantity":1.5,"location":7}`: {
			"type", "product_id", "quantity", "location",
		},
		`{"type":"IN","product_id":1,"quantity":0,"location":""}`: {"quantity",
			"location"},
		`{"type":"OUT","product_id":1,"quantity":-1,"location":"A"}`:                 {"quantity"},
		`{"type":"IN","product_id":1,"quantity":1000000001,"location":"A"}`:          {"quantity"},
		`{"type":"ADJUSTMENT","product_id":1,"quantity":0,"location":"A"}`:           {"quantity"},
		`{"type":"ADJUSTMENT","product_id":1,"quantity":-1000000001,"location":"A"}`: {"quantity"},
		`{"type":"TRANSFER","product_id":1,"quantity":1,"location":"A"}`: {
			"to_location",
		},
		`{"type":"TRANSFER","product_id":1,"quantity":1,"location":"A","to_location":"A"}`: {
			"to_location",
		},
		`{"type":"IN","product_id":1,"quantity":1,"location":"A","to_location":"B"}`: {
			"to_location",
		},
		`{"type":"IN","product_id":1,"quantity":1,"location":"` + strings.Repeat("x", 65) + `"}`:               {"location"},
		`{"type":"IN","product_id":1,"quantity":1,"location":"A","notes":"` + strings.Repeat("x", 1001) + `"}`: {"notes"},
		// another partner's
		`{"type":"IN","product_id":2,"quantity":1,"location":"A"}`: {"product_id"},
	} {
		_, err := f.book(ours, body)
		if got := faults(t, err); !slices.Equal(got, want) {
			t.Errorf("%.90s: got faults in %q, want %q", body, got, want)
		}
	}
	_, err := f.book("par_00000000", `{"type":"IN","product_id":1,"quantity":1,"location":"A"}`)
	if !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("unknown partner: got %v, want not_found", err)
	}
	if movements := f.ledger(0); len(movements) != 0 {
		t.Errorf("after refusals: got movements %v, want none", movements)
	}
}

// TestStockIsBounded writes the stock directly: movements would take too long to
// come close to the bound.
func TestStockIsBounded(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	id := f.product(ours, `{"name":"Screws","price":0.01}`)
	const bound = 1_000_000_000_000
	err := f.store.Stock().Write(t.Context(), func(tx stock.Writer) error {
		locked, err := tx.LockStock(t.Context(), ours, id)
		if err != nil {
			return err
		}
		locked.Book(delivery.Movement{Type: delivery.MovementIn, ProductID: id, Quantity: bound - 1, Location: "A"})
		return tx.SaveStock(t.Context(), locked)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"IN", "ADJUSTMENT"} {
		_, err := f.book(ours, `{"type":"`+kind+`","product_id":1,"quantity":2,"location":"B"}`)
		if got := faults(t, err); !slices.Equal(got, []string{"quantity"}) {
			t.Errorf("%s over the bound: got faults in %q, want quantity", kind, got)
		}
	}
	f.record(`{"type":"IN","product_id":1,"quantity":1,"location":"B"}`)
	f.record(`{"type":"TRANSFER","product_id":1,"quantity":1000000000,"location":"A","to_location":"B"}`)
	if got := f.find(id).Quantity; got != bound {
		t.Errorf("got quantity %d, want %d", got, int64(bound))
	}
}

func TestConcurrentMovements(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	id := f.product(ours, `{"name":"Coffee","price":1}`)
	f.record(`{"type":"IN","product_id":1,"quantity":20,"location":"A"}`)
	var done sync.WaitGroup
	var booked, refused atomic.Int64
	for range 8 {
		done.Go(func() {
			for range 5 {
				_, err := f.book(ours, `{"type":"OUT","product_id":1,"quantity":1,"location":"A"}`)
				switch {
				case err == nil:
					booked.Add(1)
				case refusal.HasCode(err, delivery.CodeInsufficientStock):
					refused.Add(1)
				default:
					t.Error(err)
				}
			}
		})
	}
	done.Wait()
	if booked.Load() != 20 || refused.Load() != 20 {
		t.Errorf("got %d booked and %d refused, want 20 each of 40 with 20 in stock", booked.Load(), refused.Load())
	}
	movements := f.ledger(id)
	slices.Reverse(movements)
	sum := int64(0)
	for i, movement := range movements {
		sum += movement.Change()
		if movement.MovementID != int64(i+1) {
			t.Fatalf("movement %d: got id %d", i+1, movement.MovementID)
		}
	}
	levels, last := f.levels(id)
	if len(movements) != 21 || sum != 0 || levels["A"] != 0 || last != 21 || f.find(id).Quantity != 0 {
		t.Errorf("got %d movements, sum %d, levels %v, last movement %d, want 21, sum 0, level 0, last movement 21",
			len(movements), sum, levels, last)
	}
}

func TestMovementPages(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.product(ours, `{"name":"Coffee","price":1}`)
	f.product(ours, `{"name":"Tea","price":1}`)
	f.product(theirs, `{"name":"Not ours","price":1}`)
	for i := range 6 {
		f.record(fmt.Sprintf(`{"type":"IN","product_id":%d,"quantity":1,"location":"A"}`, 1+i%2))
	}
	if _, err := f.book(theirs, `{"type":"IN","product_id":1,"quantity":1,"location":"A"}`); err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		product       int64
		limit, offset int
		ids           []int64
	}{
		{0, 4, 0, []int64{6, 5, 4, 3}}, {0, 4, 4, []int64{2, 1}}, {0, 4, 6, nil},
		{1, 2, 0, []int64{5, 3}}, {1, 2, 2, []int64{1}}, {2, 100, 0, []int64{6, 4, 2}}, {3, 100, 0, nil},
	} {
		found, err := f.Movements(t.Context(), stock.MovementFilter{
			PartnerID: ours, ProductID: want.product, Limit: want.limit, Offset: int64(want.offset),
		})
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, movement := range found {
			ids = append(ids, movement.MovementID)
			if name := map[int64]string{1: "Coffee", 2: "Tea"}[movement.ProductID]; movement.ProductName != name {
				t.Errorf("movement %d: got product %d named %q, want %q", movement.MovementID, movement.ProductID,
					movement.ProductName, name)
			}
		}
		if !slices.Equal(ids, want.ids) {
			t.Errorf("product %d, limit %d, offset %d: got %v, want %v", want.product, want.limit, want.offset, ids, want.ids)
		}
	}
}
