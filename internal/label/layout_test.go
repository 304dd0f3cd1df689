package label

import (
	"bytes"
	"compress/zlib"
	"image"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestFontsHaveTheSameCharacters, because clean does not know which font will show
// a text.
func TestFontsHaveTheSameCharacters(t *testing.T) {
	t.Parallel()
	count := 0
	for r := range rune(characters) {
		if regular.has(r) != bold.has(r) {
			t.Errorf("only one font has %q", r)
		}
		if bold.has(r) {
			count++
		}
	}
	if count < 500 || !bold.has(missing) || !bold.has('…') || bold.has('山') || bold.has(1<<20) {
		t.Errorf("got %d characters, want at least 500, with %q and '…', without '山'", count, missing)
	}
}

// TestLatinFonts: the prepared fonts have every character of Windows-1252 that the
// whole fonts have, and the same widths, because lines are measured in the latter.
func TestLatinFonts(t *testing.T) {
	t.Parallel()
	for _, face := range []*face{regular, bold} {
		prepared := measure(inflate(t, face.latinFont))
		f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt"})
		f.AddFontFromBytes(latin, face.style, face.latinWidths, face.latinFont)
		f.AddUTF8FontFromBytes(full, face.style, face.ttf)
		count := 0
		for code, width := range face.widths() {
			r := rune(code)
			letter, ok := windows1252(string(r))
			if width == 0 || !ok {
				if prepared[r] != 0 {
					t.Errorf("%q: got a width of %d in the prepared font, want none", r, prepared[r])
				}
				continue
			}
			count++
			f.SetFont(latin, face.style, 1000)
			got := f.GetStringWidth(letter)
			f.SetFont(full, face.style, 1000)
			if want := f.GetStringWidth(string(r)); got != want || prepared[r] != width {
				t.Errorf("%q: got the widths %v and %d, want %v and %d", r, got, prepared[r], want, width)
			}
		}
		if count < 200 || f.Err() {
			t.Errorf("got %d characters and the error %v, want at least 200", count, f.Error())
		}
	}
}

func inflate(t *testing.T, compressed []byte) []byte {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Épicerie Bœuf":           "Épicerie Bœuf",
		"E\u0301te\u0301":         "Été",
		" a\t\nb\x00\x1b\u2028c":  "a b c",
		"Żółć Ελένη Дмитрий":      "Żółć Ελένη Дмитрий",
		"Nguyễn Thị Hậu, Đường 2": "Nguyên Thi Hâu, Đuòng 2",
		"OʼBrien, 10‑2":           "O’Brien, 10-2",
		"山田 가":                    "□□ □",
		"👍🏽":                      "□",
		"\u202eabc\u200d\ufeff":   "abc",
		"x\u0334":                 "x",
		"bad\xff":                 "bad□",
		"\u0301":                  "",
	} {
		if got := clean(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
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
	west := time.FixedZone("", -int((3*time.Hour + 30*time.Minute).Seconds()))
	for length, want := range map[time.Duration]string{
		time.Hour:      "2026-03-08 23:00 – 2026-03-09 00:00",
		10 * time.Hour: "2026-03-08 23:00 – 2026-03-09 09:00",
		time.Minute:    "2026-03-08 23:00 – 23:01",
	} {
		if got := window(delivery.Window{Start: start, End: start.Add(length)}, west); got != want {
			t.Errorf("%v from %v: got %q, want %q", length, start, got, want)
		}
	}
}

func TestPhoneNumber(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"+15145550100": "+1 514-555-0100", "+33142685300": "+33142685300", "+1514555010": "+1514555010", "+151455501001": "+151455501001", "": "",
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
		size, got := bold.fit(c.text, 40, 20, 220, c.lines)
		if size != c.size || strings.Join(got, "|") != strings.Join(c.want, "|") {
			t.Errorf("%.20q on %d lines: got %q at %d, want %q at %d", c.text, c.lines, got, size, c.want, c.size)
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
	id := rapid.SampledFrom([]string{"ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "ord_3kq9w0zt01hb7m2x9p4c6r8d0fwwwwww"}).Draw(t, "order_id")
	o := testkit.Order("par_3kq9w0zt", id, drawText(t, "partner_order_id", 255), testkit.Epoch)
	o.ServiceLevel = rapid.SampledFrom(delivery.ServiceLevels).Draw(t, "service_level")
	for _, c := range []*delivery.Contact{&o.Pickup, &o.Dropoff} {
		c.Name = drawText(t, "name", 255)
		c.Phone = rapid.SampledFrom([]string{"", "+15145550100", "+999999999999999", "+1234567"}).Draw(t, "phone")
		c.Window.Start = time.Unix(rapid.Int64Range(0, 1<<37).Draw(t, "start"), 0)
		c.Window.End = c.Window.Start.Add(time.Duration(rapid.Int64Range(1, 1<<40).Draw(t, "length")) * time.Microsecond)
		c.Address = delivery.Address{
			Line1: drawText(t, "line1", 255), Line2: drawText(t, "line2", 255), City: drawText(t, "city", 255), Notes: drawText(t, "notes", 1000),
			Province: rapid.SampledFrom(delivery.Provinces).Draw(t, "province"), PostalCode: "M4W 1W1", Country: delivery.Country,
		}
	}
	o.Reference, o.Instructions = drawText(t, "reference", 100), drawText(t, "instructions", 1000)
	o.COD.AmountCents = rapid.Int64Range(0, delivery.MaxCents).Draw(t, "cod")
	count := rapid.SampledFrom([]int{1, 2, delivery.MaxParcels}).Draw(t, "parcels")
	parcel := delivery.Parcel{
		ParcelID: drawText(t, "parcel_id", 255), Barcode: rapid.OneOf(rapid.StringMatching(`[ -~]{0,40}`), rapid.StringMatching(`[0-9]{0,70}`)).Draw(t, "barcode"),
		LengthCm: rapid.Float64Range(0.1, 300).Draw(t, "length"), WidthCm: 299.99, HeightCm: 300, WeightKg: rapid.Float64Range(0.01, 70).Draw(t, "weight"),
		Fragile: rapid.Bool().Draw(t, "fragile"),
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
				r := at(l.x, l.y, l.face.width(l.text, l.size), l.size)
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
		file, err := PDF(o, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(file), "/Type /Page\n"); got != len(o.Parcels) || !strings.HasSuffix(string(file), "%%EOF\n") {
			t.Fatalf("got %d pages, want %d, and a complete file", got, len(o.Parcels))
		}
		checkZPL(t, o)
	})
}
