package label

import (
	"image"
	"image/color"

	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/harfbuzz"
	"github.com/go-text/typesetting/language"
	"golang.org/x/image/vector"
)

// glyph is a glyph of a line. Its origin is so far to the right of the beginning of the line
// and above the baseline, in thousandths of the font's size.
type glyph struct {
	char     rune
	x, y     int
	outlines []opentype.Segment // only of picture
}

// shape returns the glyphs of a clean text, with accents where their letters want them.
func (f *loaded) shape(text string, outlined bool) []glyph {
	runes := []rune(text)
	f.mu.Lock()
	defer f.mu.Unlock()
	buffer := harfbuzz.NewBuffer()
	buffer.ClusterLevel = harfbuzz.Characters
	buffer.AddRunes(runes, 0, len(runes))
	// No letter that the fonts have joins another, so all scripts are set as Latin is.
	buffer.Props = harfbuzz.SegmentProperties{Direction: harfbuzz.LeftToRight, Script: language.Latin}
	buffer.Shape(f.shaper, nil)
	glyphs, pen := make([]glyph, len(buffer.Info)), 0
	for i, info := range buffer.Info {
		at := buffer.Pos[i]
		glyphs[i] = glyph{char: f.char(info, runes), x: pen + f.thousandths(at.XOffset), y: f.thousandths(at.YOffset)}
		pen += f.thousandths(at.XAdvance)
		if outlined {
			outline, _ := f.face.GlyphDataOutline(info.Glyph)
			glyphs[i].outlines = outline.Segments
		}
	}
	return glyphs
}

// char returns the character that a glyph shows: that of the text, unless the shaper has
// chosen another for it.
func (f *loaded) char(info harfbuzz.GlyphInfo, runes []rune) rune {
	if id, ok := f.face.NominalGlyph(runes[info.Cluster]); ok && id == info.Glyph {
		return runes[info.Cluster]
	}
	return f.runes[info.Glyph]
}

func (f *loaded) thousandths(units harfbuzz.Position) int {
	return int(units) * 1000 / int(f.face.Upem())
}

// piece is a part of a line whose characters follow each other as the font has them.
type piece struct {
	text string
	x, y int // as in glyph
}

// pieces returns a clean text in parts, which only accents make necessary.
func (f *loaded) pieces(text string) (parts []piece) {
	pen := 0 // where the next character follows that of the last part
	for _, g := range f.shape(text, false) {
		if last := len(parts) - 1; last >= 0 && g.x == pen && g.y == parts[last].y {
			parts[last].text += string(g.char)
		} else {
			parts = append(parts, piece{string(g.char), g.x, g.y})
		}
		pen = g.x + int(f.widths[g.char])
	}
	return parts
}

// picture draws a clean text in black, in the given size, and returns what is black and where
// it is, from the left end of the baseline. Accents may be far above and below the line.
func (f *loaded) picture(text string, size int) *image.Alpha {
	glyphs := f.shape(text, true)
	scale := float32(size) / float32(f.face.Upem())
	bounds := image.Rect(-size, -2*size, size, size)
	for _, g := range glyphs {
		bounds.Max.X = max(bounds.Max.X, (g.x+2000)*size/1000)
	}
	ink := vector.NewRasterizer(bounds.Dx(), bounds.Dy())
	for _, g := range glyphs {
		left := float32(g.x*size)/1000 - float32(bounds.Min.X)
		base := -float32(bounds.Min.Y) - float32(g.y*size)/1000
		point := func(p opentype.SegmentPoint) (x, y float32) { return left + p.X*scale, base - p.Y*scale }
		trace(ink, g.outlines, point)
	}
	drawn := image.NewAlpha(bounds)
	ink.Draw(drawn, bounds, image.NewUniform(color.Opaque), image.Point{})
	return crop(drawn)
}

// trace adds an outline to what is to be filled.
func trace(ink *vector.Rasterizer, outline []opentype.Segment, point func(opentype.SegmentPoint) (x, y float32)) {
	for _, s := range outline {
		x, y := point(s.Args[0])
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			ink.ClosePath()
			ink.MoveTo(x, y)
		case opentype.SegmentOpLineTo:
			ink.LineTo(x, y)
		case opentype.SegmentOpQuadTo:
			toX, toY := point(s.Args[1])
			ink.QuadTo(x, y, toX, toY)
		case opentype.SegmentOpCubeTo:
			x2, y2 := point(s.Args[1])
			toX, toY := point(s.Args[2])
			ink.CubeTo(x, y, x2, y2, toX, toY)
		}
	}
	ink.ClosePath()
}

// black reports whether a dot is printed: if more than half of it is covered.
func black(picture *image.Alpha, x, y int) bool { return picture.AlphaAt(x, y).A >= 0x80 }

// crop returns the part of a picture that has anything black.
func crop(picture *image.Alpha) *image.Alpha {
	var used image.Rectangle
	for y := picture.Rect.Min.Y; y < picture.Rect.Max.Y; y++ {
		for x := picture.Rect.Min.X; x < picture.Rect.Max.X; x++ {
			if black(picture, x, y) {
				used = used.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return picture.SubImage(used).(*image.Alpha)
}
