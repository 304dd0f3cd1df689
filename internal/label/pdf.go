package label

import (
	"bytes"
	"fmt"
	"runtime"
	"strconv"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"github.com/dropyard/dropyard/internal/delivery"
	"golang.org/x/text/encoding/charmap"
)

// points converts a length in dots to points, the unit of PDF.
func points(dots int) float64 { return float64(dots) * 72 / perInch }

// baseline is the distance from the top of a line to its baseline, in hundredths
// of its size.
const baseline = 82

// PDF returns the labels of an order as PDF, a page of 4 by 6 inches for each
// parcel. clock is the time zone of the dropoff. It lets other goroutines run after
// each page.
func PDF(o *delivery.Order, clock *time.Location) ([]byte, error) {
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: points(width), Ht: points(height)}})
	f.SetCatalogSort(true)
	f.SetCreationDate(o.CreatedAt)
	f.SetModificationDate(o.CreatedAt)
	f.SetTitle("Label "+o.OrderID, true)
	f.SetAutoPageBreak(false, 0)
	// A compressor for each page took half of the time and most of the memory. What all
	// pages show is in the file once.
	f.SetCompression(false)
	for _, face := range []*face{regular, bold} {
		f.AddFontFromBytes(latin, face.style, face.latinWidths, face.latinFont)
	}
	common, parcels := layout(o, clock)
	shared := f.CreateTemplate(func(t *fpdf.Tpl) { drawPage(&t.Fpdf, common) })
	for _, p := range parcels {
		f.AddPage()
		f.UseTemplate(shared)
		drawPage(f, p)
		runtime.Gosched()
	}
	var file bytes.Buffer
	if err := f.Output(&file); err != nil {
		return nil, fmt.Errorf("draw the labels of %s: %w", o.OrderID, err)
	}
	return file.Bytes(), nil
}

// The families of the fonts: latin has Windows-1252, full every character.
const latin, full = "latin", "full"

// setFont selects the font of a line, and returns its text in the encoding of that
// font. Most labels need latin alone. It is prepared, whereas fpdf spends
// milliseconds on full, so that is added to a document only with the first line that
// needs it.
func setFont(f *fpdf.Fpdf, t line) (encoded string) {
	encoded, ok := windows1252(t.text)
	if ok {
		f.SetFont(latin, t.face.style, points(t.size))
		return encoded
	}
	f.AddUTF8FontFromBytes(full, t.face.style, t.face.ttf)
	f.SetFont(full, t.face.style, points(t.size))
	return t.text
}

// windows1252 returns a text in Windows-1252. It is not ok if a character is not in
// that encoding.
func windows1252(text string) (encoded string, ok bool) {
	letters := make([]byte, 0, len(text))
	for _, r := range text {
		letter, ok := charmap.Windows1252.EncodeRune(r)
		if !ok {
			return "", false
		}
		letters = append(letters, letter)
	}
	return string(letters), true
}

// drawPage draws a page: its boxes and codes, and its texts over them.
func drawPage(f *fpdf.Fpdf, p *page) {
	drawBoxes(f, p)
	for _, t := range p.texts {
		ink := 0
		if t.inverse {
			ink = 255
		}
		f.SetTextColor(ink, ink, ink)
		text := setFont(f, t)
		f.Text(points(t.x), points(t.y)+points(t.size)*baseline/100, text)
	}
}

// drawBoxes draws what is black, in dots from the top left corner.
func drawBoxes(f *fpdf.Fpdf, p *page) {
	b := fmt.Appendf(nil, "q 0 g %.7f 0 0 -%.7f 0 %d cm\n", points(1), points(1), height*72/perInch)
	for _, r := range p.boxes {
		b = appendBox(b, r.x, r.y, r.width, r.height)
	}
	if s := p.bars; s != nil {
		runs(s.bits, func(start, length int) {
			b = appendBox(b, s.x+start*s.module, barsTop, length*s.module, barsHeight)
		})
	}
	if s := p.qr; s != nil {
		for y, bits := range s.bits {
			runs(bits, func(start, length int) {
				b = appendBox(b, s.x+start*s.module, s.y+y*s.module, length*s.module, s.module)
			})
		}
	}
	f.RawWriteStr(string(append(b, "f Q"...)))
}

// appendBox appends a rectangle to the path.
func appendBox(b []byte, x, y, width, height int) []byte {
	for _, number := range [...]int{x, y, width, height} {
		b = append(strconv.AppendInt(b, int64(number), 10), ' ')
	}
	return append(b, "re\n"...)
}
