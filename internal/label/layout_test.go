package label

import (
	"image"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"codeberg.org/go-pdf/fpdf"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestFontsHaveTheSameCharacters, because clean does not know which font will show
// a text. The latin fonts have no character that the extended ones lack.
func TestFontsHaveTheSameCharacters(t *testing.T) {
	t.Parallel()
	count := 0
	for r := range rune(characters) {
		if regular.extended.has(r) != bold.extended.has(r) || regular.latin.has(r) != bold.latin.has(r) {
			t.Errorf("only one font has %q", r)
		}
		if bold.latin.has(r) && !bold.extended.has(r) {
			t.Errorf("only the latin fonts have %q", r)
		}
		if bold.has(r) {
			count++
		}
	}
	if count < 3000 || !bold.has(missing) || !bold.has('…') || bold.has('山') || bold.has(1<<20) {
		t.Errorf("got %d characters, want at least 3000, with %q and '…', without '山'", count, missing)
	}
}

// TestBlocksOfLetters: the fonts have every letter and every accent of the scripts that
// labels print, up to Unicode 12, which is as old as Noto Sans. There is no block without gaps:
// the exceptions are letters that the fonts leave out.
func TestBlocksOfLetters(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		block   [2]rune
		without string
	}{
		"Latin-1":                   {[2]rune{0xa1, 0xff}, ""},
		"Latin Extended-A and -B":   {[2]rune{0x100, 0x24f}, ""},
		"IPA":                       {[2]rune{0x250, 0x2af}, ""},
		"modifiers":                 {[2]rune{0x2b0, 0x2ff}, ""},
		"accents":                   {[2]rune{0x300, 0x36f}, "\u034f"}, // joins, and is not seen
		"Greek":                     {[2]rune{0x370, 0x3e1}, ""},
		"Greek, after Coptic":       {[2]rune{0x3f0, 0x3ff}, ""},
		"Cyrillic":                  {[2]rune{0x400, 0x52f}, ""},
		"syllabics":                 {[2]rune{0x1400, 0x167f}, ""},
		"phonetic letters":          {[2]rune{0x1d00, 0x1dbf}, ""},
		"Latin Extended Additional": {[2]rune{0x1e00, 0x1eff}, ""},
		"polytonic Greek":           {[2]rune{0x1f00, 0x1fff}, ""},
		"syllabics, extended":       {[2]rune{0x18b0, 0x18f5}, ""},
		"Latin Extended-C":          {[2]rune{0x2c60, 0x2c7f}, ""},
		"Latin Extended-D":          {[2]rune{0xa720, 0xa7bf}, ""},
		"ligatures":                 {[2]rune{0xfb00, 0xfb06}, ""},
	} {
		for r := c.block[0]; r <= c.block[1]; r++ {
			if unicode.In(r, unicode.L, unicode.M) && !bold.has(r) && !strings.ContainsRune(c.without, r) {
				t.Errorf("%s: the fonts lack %q (%U)", name, r, r)
			}
		}
	}
}

// TestLatinFonts: the prepared widths are those of the fonts, because lines are measured in
// the latter.
func TestLatinFonts(t *testing.T) {
	t.Parallel()
	for _, face := range []*face{regular, bold} {
		f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt"})
		f.AddFontFromBytes(latinFamily, face.latin.style, face.latin.prepared, face.latin.compressed)
		count := 0
		for code, width := range face.latin.load().widths {
			r := rune(code)
			if width == absent {
				continue
			}
			count++
			letter, ok := windows1252(string(r))
			f.SetFont(latinFamily, face.latin.style, 1000)
			if got := f.GetStringWidth(letter); !ok || int16(got) != width {
				t.Errorf("%q: got a width of %v in fpdf, want %d", r, got, width)
			}
		}
		if count < 200 || f.Err() {
			t.Errorf("got %d characters and the error %v, want at least 200", count, f.Error())
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		text  string
		whole bool
	}{
		"Épicerie Bœuf":              {"Épicerie Bœuf", true},
		"E\u0301te\u0301":            {"Été", true},
		" a\t\nb\x00\x1b\u2028c":     {"a b c", true},
		"Żółć Ελένη Дмитрий":         {"Żółć Ελένη Дмитрий", true},
		"Nguyễn Thị Hậu, Đường 2":    {"Nguyễn Thị Hậu, Đường 2", true},
		"OʼBrien, 10‑2":              {"OʼBrien, 10‑2", true},
		"šxʷməθkʷəy̓əmasəm":          {"šxʷməθkʷəy̓əmasəm", true},
		"Tłı̨chǫ":                    {"Tłı̨chǫ", true},
		"ᐃᖃᓗᐃᑦ ﬁn":                   {"ᐃᖃᓗᐃᑦ ﬁn", true},
		"山田 가":                       {"□□ □", false},
		"👍🏽":                         {"□□", false},
		"\u202eabc\u200d\ufeff":      {"abc", true},
		"x\u0334":                    {"x\u0334", true},
		"x\u0302\u0303\u0304\u0305y": {"x\u0302\u0303\u0304y", false},
		"bad\xff":                    {"bad□", false},
		"\u0301":                     {"", false},
		"a \u0301b":                  {"a b", false},
	} {
		if got, whole := clean(text); got != want.text || whole != want.whole {
			t.Errorf("%q: got %q, %t, want %q, %t", text, got, whole, want.text, want.whole)
		}
	}
}

// TestHyphenIsNoDash: a reader can tell one from the other.
func TestHyphenIsNoDash(t *testing.T) {
	t.Parallel()
	for _, f := range []*face{regular, bold} {
		if hyphen, dash := f.width("-", 100), f.width("–", 100); hyphen*3 > dash*2 {
			t.Errorf("got a hyphen of %d dots and a dash of %d, want a shorter hyphen", hyphen, dash)
		}
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{"ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j": "1G2H3J", "ord_1": "ORD_1", "": ""} {
		if got := Number(id); got != want {
			t.Errorf("%q: got %q, want %q", id, got, want)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, time.March, 9, 2, 30, 59, 0, time.UTC)
	west := time.FixedZone("NST", -int((3*time.Hour + 30*time.Minute).Seconds()))
	for length, want := range map[time.Duration]string{
		time.Hour:      "2026-03-08 23:00 – 2026-03-09 00:00 NST",
		10 * time.Hour: "2026-03-08 23:00 – 2026-03-09 09:00 NST",
		time.Minute:    "2026-03-08 23:00 – 23:01 NST",
	} {
		if got := window(delivery.Window{Start: start, End: start.Add(length)}, west); got != want {
			t.Errorf("%v from %v: got %q, want %q", length, start, got, want)
		}
	}
}

func TestPhoneNumber(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"+15145550100": "+1 514-555-0100", "+33142685300": "+33142685300", "+1514555010": "+1514555010",
		"+151455501001": "+151455501001", "": "",
	} {
		if got := phoneNumber(number); got != want {
			t.Errorf("%q: got %q, want %q", number, got, want)
		}
	}
}

func TestFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Word ", 100)
	for _, c := range []struct {
		text  string
		lines int
		want  []string
		size  int
	}{
		{"", 2, nil, 40},
		{"Word", 0, nil, 40},
		{"Word", 1, []string{"Word"}, 40},
		{"Word Word Word", 1, []string{"Word Word Word"}, 26},
		{"Word Word Word", 2, []string{"Word Word", "Word"}, 40},
		{"Order: " + strings.Repeat("W", 50), 1, []string{"Order: WWWWWWW…"}, 20},
		{long, 2, []string{"Word Word Word", "Word Word Word W…"}, 20},
	} {
		got := bold.fit(c.text, 40, 20, 220, c.lines)
		if got.size != c.size || strings.Join(got.lines, "|") != strings.Join(c.want, "|") {
			t.Errorf("%.20q on %d lines: got %q at %d, want %q at %d", c.text, c.lines, got.lines, got.size, c.want, c.size)
		}
	}
}

// letters holds characters of every width and kind, including those that are
// commands in ZPL.
var letters = []rune("iWm, é^~\\_>&□Жあ👍\u0301\u202e\n\x01\u00a0\u00ad")

func drawText(t *rapid.T, name string, most int) string {
	return rapid.StringOfN(rapid.SampledFrom(letters), 0, most, -1).Draw(t, name)
}

// drawOrder draws a valid order, or one with texts that are not valid.
func drawOrder(t *rapid.T) *delivery.Order {
	id := rapid.SampledFrom([]string{
		"ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "ord_3kq9w0zt01hb7m2x9p4c6r8d0fwwwwww",
	}).Draw(t, "order_id")
	o := testkit.Order("par_3kq9w0zt", id, drawText(t, "partner_order_id", 255), testkit.Epoch)
	o.ServiceLevel = rapid.SampledFrom(delivery.ServiceLevels).Draw(t, "service_level")
	for _, c := range []*delivery.Contact{&o.Pickup, &o.Dropoff} {
		c.Name = drawText(t, "name", 255)
		c.Phone = rapid.SampledFrom([]string{"", "+15145550100", "+999999999999999", "+1234567"}).Draw(t, "phone")
		c.Window.Start = time.Unix(rapid.Int64Range(0, 1<<37).Draw(t, "start"), 0)
		c.Window.End = c.Window.Start.Add(time.Duration(rapid.Int64Range(1, 1<<40).Draw(t, "length")) * time.Microsecond)
		c.Address = delivery.Address{
			Line1: drawText(t, "line1", 255), Line2: drawText(t, "line2", 255), City: drawText(t, "city", 255),
			Notes: drawText(t, "notes", 1000), Province: rapid.SampledFrom(delivery.Provinces).Draw(t, "province"),
			PostalCode: "M4W 1W1", Country: delivery.Country,
		}
	}
	o.Reference, o.Instructions = drawText(t, "reference", 100), drawText(t, "instructions", 1000)
	o.COD.AmountCents = rapid.Int64Range(0, delivery.MaxCents).Draw(t, "cod")
	count := rapid.SampledFrom([]int{1, 2, delivery.MaxParcels}).Draw(t, "parcels")
	parcel := delivery.Parcel{
		ParcelID: drawText(t, "parcel_id", 255),
		Barcode:  rapid.OneOf(rapid.StringMatching(`[ -~]{0,40}`), rapid.StringMatching(`[0-9]{0,70}`)).Draw(t, "barcode"),
		LengthCm: rapid.Float64Range(0.1, 300).Draw(t, "length"), WidthCm: 299.99, HeightCm: 300,
		WeightKg: rapid.Float64Range(0.01, 70).Draw(t, "weight"), Fragile: rapid.Bool().Draw(t, "fragile"),
	}
	o.Parcels = make([]delivery.Parcel, count)
	for i := range o.Parcels {
		o.Parcels[i] = parcel
	}
	return o
}

// TestNothingOverlaps: on any label every text is within the margins, over nothing
// but its own box, and the codes have their quiet zones.
func TestNothingOverlaps(t *testing.T) {
	t.Parallel()
	sheet := image.Rect(margin, margin, width-margin, height-margin)
	repeatable.Check(t, func(t *rapid.T) {
		common, parcels := layout(drawOrder(t), time.UTC)
		for _, p := range parcels {
			var taken []image.Rectangle
			take := func(what string, r image.Rectangle, within image.Rectangle) {
				if !r.In(within) {
					t.Fatalf("%s at %v is not within %v", what, r, within)
				}
				for _, other := range taken {
					if other.Overlaps(r) {
						t.Fatalf("%s at %v overlaps %v", what, r, other)
					}
				}
				taken = append(taken, r)
			}
			for _, b := range slices.Concat(common.boxes, p.boxes) {
				take("a box", at(b.x, b.y, b.width, b.height), sheet)
			}
			boxes := len(taken)
			for _, l := range slices.Concat(common.texts, p.texts) {
				r := at(l.x, l.y, l.font.width(l.text, l.size), l.size)
				if !l.inverse {
					take(l.text, r, sheet)
					continue
				}
				on := false
				for _, b := range taken[:boxes] {
					on = on || r.In(b)
				}
				if !on {
					t.Fatalf("%q is white on white", l.text)
				}
			}
			b, quiet := p.bars, p.bars.module*quietBars
			take("Code 128", at(b.x-quiet, barsTop, b.module*len(b.bits)+2*quiet, barsHeight), image.Rect(0, 0, width, height))
			s, quiet := common.qr, common.qr.module*quietQR
			side := s.module*len(s.bits) + 2*quiet
			take("the QR code", at(s.x-quiet, s.y-quiet, side, side), sheet)
		}
	})
}

func at(x, y, width, height int) image.Rectangle { return image.Rect(x, y, x+width, y+height) }

// TestAnyOrderHasLabels: for any order, the PDF has a page for each parcel, and
// the ZPL holds no commands but those of a label.
func TestAnyOrderHasLabels(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		o := drawOrder(t)
		file, err := PDF(o, Coarsest, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(file), "/Type /Page\n"); got != len(o.Parcels) ||
			!strings.HasSuffix(string(file), "%%EOF\n") {
			t.Fatalf("got %d pages, want %d, and a complete file", got, len(o.Parcels))
		}
		checkZPL(t, o)
	})
}
