package stock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// watched is a store of which a test sees the transactions that write.
type watched struct {
	stock.Store
	before func(number int) error // called before each, which fails with its error
	writes int
	added  []int // how many products each has added or saved
}

func (w *watched) Write(ctx context.Context, fn func(stock.Writer) error) error {
	w.writes++
	if w.before != nil {
		if err := w.before(w.writes); err != nil {
			return err
		}
	}
	w.added = append(w.added, 0)
	return w.Store.Write(ctx, func(tx stock.Writer) error { return fn(countingWriter{tx, &w.added[len(w.added)-1]}) })
}

type countingWriter struct {
	stock.Writer
	products *int
}

func (c countingWriter) AddProducts(
	ctx context.Context, partnerID string, at time.Time, products ...delivery.Product,
) (int64, error) {
	*c.products += len(products)
	return c.Writer.AddProducts(ctx, partnerID, at, products...)
}

func (c countingWriter) SaveProducts(ctx context.Context, partnerID string, products ...delivery.Product) error {
	*c.products += len(products)
	return c.Writer.SaveProducts(ctx, partnerID, products...)
}

// watch returns a service on the fixture's store, as a process that has just started, and
// that store.
func (f *fixture) watch(before func(number int) error) (*stock.Service, *watched) {
	f.watches++
	w := &watched{Store: f.store.Stock(), before: before}
	return stock.NewService(stock.Config{Store: w, Now: f.clock.Now, Random: repeatable.Reader(f.t, "watched",
		fmt.Sprint(f.watches))}), w
}

// importFile imports a file under a key; without one if it is 0.
func importFile(ctx context.Context, s *stock.Service, key byte, file string) (idempotency.Answer, error) {
	r := stock.Request[stock.Imported]{PartnerID: ours, Encode: func(done stock.Imported) ([]byte, error) {
		return json.Marshal(done)
	}}
	if key != 0 {
		used := idempotency.Key{PartnerID: ours, Scope: "POST import", UUID: [16]byte{key}}
		r.Keyed = new(idempotency.NewRequest(used, []byte(file)))
	}
	return s.Import(ctx, r, []byte(file))
}

// manyLines returns a file that changes a product, leaves another as it is, and adds others:
// with a barcode, without one, and with stock.
func manyLines(lines int) string {
	var file strings.Builder
	file.WriteString("product_id,name,price,barcode,opening_quantity,opening_location\n1,Lamp,3.50,,,\n2,Rug,7,,,\n")
	for i := range lines - 2 {
		barcode, opening := "", ",\n"
		if i%2 == 0 {
			barcode = fmt.Sprint("B-", i)
		}
		if i%5 == 0 {
			opening = "4,MTL-1\n"
		}
		fmt.Fprintf(&file, ",Chair %d,12.5,%s,%s", i, barcode, opening)
	}
	return file.String()
}

// catalogueOf lists a partner's products.
func (f *fixture) catalogueOf() (listed []string) {
	f.t.Helper()
	for after := int64(0); ; {
		page, _, err := f.Products(f.t.Context(), stock.ProductFilter{PartnerID: ours, After: after, Limit: 500})
		if err != nil {
			f.t.Fatal(err)
		}
		if len(page) == 0 {
			return listed
		}
		for _, p := range page {
			listed = append(listed, fmt.Sprint(p.ProductID, " ", p.Name, " ", p.PriceCents, " ", p.Barcode, " ", p.Quantity))
			after = p.ProductID
		}
	}
}

// stocked returns a fixture with two products.
func stocked(t *testing.T) *fixture {
	t.Helper()
	f := setUp(t)
	f.product(ours, `{"name":"Lamp","price":2}`)
	f.product(ours, `{"name":"Rug","price":7}`)
	return f
}

// TestImportInParts imports more lines than one transaction stores: none stores more than
// ImportPart, and between any two of them others can write.
func TestImportInParts(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	const lines = 10*stock.ImportPart + 7
	between := 0
	service, w := f.watch(func(int) error {
		f.product(theirs, `{"name":"Sofa","price":2}`) // waits for the writer if it is held
		between++
		return nil
	})
	answer, err := importFile(t.Context(), service, 1, manyLines(lines))
	if want := `{"Created":1005,"Changed":1,"Unchanged":1,"Movements":201}`; err != nil || string(answer.Body) != want {
		t.Fatalf("got %s, error %v, want %s", answer.Body, err, want)
	}
	if most := slices.Max(w.added); most > stock.ImportPart || w.writes != 11 || between != w.writes {
		t.Errorf("got %d transactions of up to %d products, want 11 of up to %d", w.writes, most, stock.ImportPart)
	}
	again, err := importFile(t.Context(), service, 1, manyLines(lines))
	if err != nil || !again.Replayed || string(again.Body) != string(answer.Body) || w.writes != 11 {
		t.Errorf("again: got %s, replayed %t, error %v, %d transactions, want a replay", again.Body, again.Replayed, err,
			w.writes)
	}
}

// TestImportWithFaultStoresNothing imports many lines of which the last has a fault.
func TestImportWithFaultStoresNothing(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	before := f.catalogueOf()
	service, w := f.watch(nil)
	for _, fault := range []string{",Chair,much,,,\n", "77,Chair,1,,,\n", ",Chair,1,B-0,,\n"} {
		if _, err := importFile(t.Context(), service, 1,
			manyLines(500)+fault); !refusal.HasCode(err, refusal.CodeValidation) {
			t.Errorf("%q: got %v, want %s", fault, err, refusal.CodeValidation)
		}
	}
	if after := f.catalogueOf(); w.writes != 0 || !slices.Equal(after, before) {
		t.Errorf("got %d transactions and %d products, want none and %d", w.writes, len(after), len(before))
	}
}

var errKilled = errors.New("the process was killed")

// TestImportGoesOnAfterKill ends imports at boundaries between parts, as a kill does. A
// process that starts afterwards goes on under the same key, and everything is there once,
// as without a kill.
func TestImportGoesOnAfterKill(t *testing.T) {
	t.Parallel()
	whole := stocked(t)
	file := manyLines(730)
	want, err := importFile(t.Context(), whole.Service, 1, file)
	if err != nil {
		t.Fatal(err)
	}
	random := repeatable.Rand(t)
	f := stocked(t)
	for kills := 0; ; kills++ {
		at := 2 + random.IntN(3)
		service, w := f.watch(func(number int) error {
			if number == at {
				return errKilled
			}
			return nil
		})
		answer, err := importFile(t.Context(), service, 1, file)
		if errors.Is(err, errKilled) {
			small, _ := f.watch(nil)
			for _, other := range []string{manyLines(20), manyLines(731)} {
				if _, err := importFile(t.Context(), small, 1, other); !errors.Is(err, idempotency.ErrReused) {
					t.Errorf("another file under the key: got %v, want %v", err, idempotency.ErrReused)
				}
			}
			continue
		}
		if err != nil || string(answer.Body) != string(want.Body) || kills == 0 {
			t.Fatalf("after %d kills: got %s, error %v, want %s", kills, answer.Body, err, want.Body)
		}
		if w.writes > at {
			t.Errorf("got %d transactions in the last process, want those of the rest", w.writes)
		}
		break
	}
	if got, want := f.catalogueOf(), whole.catalogueOf(); !slices.Equal(got, want) {
		t.Errorf("got %d products, want the %d of an import without a kill", len(got), len(want))
	}
}

// TestImportBesideChanges changes the products between two parts of an import.
func TestImportBesideChanges(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change string // the file of another import
		want   string
	}{
		"nothing that concerns it": {
			"name,price,barcode\nVase,1,V-1\n", `{"Created":398,"Changed":1,"Unchanged":1,"Movements":80}`,
		},
		"a later line's barcode": {
			"name,price,barcode\nVase,1,B-318\n", `{"Created":397,"Changed":2,"Unchanged":1,"Movements":80}`,
		},
		"one with opening stock": {"name,price,barcode\nVase,1,B-310\n",
			"validation_error: lines: expected products that do not change during the import: it is stored up to line 101; send the lines behind it, corrected (and 1 more)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := stocked(t)
			service, _ := f.watch(func(number int) error {
				if number != 2 {
					return nil
				}
				_, err := importFile(t.Context(), f.Service, 0, test.change)
				return err
			})
			answer, err := importFile(t.Context(), service, 1, manyLines(400))
			got := string(answer.Body)
			if err != nil {
				got = err.Error()
			}
			if !strings.HasPrefix(got, test.want) {
				t.Errorf("got %s, want %s", got, test.want)
			}
			seen := map[string]int{}
			for _, product := range f.catalogueOf() {
				if fields := strings.Fields(product); len(fields) == 5 || strings.Contains(product, "B-31") {
					seen[fields[len(fields)-2]]++
				}
			}
			for _, barcode := range []string{"B-310", "B-318"} {
				if seen[barcode] > 1 {
					t.Errorf("got %d products with the barcode %s, want at most one", seen[barcode], barcode)
				}
			}
		})
	}
}
