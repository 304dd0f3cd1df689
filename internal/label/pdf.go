package label

import (
	"bytes"
	"fmt"
	"runtime"

	"codeberg.org/go-pdf/fpdf"
	"github.com/dropyard/dropyard/internal/delivery"
)

// points converts a length in dots to points, the unit of PDF.
func points(dots int) float64 { return float64(dots) * 72 / perInch }

// baseline is the distance from the top of a line to its baseline, in hundredths
// of its size.
const baseline = 82

// PDF returns the labels of an order as PDF, a page of 4 by 6 inches for each
// parcel. It lets other goroutines run after each page.
func PDF(o *delivery.Order) ([]byte, error) {
	f := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: points(width), Ht: points(height)}})
	f.SetCatalogSort(true)
	f.SetCreationDate(o.CreatedAt)
	f.SetModificationDate(o.CreatedAt)
	f.SetTitle("Label "+o.OrderID, true)
	f.SetAutoPageBreak(false, 0)
	// A compressor for each page took half of the time and most of the memory. Without
	// it a page has 9 kB instead of 4; the QR code, which all share, is drawn once.
	f.SetCompression(false)
	f.AddUTF8FontFromBytes(family, styleOf(regular), regular.ttf)
	f.AddUTF8FontFromBytes(family, styleOf(bold), bold.ttf)
	pages := layout(o)
	code := f.CreateTemplate(func(t *fpdf.Tpl) { drawQR(&t.Fpdf, pages[0].qr) })
	for _, p := range pages {
		f.AddPage()
		drawPage(f, p)
		if p.qr != nil {
			f.UseTemplate(code)
		}
		runtime.Gosched()
	}
	var file bytes.Buffer
	if err := f.Output(&file); err != nil {
		return nil, fmt.Errorf("draw the labels of %s: %w", o.OrderID, err)
	}
	return file.Bytes(), nil
}

const family = "go"

func styleOf(f *face) string {
	if f == bold {
		return "B"
	}
	return ""
}

// fill draws a black box, in dots.
func fill(f *fpdf.Fpdf, x, y, width, height int) {
	f.Rect(points(x), points(y), points(width), points(height), "F")
}

// drawQR draws a QR code; nil is none.
func drawQR(f *fpdf.Fpdf, s *qrCode) {
	if s == nil {
		return
	}
	f.SetFillColor(0, 0, 0)
	for y, bits := range s.bits {
		runs(bits, func(start, length int) {
			fill(f, s.x+start*s.module, s.y+y*s.module, length*s.module, s.module)
		})
	}
}

// drawPage draws a page without its QR code.
func drawPage(f *fpdf.Fpdf, p *page) {
	f.SetFillColor(0, 0, 0)
	for _, b := range p.boxes {
		fill(f, b.x, b.y, b.width, b.height)
	}
	for _, t := range p.texts {
		ink := 0
		if t.inverse {
			ink = 255
		}
		f.SetTextColor(ink, ink, ink)
		f.SetFont(family, styleOf(t.face), points(t.size))
		f.Text(points(t.x), points(t.y)+points(t.size)*baseline/100, t.text)
	}
	if b := p.bars; b != nil {
		runs(bits128(b.text), func(start, length int) {
			fill(f, b.x+start*b.module, barsTop, length*b.module, barsHeight)
		})
	}
}
