package label

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"
)

// missing replaces every character that the fonts, which have Latin, Greek and
// Cyrillic, do not have. A reader sees that characters are missing, and how many.
const missing = '□'

// face is a font.
type face struct {
	style string // of fpdf
	ttf   []byte
	// The part that has Windows-1252, as fpdf wants it: the widths in that encoding,
	// and the font, compressed. It has the same widths.
	latinWidths, latinFont []byte
	// widths returns the width of every character of the first plane, in
	// thousandths of the font's size; 0 for those that the font does not have.
	widths func() []uint16
}

// The fonts are parts of Liberation Sans, which font/subset.py makes. Its hyphen is
// shorter than a dash.
var (
	//go:embed font/regular.ttf
	regularTTF []byte
	//go:embed font/bold.ttf
	boldTTF []byte
	//go:embed font/latin-regular.json
	latinRegularWidths []byte
	//go:embed font/latin-regular.z
	latinRegularFont []byte
	//go:embed font/latin-bold.json
	latinBoldWidths []byte
	//go:embed font/latin-bold.z
	latinBoldFont []byte
)

// characters is the number of characters in Unicode's first plane. The fonts have
// no others.
const characters = 1 << 16

var (
	regular = &face{"", regularTTF, latinRegularWidths, latinRegularFont,
		sync.OnceValue(func() []uint16 { return measure(regularTTF) })}
	bold = &face{"B", boldTTF, latinBoldWidths, latinBoldFont,
		sync.OnceValue(func() []uint16 { return measure(boldTTF) })}
)

func measure(ttf []byte) []uint16 {
	widths := make([]uint16, characters)
	parsed, err := sfnt.Parse(ttf)
	if err != nil {
		return widths // cannot happen: the font is compiled in, and a test reads it
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

// has reports whether the font has a character.
func (f *face) has(r rune) bool { return r < characters && f.widths()[r] > 0 }

// alike maps characters that the fonts do not have to those that look the same.
var alike = map[rune]rune{'\u02bb': '‘', '\u02bc': '’', '\u2010': '-', '\u2011': '-'}

// nearest returns a character, or the most similar one that the font has: with one
// of its accents or none, because a courier finds Nguyên but perhaps not Nguy□n.
// It is false if the font has none.
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

// width returns the width of a clean text in dots.
func (f *face) width(text string, size int) int {
	sum, widths := 0, f.widths()
	for _, r := range text {
		sum += int(widths[r])
	}
	return (sum*size + 999) / 1000
}

// clean returns a text in a form that can be printed: composed, in one line,
// without characters of no width, and with missing for those that the fonts do not
// have.
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
			// Accents without a letter, marks of direction, joiners of emoji: left out.
		default:
			b.WriteRune(missing)
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// fit breaks a text into at most so many lines, in the largest size from large down
// to small in which it fits. A text that does not fit in the smallest size is cut,
// and ends in "…".
func (f *face) fit(text string, large, small, width, lines int) (size int, broken []string) {
	text = clean(text)
	if text == "" || lines < 1 {
		return large, nil
	}
	for size = large; ; size -= 2 {
		broken, whole := f.wrap(text, size, width, lines)
		if whole || size-2 < small {
			return size, broken
		}
	}
}

// wrap breaks a clean text into at most so many lines. If they cannot hold the whole
// text, the last ends in "…".
func (f *face) wrap(text string, size, width, lines int) (broken []string, whole bool) {
	for text != "" && len(broken) < lines {
		line, rest := f.line(text, size, width)
		if rest != "" && len(broken) == lines-1 {
			return append(broken, f.cut(text, size, width)), false
		}
		broken, text = append(broken, line), rest
	}
	return broken, text == ""
}

// line returns the words at the beginning of a text that fit in a line, or a part of
// the first if that is longer than a line, and the rest of the text.
func (f *face) line(text string, size, width int) (line, rest string) {
	line = f.head(text, size, width)
	if line == text {
		return line, ""
	}
	if end := strings.LastIndexByte(text[:len(line)+1], ' '); end > 0 {
		return text[:end], text[end+1:]
	}
	return line, text[len(line):]
}

// head returns as much of the beginning of a text as fits, at least one character.
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

// cut returns as much of the beginning of a text as fits together with "…".
func (f *face) cut(text string, size, width int) string {
	const mark = "…"
	return strings.TrimRight(f.head(text, size, width-f.width(mark, size)), " ") + mark
}
