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
	f.AddUTF8FontFromBytes(family, styleOf(regular), regular.ttf)
	f.AddUTF8FontFromBytes(family, styleOf(bold), bold.ttf)
	for _, p := range layout(o) {
		f.AddPage()
		drawPage(f, p)
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

func drawPage(f *fpdf.Fpdf, p *page) {
	fill := func(x, y, width, height int) {
		f.Rect(points(x), points(y), points(width), points(height), "F")
	}
	f.SetFillColor(0, 0, 0)
	for _, b := range p.boxes {
		fill(b.x, b.y, b.width, b.height)
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
			fill(b.x+start*b.module, barsTop, length*b.module, barsHeight)
		})
	}
	if s := p.qr; s != nil {
		for y, bits := range s.bits {
			runs(bits, func(start, length int) {
				fill(s.x+start*s.module, s.y+y*s.module, length*s.module, s.module)
			})
		}
	}
}
