package label

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// laidOut returns what Warnings does, by the layout of every label and every barcode.
func laidOut(o *delivery.Order) (warnings []delivery.Warning) {
	shared := &page{}
	shared.from(o)
	shared.to(o, time.UTC)
	faults := shared.faults
	for i := range o.Parcels {
		p := &page{}
		p.details(o, i+1)
		for _, fault := range p.faults {
			if !slices.Contains(faults, fault) {
				faults = append(faults, fault)
			}
		}
	}
	for _, fault := range faults {
		code := delivery.WarningNotPrinted
		if fault.Cut {
			code = delivery.WarningCut
		}
		warnings = append(warnings, delivery.NewWarning(code, fault.Field))
	}
	for i, parcel := range o.Parcels {
		if parcel.Barcode != "" && moduleWidth(parcel.Barcode, bits128(parcel.Barcode)) == 0 {
			warnings = append(warnings, delivery.NewWarning(delivery.WarningBarcode, fmt.Sprintf("parcels[%d].barcode", i)))
		}
	}
	return warnings
}

// texts draws texts of all scripts and lengths, many of them as wide as their place on a label.
type texts struct {
	*rapid.T
	alphabets [][]rune
	unusual   int // one of so many texts is; the others are as usual
}

func textsOf(t *rapid.T) texts {
	alphabets := [][]rune{
		[]rune("ilj.'"), []rune("WMÆ@—"), []rune("aeinrstéèçÉ'’-–œ"), []rune("abcdefghijklmnopqrstuvwxyz 0123456789"),
		[]rune("a  "), letters,
	}
	alphabets = append(alphabets, testkit.Scripts()...)
	return texts{t, alphabets, rapid.SampledFrom([]int{2, 8}).Draw(t, "unusual")}
}

// words draws words until they fill so many lines of a style, in an alphabet or two.
func (t texts) words(s style, wide int) string {
	one := rapid.SampledFrom(t.alphabets[:4]).Draw(t.T, "alphabet")
	other := rapid.SampledFrom(t.alphabets).Draw(t.T, "other")
	rarely := rapid.SampledFrom([]int{1 << 30, 1 << 30, 1 << 30, 1 << 30, 40, 4}).Draw(t.T, "rarely")
	word := rapid.SampledFrom([]int{3, 8, 8, 8, 20, 300}).Draw(t.T, "word")
	var text []rune
	for m := newMeasure(s.face); m.total*s.small <= s.lines*wide*1000 && len(text) < 1000; {
		length := rapid.IntRange(1, word).Draw(t.T, "length")
		for range length {
			from := one
			if rapid.IntRange(0, rarely-1).Draw(t.T, "kind") == 1 {
				from = other
			}
			text = append(text, rapid.SampledFrom(from).Draw(t.T, "letter"))
		}
		text = append(text, ' ')
		m = newMeasure(s.face)
		for _, r := range text {
			m.total += max(0, int(s.face.of(string(r)).load().widths[min(r, characters-1)]))
		}
	}
	cut := rapid.SampledFrom([]int{1, 1, 1, 2, 2, 3, 6, 10, 15, 20, 40}).Draw(t.T, "cut")
	return string(text[:max(0, len(text)-cut)])
}

// text draws a text for a place of a label.
func (t texts) text(s style, wide int, usual string) string {
	switch rapid.IntRange(0, 4*t.unusual-1).Draw(t.T, "form") {
	case 0, 1, 2:
		return t.words(s, wide)
	case 3:
		return rapid.SampledFrom([]string{"", " ", "x ", "Zoë  B"}).Draw(t.T, "odd")
	}
	return usual
}

// barcode draws a barcode around the limits of a label.
func (t texts) barcode() string {
	return rapid.OneOf(rapid.SampledFrom([]string{"", "0627735067890"}), rapid.StringMatching(`[ -~]{28,33}`),
		rapid.StringMatching(`[0-9]{28,65}`), rapid.StringMatching(`([0-9]{1,7}[A-Z>a]{1,3}){4,9}`),
		rapid.StringMatching(`[!-~]{1,85}`), rapid.String()).Draw(t.T, "barcode")
}

// order draws an order of which some texts are as usual.
func (t texts) order() *delivery.Order {
	id := rapid.SampledFrom([]string{
		"ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "ord_3kq9w0zt01hb7m2x9p4c6r8d0fwwwwww", "",
	}).Draw(t.T, "order_id")
	o := testkit.Order("par_3kq9w0zt", id, "", testkit.Epoch)
	number, _ := clean(Number(id))
	beside, _ := senderWidth(number)
	const wide = width - 2*margin
	o.Pickup.Name = t.text(senderName, beside, "Épicerie Métro")
	o.Pickup.Address.Line1 = t.text(senderPlace, beside, "4000 rue Saint-Denis")
	o.Pickup.Address.Line2 = t.text(senderPlace, beside, "")
	o.Pickup.Address.City = t.text(senderPlace, beside, "Montréal")
	o.Dropoff.Phone = rapid.SampledFrom([]string{"", "+15145550100", "+999999999999999"}).Draw(t.T, "phone")
	o.Dropoff.Name = t.text(recipientName, wide, "Alex Martin")
	o.Dropoff.Address.Line1 = t.text(street, wide, "100 Queen St W")
	o.Dropoff.Address.Line2 = t.text(street, wide, "Unit 4")
	o.Dropoff.Address.City = t.text(city, wide, "Toronto")
	lines := rapid.IntRange(1, 6).Draw(t.T, "lines")
	o.Dropoff.Address.Notes = t.text(smallNotes.above(lines*leading(smallNotes.large), 0), wide, "")
	o.Instructions = t.text(smallNotes, wide, "Ring twice")
	o.PartnerOrderID = t.text(fact, detailsWidth, "EM-2026-004711")
	o.Reference = t.text(fact, detailsWidth, "PO 77")
	o.Parcels = make([]delivery.Parcel, rapid.IntRange(1, 3).Draw(t.T, "parcels"))
	for i := range o.Parcels {
		o.Parcels[i] = delivery.Parcel{ParcelID: t.text(fact, detailsWidth, "P-1"), Barcode: t.barcode()}
	}
	return o
}

// TestWarningsEqualTheLayout: what is decided without a layout is what the layout would say, for
// texts of many scripts and of all lengths around the limits.
func TestWarningsEqualTheLayout(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	repeatable.Check(t, func(t *rapid.T) {
		for range 5 {
			o := textsOf(t).order()
			got, want := Warnings(o), laidOut(o)
			if !slices.Equal(got, want) {
				t.Fatalf("%+v:\n got %v\nwant %v", o.OrderRequest, got, want)
			}
			count := func(block string, fits bool, faults []Fault) {
				seen[fmt.Sprintf("%s fits: %t, faults: %t", block, fits, len(faults) > 0)]++
			}
			from, to := &page{}, &page{}
			from.from(o)
			to.to(o, time.UTC)
			count("sender", senderFits(o), from.faults)
			count("recipient", recipientFits(o), to.faults)
		}
	})
	for _, block := range []string{"sender", "recipient"} {
		for _, kind := range []string{
			"fits: true, faults: false", "fits: false, faults: true", "fits: false, faults: false",
		} {
			if seen[block+" "+kind] < 10 {
				t.Errorf("only a few of the orders have a %s with %s: %v", block, kind, seen)
			}
		}
	}
}

// TestNotesAtEveryLength: the same holds for notes of every length below addresses of every height.
func TestNotesAtEveryLength(t *testing.T) {
	t.Parallel()
	const short, wrapped = "Alex Martin", "1200 chemin de la Côte-des-Neiges Ouest, porte 3"
	cut := 0
	for _, name := range []string{short, wrapped} {
		for _, line1 := range []string{short, wrapped} {
			for _, line2 := range []string{"", short, wrapped} {
				o := testkit.Order("par_3kq9w0zt", "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "A-1", testkit.Epoch)
				o.Dropoff.Name, o.Dropoff.Address.Line1, o.Dropoff.Address.Line2 = name, line1, line2
				for length := range 500 {
					o.Instructions = strings.Repeat("mi am ", 100)[:length]
					got, want := Warnings(o), laidOut(o)
					if !slices.Equal(got, want) {
						t.Fatalf("%q, %q, %q and notes of %d: got %v, want %v", name, line1, line2, length, got, want)
					}
					cut += len(want)
				}
			}
		}
	}
	if cut < 1000 {
		t.Errorf("got %d warnings, want many", cut)
	}
}

// TestPlainTextsAreClean: what plain admits is what compose would return.
func TestPlainTextsAreClean(t *testing.T) {
	t.Parallel()
	admitted := 0
	for r := range rune(characters) {
		text := "a" + string(r) + "b"
		if !plain(text) {
			continue
		}
		admitted++
		if composed, whole := compose(text); composed != text || !whole {
			t.Errorf("%q (%U): got %q, %t, want the same text", text, r, composed, whole)
		}
	}
	if admitted < 200 {
		t.Errorf("got %d plain characters, want all of Windows-1252", admitted)
	}
	for text, want := range map[string]bool{
		"": true, "a b": true, " a": false, "a ": false, "a  b": false, " ": false, "a\tb": false, "e\u0301": false,
		"Œuf – « à l’œil » €": true, "Łódź": false, "\xff": false,
	} {
		if got := plain(text); got != want {
			t.Errorf("%q: got plain %t, want %t", text, got, want)
		}
	}
}

// TestUsualOrdersNeedNoLayout: an order as shops send it is decided without a layout, and
// without memory beyond the spelling of its number. It is not parallel, because it counts
// allocations.
func TestUsualOrdersNeedNoLayout(t *testing.T) {
	o := testkit.Order("par_3kq9w0zt", "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "EM-2026-004711", testkit.Epoch)
	o.Dropoff.Name = "Marie-Ève d’Œuvrecourt"
	o.Dropoff.Address.Line1 = "4000, boulevard Saint-Joseph Ouest, bureau 200"
	o.Dropoff.Address.Notes = "Entrée par la ruelle; laisser au comptoir si personne ne répond après deux coups de sonnette."
	if !senderFits(o) || !recipientFits(o) || !factsFit(o) {
		t.Errorf("got a layout of %+v, want none", o.OrderRequest)
	}
	if got := testing.AllocsPerRun(100, func() { Warnings(o) }); got > 2 {
		t.Errorf("got %v allocations, want at most 2", got)
	}
}
