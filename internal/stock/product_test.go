package stock_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/stock"
)

func TestCreateProduct(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	for _, want := range []struct {
		body    string
		product delivery.Product
	}{
		{
			`{"name":"Coffee beans, 1 kg","price":18.25,"stock_min":20,"stock_max":400,"barcode":"0627735067890","status":"inactive"}`,
			delivery.Product{
				ProductID: 1, Name: "Coffee beans, 1 kg", PriceCents: 1825, StockMin: 20, StockMax: 400, Barcode: "0627735067890",
				Status: delivery.ProductInactive,
			},
		},
		{
			`{"name":"Maple syrup","price":11,"barcode":null,"status":null}`,
			delivery.Product{ProductID: 2, Name: "Maple syrup", PriceCents: 1100, Status: delivery.ProductActive},
		},
		{
			`{"name":"Tea","price":0,"stock_min":5}`,
			delivery.Product{ProductID: 3, Name: "Tea", StockMin: 5, StockMax: 5, Status: delivery.ProductActive},
		},
	} {
		added, err := f.create(ours, want.body)
		if err != nil || added != want.product {
			t.Errorf("%s: got %+v, %v, want %+v", want.body, added, err, want.product)
		}
		if stored := f.find(want.product.ProductID); stored != want.product {
			t.Errorf("%s: got stored %+v, want %+v", want.body, stored, want.product)
		}
	}
	if id := f.product(theirs, `{"name":"Tea","price":1}`); id != 1 {
		t.Errorf("another partner's first product: got id %d, want 1", id)
	}
}

func TestPriceInCents(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	for price, cents := range map[string]int64{
		"0.01": 1, "0.29": 29, "1.1": 110, "2.675e1": 2675, "4.350": 435, "8.41": 841, "1e2": 10_000,
		"999999999.99": 99_999_999_999, "1000000000": 100_000_000_000, "-0.0": 0,
	} {
		added, err := f.create(ours, `{"name":"x","price":`+price+`}`)
		if err != nil || added.PriceCents != cents {
			t.Errorf("price %s: got %d cents, %v; want %d", price, added.PriceCents, err, cents)
		}
	}
}

func TestCreateProductRefuses(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	for body, want := range map[string][]string{
		`[]`:                                 {""},
		`{}`:                                 {"name", "price"},
		`{"name":"","price":"11"}`:           {"name", "price"},
		`{"name":"a\u0000b","price":11.125}`: {"name", "price"},
		`{"name":"x","price":0.001}`:         {"price"},
		`{"name":"x","price":-1}`:            {"price"},
		`{"name":"x","price":1000000000.01}`: {"price"},
		`{"name":"x","price":1e400}`:         {"price"},
		`{"name":"x","price":1,"stock_min":-1,"stock_max":-1}`:    {"stock_min", "stock_max"},
		`{"name":"x","price":1,"stock_min":10,"stock_max":9}`:     {"stock_max"},
		`{"name":"x","price":1,"stock_min":1.5}`:                  {"stock_min"},
		`{"name":"x","price":1,"status":"sold_out","barcode":12}`: {"barcode", "status"},
		`{"name":"` + strings.Repeat("é", 256) + `","price":1}`:   {"name"},
	} {
		_, err := f.create(ours, body)
		if got := faults(t, err); !slices.Equal(got, want) {
			t.Errorf("%s: got faults in %q, want %q", body, got, want)
		}
	}
	if _, err := f.create("par_00000000", `{"name":"x","price":1}`); !refusal.HasCode(err, refusal.CodeNotFound) {
		t.Errorf("unknown partner: got %v, want not_found", err)
	}
	if id := f.product(ours, `{"name":"x","price":1}`); id != 1 {
		t.Errorf("first product after refusals: got id %d, want 1", id)
	}
}

// TestChangeProductRefuses: the rule between stock_min and stock_max holds for the product with
// the change, and its fault has the place of its field among those of the request.
func TestChangeProductRefuses(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.product(ours, `{"name":"Coffee","price":1,"stock_min":10,"stock_max":20}`)
	change := func(productID int64, body string) error {
		change, err := form.Decode(parse(t, body), stock.ReadProductChange)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.ChangeProduct(t.Context(), ours, productID, change)
		return err
	}
	for body, want := range map[string][]string{
		`[]`: {""},
		`{"name":"","stock_max":9,"barcode":7,"status":""}`: {"name", "stock_max", "barcode", "status"},
		`{"price":1.001,"stock_min":-1,"stock_max":9}`:      {"price", "stock_min", "stock_max"},
		`{"stock_min":30,"stock_max":29,"status":"gone"}`:   {"stock_max", "status"},
		`{"stock_max":-1}`: {"stock_max"},
	} {
		if got := faults(t, change(1, body)); !slices.Equal(got, want) {
			t.Errorf("%s: got faults in %q, want %q", body, got, want)
		}
		if err := change(2, body); !refusal.HasCode(err, refusal.CodeNotFound) {
			t.Errorf("%s: unknown product: got %v, want not_found", body, err)
		}
	}
	if details := string(detailsOf(t, change(1, `{"stock_max":9.0}`))); !strings.Contains(details, `"value":9.0,`) {
		t.Errorf("got details %s, want the value as it was sent", details)
	}
	if err := change(1, `{"stock_min":25,"barcode":null}`); err != nil {
		t.Fatal(err)
	}
	want := delivery.Product{
		ProductID: 1, Name: "Coffee", PriceCents: 100, StockMin: 25, StockMax: 25, Status: delivery.ProductActive,
	}
	if got := f.find(1); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestSearchFindsNameAndBarcode(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	f.product(ours, `{"name":"Café Été 100%","price":1,"barcode":"ABC-123"}`)
	f.product(ours, `{"name":"ŁÓDŹ_cake","price":1,"barcode":"abd\\9"}`)
	f.product(ours, `{"name":"Plain","price":1}`)
	f.product(theirs, `{"name":"Café Été 100%","price":1,"barcode":"ABC-123"}`)
	for search, want := range map[string][]int64{
		"":                        {1, 2, 3},
		"CAFÉ":                    {1},
		"été":                     {1},
		"łódź":                    {2},
		"aB":                      {1, 2},
		"bc-1":                    {1},
		"%":                       {1},
		"0%":                      {1},
		"_":                       {2},
		`\`:                       {2},
		`d\9`:                     {2},
		"c_f":                     nil,
		"a%b":                     nil,
		" ":                       {1},
		"cafe":                    nil,
		"'":                       nil,
		"$1":                      nil,
		"\x00":                    nil,
		"caf\xe9":                 nil,
		strings.Repeat("a", 4097): nil,
		strings.Repeat("%", 4096): nil,
	} {
		found, total, err := f.Products(t.Context(), stock.ProductFilter{PartnerID: ours, Search: search, Limit: 100})
		if err != nil {
			t.Errorf("search %.20q: got %v, want no error", search, err)
		}
		if got := idsOf(found); !slices.Equal(got, want) || total != int64(len(want)) {
			t.Errorf("search %.20q: got %v of %d, want %v", search, got, total, want)
		}
	}
}

func TestProductPages(t *testing.T) {
	t.Parallel()
	f := setUp(t)
	for i := range 7 {
		f.product(ours, fmt.Sprintf(`{"name":"Thing %d","price":1}`, 6-i))
	}
	f.product(theirs, `{"name":"Thing","price":1}`)
	for _, want := range []struct {
		limit, offset int
		ids           []int64
	}{
		{3, 0, []int64{1, 2, 3}}, {3, 3, []int64{4, 5, 6}}, {3, 6, []int64{7}}, {3, 7, nil}, {100, 1 << 40, nil},
	} {
		for _, search := range []string{"", "THING"} {
			found, total, err := f.Products(t.Context(), stock.ProductFilter{
				PartnerID: ours, Search: search, Limit: want.limit, Offset: int64(want.offset),
			})
			if err != nil || total != 7 || !slices.Equal(idsOf(found), want.ids) {
				t.Errorf("limit %d, offset %d: got %v of %d, %v, want %v of 7", want.limit, want.offset, idsOf(found), total, err,
					want.ids)
			}
		}
	}
}

func idsOf(products []delivery.Product) (ids []int64) {
	for _, product := range products {
		ids = append(ids, product.ProductID)
	}
	return ids
}
