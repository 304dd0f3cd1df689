package label

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// missing stands for every character that the fonts do not have in any form:
// they have Latin, Greek and Cyrillic. A reader sees that something is missing,
// and how much of it; nothing turns into another letter.
const missing = '□'

// face is a font.
type face struct {
	ttf []byte
	// widths has, for every character that the font has, how wide it is in
	// thousandths of the font's size; 0 for the others.
	widths func() []uint16
}

// characters is how many there are in Unicode's first plane, where all that the
// fonts have lies.
const characters = 1 << 16

var (
	regular = newFace(goregular.TTF)
	bold    = newFace(gobold.TTF)
)

func newFace(ttf []byte) *face {
	return &face{ttf, sync.OnceValue(func() []uint16 { return measure(ttf) })}
}

func measure(ttf []byte) []uint16 {
	widths := make([]uint16, characters)
	parsed, err := sfnt.Parse(ttf)
	if err != nil {
		return widths // never: it is compiled in, and a test reads it
	}
	var buffer sfnt.Buffer
	for r := rune(' '); r < characters; r++ {
		glyph, err := parsed.GlyphIndex(&buffer, r)
		if err != nil || glyph == 0 || !unicode.IsPrint(r) {
			continue
		}
		if advance, err := parsed.GlyphAdvance(&buffer, glyph, fixed.I(1000), font.HintingNone); err == nil {
			widths[r] = uint16(advance.Ceil())
		}
	}
	return widths
}

// has tells whether the font can show a character.
func (f *face) has(r rune) bool { return r < characters && f.widths()[r] > 0 }

// alike are characters that look like others, which the font has.
var alike = map[rune]rune{'\u02bb': '‘', '\u02bc': '’', '\u2010': '-', '\u2011': '-'}

// nearest is a character as the font can show it: if need be with one of its
// accents or none, since Nguyên finds its reader and Nguy□n may not.
func (f *face) nearest(r rune) (shown rune, ok bool) {
	if f.has(r) {
		return r, true
	}
	if other, ok := alike[r]; ok {
		return other, true
	}
	parts := []rune(norm.NFD.String(string(r)))
	for i := len(parts) - 1; i >= 0; i-- {
		form := parts[:1]
		if i > 0 {
			form = []rune(norm.NFC.String(string([]rune{parts[0], parts[i]})))
		}
		if len(form) == 1 && f.has(form[0]) {
			return form[0], true
		}
	}
	return 0, false
}

// width is how many dots wide a clean text is.
func (f *face) width(text string, size int) int {
	sum, widths := 0, f.widths()
	for _, r := range text {
		sum += int(widths[r])
	}
	return (sum*size + 999) / 1000
}

// clean makes a text printable: composed, in one line, without what has no
// width, with a mark for what the fonts do not have.
func clean(text string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(text) {
		shown, ok := bold.nearest(r)
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			b.WriteByte(' ')
		case ok:
			b.WriteRune(shown)
		case unicode.In(r, unicode.M, unicode.Cf, unicode.Sk):
			// Accents that nothing carries, directions, joiners of emoji.
		default:
			b.WriteRune(missing)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// fit breaks a text into at most so many lines, in the largest size that does,
// from large to small. What does not even fit when small is cut, and ends in "…".
func (f *face) fit(text string, large, small, width, lines int) (size int, broken []string) {
	text = clean(text)
	if text == "" || lines < 1 {
		return large, nil
	}
	for size = large; ; size -= 2 {
		broken = f.wrap(text, size, width)
		if len(broken) <= lines {
			return size, broken
		}
		if size-2 < small {
			break
		}
	}
	rest := strings.Join(broken[lines-1:], " ")
	return size, append(broken[:lines-1:lines-1], f.cut(rest, size, width))
}

// wrap breaks a text between words, and within words that are longer than a
// line.
func (f *face) wrap(text string, size, width int) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if joined := strings.TrimPrefix(line+" "+word, " "); f.width(joined, size) <= width {
			line = joined
			continue
		}
		if line != "" {
			lines = append(lines, line)
		}
		for f.width(word, size) > width {
			head := f.head(word, size, width)
			lines = append(lines, head)
			word = word[len(head):]
		}
		line = word
	}
	return append(lines, line)
}

// head is as much of a text as fits, one character at least.
func (f *face) head(text string, size, width int) string {
	sum, widths := 0, f.widths()
	for i, r := range text {
		sum += int(widths[r])
		if i > 0 && sum*size > width*1000 {
			return text[:i]
		}
	}
	return text
}

// cut is as much of a text as fits before "…".
func (f *face) cut(text string, size, width int) string {
	const mark = "…"
	return strings.TrimRight(f.head(text, size, width-f.width(mark, size)), " ") + mark
}
