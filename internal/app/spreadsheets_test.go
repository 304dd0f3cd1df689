package app_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/dropyard/dropyard/internal/testkit/spreadsheet"
	"pgregory.net/rapid"
)

// stored returns a file of testdata/spreadsheets.
func stored(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile("testdata/spreadsheets/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// add adds a product as an operator of the warehouse.
func (s stockroom) add(t *testing.T, name, barcode string) {
	t.Helper()
	s.ask(t, "POST", "/products",
		fmt.Sprintf(`{"name":%q,"price":1.5,"stock_max":10,"barcode":%q}`, name, barcode)).Must(t, 201)
}

// TestImportOfSpreadsheets imports files as spreadsheets save them.
func TestImportOfSpreadsheets(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	for i, c := range []struct{ file, product string }{
		{"excel-french-canada.csv", "Sirop d’érable 12.5 2 0627843400013"},
		{"trailing-empty-lines.csv", "X 1 0 0627843400018"},
		{"windows-1252.csv", "Thé à l’érable 12.5 0 0627843400014"},
	} {
		got, all := s.imports(t, stored(t, c.file)), s.ask(t, "GET", "/products", "").Must(t, 200)
		product := fmt.Sprint(all.Text("products", i, "name"), " ", all.JSON("products", i, "price"), " ",
			all.JSON("products", i, "stock_min"), " ", all.Text("products", i, "barcode"))
		if got != "1 0 0 0" || product != c.product {
			t.Errorf("%s: got %s and the product %s, want one more, %s", c.file, got, product, c.product)
		}
	}
	if got := s.imports(t, stored(t, "sep-line.csv")); got != "0 1 0 0" {
		t.Errorf("sep-line.csv: got %s, want the first product changed", got)
	}
	s.Audit(t)
}

// TestRuinedCellsAreRefused imports exports that a spreadsheet has saved. What it has changed is
// refused cell by cell, and nothing is stored.
func TestRuinedCellsAreRefused(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	s.add(t, "Coffee beans", "0627735067896")
	s.add(t, "Tea 7 g", "0012345")
	s.add(t, "@home mug", "0055000000017")
	s.add(t, "1-2", "true")
	s.add(t, "Thé", "4006381333931")
	before := s.Content(t)
	for content, want := range map[string]string{
		stored(t, "round-trip.csv"):                       "422 [lines[2].barcode lines[3].barcode lines[4].barcode]",
		stored(t, "exponents.csv"):                        "422 [lines[2].barcode lines[3].barcode lines[4].barcode]",
		"product_id,name,barcode\n4,02-Jan,TRUE\n":        "422 [lines[2].name lines[2].barcode]",
		"product_id,name,barcode\n5,ThÃ©,4006381333930\n": "422 [lines[2].name lines[2].barcode]",
		"product_id,barcode\n5,4006381333000\n":           "422 [lines[2].barcode]",
		"name,price,barcode\nTea,1,12345\n":               "422 [lines[2].barcode]",
		"name,price,barcode\nMug,1,55000000017\n":         "422 [lines[2].barcode]",
		"name,price\n?yw bi?a,1\n":                        "422 [lines[2].name]",
		"name,price\nTh\xe9 bia?,1\n":                     "422 [lines[2].name]",
		"product_id,name\n2,Nguy?n\n":                     "422 [lines[2].name]",

		"name,price,stock_min,opening_quantity,opening_location\n#NAME?,########,1E+05,4,#N/A\n": "" +
			"422 [lines[2].name lines[2].price lines[2].stock_min lines[2].opening_location]",
	} {
		if got := s.imports(t, content); got != want {
			t.Errorf("%q: got %s, want %s", content, got, want)
		}
	}
	s.Unchanged(t, before)
	for content, want := range map[string]string{ // said to be meant
		"product_id,name,barcode\n2,=\"1-3\",=\"12345\"\n4,'=x,=\"6.27E+11\"\n":     "0 2 0 0",
		"name,price,barcode\nCoffee,\"2,25\",00627735067896\nNew,1,4006381333948\n": "1 1 0 0",
		"product_id,name\n5,  Thé  \n,\n":                                           "0 0 1 0",
		"name,price\n=\"?yw?\",1\nWhat if?,1\n":                                     "2 0 0 0",
	} {
		if got := s.imports(t, content); got != want {
			t.Errorf("%q: got %s, want %s", content, got, want)
		}
	}
	s.Audit(t)
}

// TestCatalogueSurvivesSpreadsheets exports products with random names and codes, saves the file
// as Excel does, and imports it: nothing changes, or cells are refused. Files for spreadsheets
// keep codes.
func TestCatalogueSurvivesSpreadsheets(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	draw := repeatable.Rand(t)
	names := rapid.OneOf(rapid.StringMatching(`[A-Zé][a-zé ]{1,9}[a-z]`), rapid.StringMatching(`[0-9]{1,2}[-/][0-9]{1,2}`),
		rapid.StringMatching(`[=@+'-][a-z]{1,5}`))
	codes := rapid.OneOf(rapid.StringMatching(`0{0,3}[0-9]{4,14}`), rapid.StringMatching(`[A-Z]{2}-[0-9]{3}`),
		rapid.StringMatching(`[1-9]E[0-9]`))
	for i := range 40 {
		s.add(t, names.Example(int(draw.Int32())), fmt.Sprintf("%s%d", codes.Example(int(draw.Int32())), i))
	}
	before := s.Content(t)
	for name, program := range spreadsheet.Programs() {
		separator := map[bool]string{false: "comma", true: "semicolon"}[program.French]
		for _, mark := range []string{"0", "1"} {
			export := s.ask(t, "GET", "/products/export?bom="+mark+"&separator="+separator, "").Must(t, 200)
			saved, err := program.Save(export.Body)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := s.imports(t, string(saved))
			if kept := got == "0 0 40 0"; !kept && (mark == "1" || !strings.HasPrefix(got, "422 [lines[")) {
				t.Errorf("%s, bom=%s: got %s, want 40 unchanged products, or without a mark, refused cells\n%s", name, mark, got,
					saved)
			}
			s.Unchanged(t, before)
		}
	}
	s.ask(t, "GET", "/products/export?bom=2&separator=pipe", "").Refused(t, 422, "validation_error")
}
