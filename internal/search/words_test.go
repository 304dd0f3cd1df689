package search_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/search"
	"github.com/dropyard/dropyard/internal/testkit"
)

func anOrder() *delivery.Order {
	o := &delivery.Order{OrderID: "ord_x"}
	o.PartnerOrderID, o.Reference = "PP-1298", "PO 77/b"
	o.Dropoff = delivery.Contact{
		Name: "Émilie O'Brien-Tremblay", Phone: "+15145550100", Email: "e.tremblay@example.com",
		Address: delivery.Address{Line1: "1200 rue Saint-Denis", Line2: "App. 4", City: "Montréal", PostalCode: "H2X 3K8"},
	}
	o.Pickup = delivery.Contact{Name: "Épicerie Métro"}
	o.Parcels = []delivery.Parcel{{Barcode: "4006381333931"}}
	return o
}

// finds reports whether a search finds an order with the words.
func finds(text, typed string) bool {
	words, sought := strings.Fields(text), search.Parse(typed)
	return len(sought) > 0 && !slices.ContainsFunc(sought, func(s string) bool {
		return !slices.ContainsFunc(words, func(w string) bool {
			return w == s || search.ByBeginning(s) && strings.HasPrefix(w, s)
		})
	})
}

// TestFinds: what people type finds an order by any of its parts, in any writing.
func TestFinds(t *testing.T) {
	t.Parallel()
	words := search.Of(anOrder())
	for _, typed := range []string{
		"PP-1298", "pp1298", "1298", "pp 1298", "po 77", "po77b",
		"emilie", "ÉMILIE", "trembl", "o'brien", "obrien", "O’Brien", "brien tremblay", "Tremblay, Émilie",
		"1200 Rue saint denis", "saintdenis", "montreal", "H2X3K8", "h2x 3k8", "h2x",
		"(514) 555-0100", "514 555 0100", "514.555.0100", "+1 514-555-0100", "5145550100", "15145550100", "555-0100",
		"0100", "e.tremblay@example.com", "4006381333931",
	} {
		if !finds(words, typed) {
			t.Errorf("%q: not found among %s", typed, words)
		}
	}
	for _, typed := range []string{
		"", "!?", "Bouchard", "Tremblay Bouchard", "1299", "ub", "55", "tremblay99@example.com", "129",
		"514-555-0101", "métro", "épicerie",
	} {
		if finds(words, typed) {
			t.Errorf("%q: found among %s", typed, words)
		}
	}
}

// TestReturnsAreFoundByTheirSender: a return order begins at the recipient.
func TestReturnsAreFoundByTheirSender(t *testing.T) {
	t.Parallel()
	o := anOrder()
	o.Course.Origin = &delivery.Origin{}
	if words := search.Of(o); !finds(words, "epicerie metro") {
		t.Errorf("got %s, want the pickup's name in it", words)
	}
}

// FuzzWords: words have letters and digits only, which no engine's query takes for anything else, and an order is
// found by its own name and number.
func FuzzWords(f *testing.F) {
	for _, text := range []string{"PP-1298", "Émilie O'Brien", `"a" OR b*`, "a:* & 'b'", "北京市", "\x00\xff", strings.Repeat("é", 99)} {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, number, name string) {
		o := anOrder()
		o.PartnerOrderID, o.Dropoff.Name = number, name
		words := search.Of(o)
		for _, word := range append(strings.Split(words, " "), slices.Concat(search.Parse(number), search.Parse(name))...) {
			if word == "" || !utf8.ValidString(word) || strings.ContainsAny(word, `"'*:&|!()_ `) || len(word) > 48 {
				t.Errorf("got the word %q", word)
			}
		}
		if len(number)+len(name) > 100 {
			return // an order keeps a bounded number of words
		}
		for _, text := range []string{number, name} {
			if len(search.Parse(text)) > 0 && !finds(words, text) {
				t.Errorf("%q is not found among %s", text, words)
			}
		}
	})
}

// TestSearchKnowsEveryField fails for a new field of an order, until it is decided whether orders are found
// by it.
func TestSearchKnowsEveryField(t *testing.T) {
	t.Parallel()
	var o delivery.Order
	testkit.Fill(&o.OrderRequest)
	got := testkit.Ignored(&o.OrderRequest, func() any { return search.Of(&o) })
	want := []string{
		"ServiceLevel", "Pickup.Name", "Pickup.Phone", "Pickup.Email", "Pickup.Address.Line1", "Pickup.Address.Line2",
		"Pickup.Address.City", "Pickup.Address.Province", "Pickup.Address.PostalCode", "Pickup.Address.Country",
		"Pickup.Address.Notes", "Pickup.Window.Start", "Pickup.Window.End", // most orders of a partner have the same
		"Dropoff.Address.Province", "Dropoff.Address.Country", "Dropoff.Address.Notes", "Dropoff.Window.Start",
		"Dropoff.Window.End", "Parcels.ParcelID", "Parcels.Description", "Parcels.LengthCm", "Parcels.WidthCm",
		"Parcels.HeightCm", "Parcels.WeightKg", "Parcels.ValueCents", "Parcels.Fragile", "COD.AmountCents", "COD.Currency",
		"Insurance.AmountCents", "Insurance.Currency", "Instructions", "Metadata", "Items.ProductID", "Items.SKU",
		"Items.Barcode", "Items.Quantity", "Items.Name", "QuoteID",
	}
	testkit.CompareIgnored(t, "words that orders are found by", got, want)
}
