package label

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"io"
	"math"
	"sync"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/harfbuzz"
)

// face is a weight in which texts are set. It consists of two fonts: most texts need only the
// small one, which has Windows-1252 and is prepared for PDF; all others are set in the other.
type face struct{ latin, extended *typeface }

// typeface is one of the fonts.
type typeface struct {
	family, style string // of fpdf
	compressed    []byte
	// prepared are the widths as fpdf wants them, in Windows-1252; nil for the extended font.
	prepared []byte
	load     func() *loaded
}

// loaded is a font that was read. Many goroutines may use it.
type loaded struct {
	file []byte
	// mu guards face and shaper, which keep what they have computed.
	mu     sync.Mutex
	face   *font.Face
	shaper *harfbuzz.Font
	// widths holds the width of every character, in thousandths of the font's size; absent for
	// those that the font does not have.
	widths []int16
	// runes holds a character for each glyph that has one.
	runes map[font.GID]rune
}

const absent = -1

// The fonts are parts of Liberation Sans, whose hyphen is shorter than a dash, and of Noto
// Sans. font/subset.py makes them.
var (
	//go:embed font/latin-regular.json
	latinRegularWidths []byte
	//go:embed font/latin-regular.z
	latinRegularFont []byte
	//go:embed font/latin-bold.json
	latinBoldWidths []byte
	//go:embed font/latin-bold.z
	latinBoldFont []byte
	//go:embed font/extended-regular.z
	extendedRegularFont []byte
	//go:embed font/extended-bold.z
	extendedBoldFont []byte
)

var (
	regular = newFace("", latinRegularFont, latinRegularWidths, extendedRegularFont)
	bold    = newFace("B", latinBoldFont, latinBoldWidths, extendedBoldFont)
)

// The families of the fonts in a PDF.
const latinFamily, extendedFamily = "latin", "extended"

func newFace(style string, latin, latinWidths, extended []byte) *face {
	return &face{newTypeface(latinFamily, style, latin, latinWidths), newTypeface(extendedFamily, style, extended, nil)}
}

func newTypeface(family, style string, compressed, prepared []byte) *typeface {
	load := func() *loaded {
		read, err := readFont(compressed)
		if err != nil {
			panic("label: " + err.Error()) // cannot happen: the font is compiled in, and tests read it
		}
		return read
	}
	return &typeface{family, style, compressed, prepared, sync.OnceValue(load)}
}

// characters is the number of characters in Unicode's first plane. The fonts have no others.
const characters = 1 << 16

func readFont(compressed []byte) (*loaded, error) {
	unpacked, err := zlib.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	file, err := io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	read, err := font.ParseTTF(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	f := &loaded{
		file: file, face: read, shaper: harfbuzz.NewFont(read),
		widths: make([]int16, characters), runes: map[font.GID]rune{},
	}
	scale := 1000 / float64(read.Upem())
	for r := range rune(characters) {
		f.widths[r] = absent
		glyph, ok := read.NominalGlyph(r)
		if !ok || glyph == 0 || !unicode.IsPrint(r) {
			continue
		}
		f.widths[r] = int16(math.Round(float64(read.HorizontalAdvance(glyph)) * scale))
		if _, known := f.runes[glyph]; !known {
			f.runes[glyph] = r
		}
	}
	return f, nil
}

// has reports whether the face has a character.
func (f *face) has(r rune) bool { return f.latin.has(r) || f.extended.has(r) }

func (f *typeface) has(r rune) bool { return r < characters && f.load().widths[r] != absent }

// of returns the font in which a clean text is set.
func (f *face) of(text string) *typeface {
	widths := f.latin.load().widths
	for _, r := range text {
		if r >= characters || widths[r] == absent {
			return f.extended
		}
	}
	return f.latin
}

// width returns the width of a clean text in dots.
func (f *face) width(text string, size int) int { return f.of(text).width(text, size) }

func (f *typeface) width(text string, size int) int {
	sum, widths := 0, f.load().widths
	for _, r := range text {
		sum += int(widths[r])
	}
	return (sum*size + 999) / 1000
}
