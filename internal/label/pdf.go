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

// pointsPerInch is the number of units of PDF in an inch.
const pointsPerInch = 72

// baseline is the distance from the top of a line to its baseline, in hundredths
// of its size.
const baseline = 82

// canvas is a page of a PDF on which is drawn in dots.
type canvas struct {
	*fpdf.Fpdf
	Resolution
}

// points converts a length in dots to the unit of PDF.
func (c canvas) points(dots int) float64 {
	return float64(dots) * pointsPerInch / float64(c.Resolution)
}

// PDF returns the labels of an order as PDF, a page of 4 by 6 inches for each
// parcel, on which everything is in the dots of a print head. clock is the time zone of the
// dropoff. It lets other goroutines run after each page.
func PDF(o *delivery.Order, resolution Resolution, clock *time.Location) ([]byte, error) {
	return document("Label "+o.OrderID, []Job{{o, clock}}, resolution)
}

// document returns the labels of orders, one order after the other, in a file with a title and the date of
// the newest order.
func document(title string, jobs []Job, resolution Resolution) ([]byte, error) {
	size := fpdf.SizeType{Wd: inchesWide * pointsPerInch, Ht: inchesHigh * pointsPerInch}
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: size})
	f.SetCatalogSort(true)
	var newest time.Time
	for _, job := range jobs {
		if job.Order.CreatedAt.After(newest) {
			newest = job.Order.CreatedAt
		}
	}
	f.SetCreationDate(newest)
	f.SetModificationDate(newest)
	f.SetTitle(title, true)
	f.SetAutoPageBreak(false, 0)
	// A compressor for each page took half of the time and most of the memory. What all
	// pages show is in the file once.
	f.SetCompression(false)
	added := map[*typeface]bool{}
	for _, job := range jobs {
		common, parcels := layout(job.Order, job.Clock)
		addFonts(f, append([]*page{common}, parcels...), added)
		shared := f.CreateTemplate(func(t *fpdf.Tpl) { canvas{&t.Fpdf, resolution}.draw(common) })
		for _, p := range parcels {
			f.AddPage()
			f.UseTemplate(shared)
			canvas{f, resolution}.draw(p)
			runtime.Gosched()
		}
	}
	var file bytes.Buffer
	if err := f.Output(&file); err != nil {
		return nil, fmt.Errorf("draw %q: %w", title, err)
	}
	return file.Bytes(), nil
}

// addFonts adds the fonts of pages, unless they were added before. The latin ones are always in the file.
func addFonts(f *fpdf.Fpdf, pages []*page, added map[*typeface]bool) {
	for _, face := range []*face{regular, bold} {
		face.latin.addTo(f, added)
	}
	for _, p := range pages {
		for _, t := range p.texts {
			t.font.addTo(f, added)
		}
	}
}

// addTo adds a font to a file, unless it was added before. The latin ones are prepared. fpdf spends milliseconds on an
// extended one, so that is added only if a text needs it; of it the file has what is used.
func (f *typeface) addTo(file *fpdf.Fpdf, added map[*typeface]bool) {
	if added[f] {
		return
	}
	if added[f] = true; f.family == latinFamily {
		file.AddFontFromBytes(latinFamily, f.style, f.prepared, f.compressed)
		return
	}
	file.AddUTF8FontFromBytes(extendedFamily, f.style, f.load().file)
}

// draw draws a page: its boxes and codes, and its texts over them.
func (c canvas) draw(p *page) {
	p = c.convert(p)
	c.boxes(p)
	for _, t := range p.texts {
		ink := 0
		if t.inverse {
			ink = 255
		}
		c.SetTextColor(ink, ink, ink)
		c.SetFont(t.font.family, t.font.style, c.points(t.size))
		t.font.draw(c.Fpdf, c.points(t.x), c.points(t.y)+c.points(t.size)*baseline/100, c.points(t.size), t.text)
	}
}

// draw draws a clean text in the present font of a file, from a point of its baseline on, in a size in points.
func (f *typeface) draw(file *fpdf.Fpdf, x, y, size float64, text string) {
	if encoded, ok := windows1252(text); ok && f.family == latinFamily {
		file.Text(x, y, encoded)
		return
	}
	for _, part := range f.load().pieces(text) {
		file.Text(x+float64(part.x)*size/1000, y-float64(part.y)*size/1000, part.text)
	}
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

// boxes draws what is black, in dots from the top left corner.
func (c canvas) boxes(p *page) {
	b := fmt.Appendf(nil, "q 0 g %.7f 0 0 -%.7f 0 %d cm\n", c.points(1), c.points(1), inchesHigh*pointsPerInch)
	for _, r := range p.boxes {
		b = appendBox(b, r.x, r.y, r.width, r.height)
	}
	if s := p.bars; s != nil {
		runs(s.bits, func(start, length int) {
			b = appendBox(b, s.x+start*s.module, s.y, length*s.module, s.height)
		})
	}
	if s := p.qr; s != nil {
		for y, bits := range s.bits {
			runs(bits, func(start, length int) {
				b = appendBox(b, s.x+start*s.module, s.y+y*s.module, length*s.module, s.module)
			})
		}
	}
	c.RawWriteStr(string(append(b, "f Q"...)))
}

// appendBox appends a rectangle to the path.
func appendBox(b []byte, x, y, width, height int) []byte {
	for _, number := range [...]int{x, y, width, height} {
		b = append(strconv.AppendInt(b, int64(number), 10), ' ')
	}
	return append(b, "re\n"...)
}
