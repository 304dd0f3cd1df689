package dropyard_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// productPlaces are the files that name every field of a product, and those that each leaves out.
var productPlaces = []struct {
	file    string
	before  string // what is written before the name of a field
	without []string
}{
	{"internal/store/stock.go", `("`, nil},
	{"internal/stock/product.go", `json:"`, []string{"product_id", "quantity"}}, // the audit log
	{"internal/stock/product.go", `("`, []string{"product_id", "quantity"}},     // what a request sets
	{"internal/stock/export.go", `"`, []string{"quantity"}},                     // called in_stock
	{"internal/retention/export.go", `json:"`, nil},
	{"internal/api/shared/stock.go", `json:"`, nil},
	{"client/inventory.go", `json:"`, nil},
	{"sdk/python/src/dropyard/stock.py", "    ", nil},
	{"internal/web/console/stock_product.go", `"`, []string{"product_id", "quantity"}},
	{"docs/contract.md", "", nil},
}

// capital matches where a word of a Go name begins.
var capital = regexp.MustCompile(`([a-z])([A-Z])`)

// TestProductHasEveryField fails for a field of a product that one of the places does not name.
func TestProductHasEveryField(t *testing.T) {
	t.Parallel()
	for _, place := range productPlaces {
		text, err := os.ReadFile(place.file)
		if err != nil {
			t.Fatal(err)
		}
		for field := range reflect.TypeFor[delivery.Product]().Fields() {
			name := strings.ToLower(capital.ReplaceAllString(field.Name, "${1}_$2"))
			name = strings.TrimSuffix(name, "_cents") // the API has dollars
			if !slices.Contains(place.without, name) && !strings.Contains(string(text), place.before+name) {
				t.Errorf("%s: got no %s%s of a product; if it is left out, list it here", place.file, place.before, name)
			}
		}
	}
}

// TestFailureReasonsAreNamed fails for a reason of failed attempts that a place does not name which people read or
// choose from.
func TestFailureReasonsAreNamed(t *testing.T) {
	t.Parallel()
	for file, place := range map[string]struct {
		form  string // with R for the reason
		times int
	}{
		"internal/web/courier/assets/courier/acts.js":  {`["R", t("courier.why.R")]`, 1},
		"internal/web/console/assets/board/asking.js":  {`["R", t("failure.R")]`, 1},
		"internal/web/console/assets/board/history.js": {`R: t("failure.R")`, 1},
		"internal/web/page/phrases/en.properties":      {"\ncourier.why.R =", 1},
		"internal/web/page/phrases/fr.properties":      {"\ncourier.why.R =", 1},
		"internal/mail/words.go":                       {`"R":`, 2}, // in two languages
		"cmd/dropyard/board.go":                        {" R,", 1},
		"sdk/python/src/dropyard/types.py":             {`"R"`, 1},
		"docs/contract.md":                             {"`R`", 1},
		"docs/desk.md":                                 {"`R`", 1},
		"api/ops.yaml":                                 {"R", 3}, // in an enumeration, and in the texts on two requests
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, reason := range delivery.FailureReasons {
			want := strings.ReplaceAll(place.form, "R", string(reason))
			if got := strings.Count(string(text), want); reason != delivery.FailureUndefined && got < place.times {
				t.Errorf("%s: got %s %d times, want %d", file, want, got, place.times)
			}
		}
	}
}
