package label

import "codeberg.org/go-pdf/fpdf"

// Pen writes texts of any script into a PDF whose unit is the point, in the fonts of labels.
type Pen struct {
	file  *fpdf.Fpdf
	added map[*typeface]bool
}

// NewPen returns a pen for a file.
func NewPen(file *fpdf.Fpdf) *Pen { return &Pen{file, map[*typeface]bool{}} }

// Type is how a text is set.
type Type struct {
	Bold bool
	Size int // in points
}

func (t Type) face() *face {
	if t.Bold {
		return bold
	}
	return regular
}

// perPoint is how finely texts are measured.
const perPoint = 100

// Width returns the width of a text in points.
func (p *Pen) Width(text string, as Type) float64 {
	text, _ = clean(text)
	return float64(as.face().width(text, as.Size*perPoint)) / perPoint
}

// Lines breaks a text into at most so many lines of a width in points. What does not fit is cut, and ends in "…".
func (p *Pen) Lines(text string, as Type, width float64, most int) []string {
	size := as.Size * perPoint
	return as.face().fit(text, size, size, int(width*perPoint), most).lines
}

// Write writes a text in one line, from a point of its baseline on.
func (p *Pen) Write(x, y float64, text string, as Type) {
	text, _ = clean(text)
	font := as.face().of(text)
	font.addTo(p.file, p.added)
	p.file.SetFont(font.family, font.style, float64(as.Size))
	font.draw(p.file, x, y, float64(as.Size), text)
}
