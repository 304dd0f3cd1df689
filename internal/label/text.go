package label

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// missing replaces every character that the fonts do not have. A reader sees that characters
// are missing, and how many.
const missing = '□'

// nearest returns a character, or the most similar one that the font has: with one
// of its accents or none, because a courier finds Nguyên but perhaps not Nguy□n.
// It is false if the font has none.
func (f *face) nearest(r rune) (shown rune, ok bool) {
	if f.has(r) {
		return r, true
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

// maxAccents is how many accents of one letter are printed: more of them would run into the
// lines above and below.
const maxAccents = 3

// clean returns a text in a form that can be printed: composed, in one line, without
// characters of no width, and with missing for those that the fonts do not have. It is whole
// if everything that can be seen is in it.
func clean(text string) (cleaned string, whole bool) {
	if plain(text) {
		return text, true
	}
	return compose(text)
}

// compose is clean for all texts.
func compose(text string) (composed string, whole bool) {
	var b strings.Builder
	whole = true
	accents := maxAccents // of the letter before; accents without a letter are left out
	for _, r := range norm.NFC.String(text) {
		shown, ok := bold.nearest(r)
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			b.WriteByte(' ')
			accents = maxAccents
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			// Marks of direction, joiners of emoji.
		case unicode.Is(unicode.M, r):
			accents++
			if accents > maxAccents || !ok {
				whole = false
				continue
			}
			b.WriteRune(shown)
		case ok:
			accents, whole = 0, whole && shown == r
			b.WriteRune(shown)
		default:
			accents, whole = maxAccents, false
			b.WriteRune(missing)
		}
	}
	return strings.Join(strings.Fields(b.String()), " "), whole
}

// plain reports whether a text is clean, as most are. Each new order asks.
func plain(text string) bool {
	m := newMeasure(bold)
	m.add(text)
	return m.plain()
}

// set is a text as it is printed.
type set struct {
	font  *typeface
	size  int
	lines []string
	// whole is false if the text was cut, or has characters that cannot be printed.
	whole bool
}

// fit breaks a text into at most so many lines, in the largest size from large down
// to small in which it fits. A text that does not fit in the smallest size is cut,
// and ends in "…".
func (f *face) fit(text string, large, small, width, lines int) set {
	text, whole := clean(text)
	s := set{font: f.of(text), size: large, whole: whole}
	if text == "" || lines < 1 {
		s.whole = s.whole && text == ""
		return s
	}
	for ; ; s.size -= 2 {
		s.lines, whole = s.font.wrap(text, s.size, width, lines)
		if whole || s.size-2 < small {
			s.whole = s.whole && whole
			return s
		}
	}
}

// wrap breaks a clean text into at most so many lines. If they cannot hold the whole
// text, the last ends in "…".
func (f *typeface) wrap(text string, size, width, lines int) (broken []string, whole bool) {
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
func (f *typeface) line(text string, size, width int) (line, rest string) {
	line = f.head(text, size, width)
	if line == text {
		return line, ""
	}
	if end := strings.LastIndexByte(text[:len(line)+1], ' '); end > 0 {
		return text[:end], text[end+1:]
	}
	return line, text[len(line):]
}

// head returns as much of the beginning of a text as fits, at least one character. Accents
// have no width, so they stay with their letters.
func (f *typeface) head(text string, size, width int) string {
	sum, widths := 0, f.load().widths
	for i, r := range text {
		wide := int(widths[r])
		sum += wide
		if i > 0 && wide > 0 && sum*size > width*1000 {
			return text[:i]
		}
	}
	return text
}

// cut returns as much of the beginning of a text as fits together with "…".
func (f *typeface) cut(text string, size, width int) string {
	const mark = "…"
	return strings.TrimRight(f.head(text, size, width-f.width(mark, size)), " ") + mark
}
