package stock

import (
	"slices"
	"strings"
	"testing"
)

// TestTitlesOfSpreadsheets: the titles that people write are read as the columns that they mean, unless two mean the
// same.
func TestTitlesOfSpreadsheets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ header, want string }{
		{"Nom;Code-barres;UGS;Prix;Minimum;Quantité;Emplacement",
			"name barcode sku price stock_min opening_quantity opening_location"},
		{"Name;Barcode;SKU;Price;Stock min;Opening quantity;Location",
			"name barcode sku price stock_min opening_quantity opening_location"},
		{"product_id;name;Colour", "product_id name Colour"},
		{"Nom;Produit;price", "Nom Produit price"},
	} {
		header := strings.Split(c.header, ";")
		nameColumns(header)
		if want := strings.Fields(c.want); !slices.Equal(header, want) {
			t.Errorf("%s: got %q, want %q", c.header, header, want)
		}
	}
}
