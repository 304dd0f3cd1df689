package label

import (
	"cmp"
	"slices"
	"strconv"
)

// Resolution is how fine a print head is, in dots per inch.
type Resolution int

// Coarsest is the resolution of most print heads in use, in which pages are laid out.
const Coarsest Resolution = 203

// Resolutions lists the resolutions for which labels are drawn.
var Resolutions = []Resolution{Coarsest, 300, 600}

// ParseResolution reads a resolution, such as 300; the coarsest if the text is empty. It is
// false if no labels are drawn for it.
func ParseResolution(text string) (Resolution, bool) {
	dpi, err := strconv.Atoi(cmp.Or(text, strconv.Itoa(int(Coarsest))))
	return Resolution(dpi), err == nil && slices.Contains(Resolutions, Resolution(dpi))
}

// maxDots is the greatest width of modules that printers take.
const maxDots = 10

// round converts a length, and floor one that must not become greater.
func (r Resolution) round(dots int) int { return (2*dots*int(r) + int(Coarsest)) / (2 * int(Coarsest)) }
func (r Resolution) floor(dots int) int { return dots * int(r) / int(Coarsest) }

// module converts the width of a module. Modules of whole dots may become a little wider than
// they were: no code grows into its quiet zone by that, which a test tries with all widths.
func (r Resolution) module(dots int) int { return min(r.round(dots), maxDots) }

// convert returns a page of the coarsest resolution in another.
func (r Resolution) convert(p *page) *page {
	if r == Coarsest {
		return p
	}
	q := &page{faults: p.faults}
	for _, b := range p.boxes {
		x, y := r.round(b.x), r.round(b.y)
		q.boxes = append(q.boxes, box{x, y, r.round(b.x+b.width) - x, r.round(b.y+b.height) - y})
	}
	for _, t := range p.texts {
		t.x, t.y, t.size = r.round(t.x), r.round(t.y), r.floor(t.size)
		q.texts = append(q.texts, t)
	}
	if p.bars != nil {
		b := *p.bars
		b.module, b.y, b.height = r.module(b.module), r.round(b.y), r.round(b.height)
		b.x = (r.round(width) - b.module*len(b.bits)) / 2
		q.bars = &b
	}
	if p.qr != nil {
		s := *p.qr
		s.module = r.module(s.module)
		// It keeps its middle.
		side := len(s.bits)
		s.x = r.round(2*s.x+p.qr.module*side)/2 - s.module*side/2
		s.y = r.round(2*s.y+p.qr.module*side)/2 - s.module*side/2
		q.qr = &s
	}
	return q
}
