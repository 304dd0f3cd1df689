package board

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

var unfolded = strings.NewReplacer("œ", "oe", "æ", "ae", "-", " ", "\u2010", " ", "\u2011", " ", "\u2012", " ",
	"\u2013", " ", "'", " ", "’", " ")

// foldedInSteps is Fold, one step after the other.
func foldedInSteps(text string) string {
	letters := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	return unfolded.Replace(strings.ToLower(letters))
}

// searchInParts is searchOf, part by part.
func searchInParts(o *delivery.Order) string {
	parts := []string{
		o.OrderID, o.PartnerOrderID, o.Reference, o.Dropoff.Name, o.Dropoff.Address.City, o.Dropoff.Address.Line1,
		o.Dropoff.Address.Line2, digits(o.Dropoff.Phone),
	}
	for _, parcel := range o.Parcels {
		parts = append(parts, parcel.ParcelID, parcel.Barcode)
	}
	for _, text := range parts[3:7] {
		if folded := foldedInSteps(text); folded != strings.ToLower(text) {
			parts = append(parts, folded)
		}
	}
	for i := range parts {
		parts[i] = strings.ToLower(parts[i])
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), "\n")
}

// TestFoldOfEveryCharacter: folding in one pass gives what its steps do.
func TestFoldOfEveryCharacter(t *testing.T) {
	t.Parallel()
	const block = 64
	for first := rune(0); first <= unicode.MaxRune; first += block {
		var b strings.Builder
		for r := first; r < first+block; r++ {
			b.WriteString("A" + string(r) + "e ")
		}
		if got, want := Fold(b.String()), foldedInSteps(b.String()); got != want {
			t.Errorf("from %U: got %q, want %q", first, got, want)
		}
	}
}

// TestSearchText: it has each part once, in lower case, and names and streets folded if that
// differs.
func TestSearchText(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.SampledFrom([]string{
		"", "Zoë", "L'Œuf-d’Or", "SAINT-DENIS", "rue principale", "e\u0301", "\u0301", "İstanbul", "\n", "Ångström",
	}), rapid.String())
	repeatable.Check(t, func(t *rapid.T) {
		o := testkit.Order("par_3kq9w0zt", "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "A-1", testkit.Epoch)
		o.PartnerOrderID = text.Draw(t, "partner_order_id")
		o.Reference, o.Dropoff.Name = text.Draw(t, "reference"), text.Draw(t, "name")
		o.Dropoff.Address.City, o.Dropoff.Address.Line1 = text.Draw(t, "city"), text.Draw(t, "line1")
		o.Dropoff.Address.Line2 = text.Draw(t, "line2")
		o.Parcels = append(o.Parcels, delivery.Parcel{ParcelID: text.Draw(t, "parcel_id")})
		if got, want := searchOf(o), searchInParts(o); got != want {
			t.Fatalf("%+v:\n got %q\nwant %q", o.OrderRequest, got, want)
		}
	})
}
