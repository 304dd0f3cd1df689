package label

// style is how a text is set: in the largest size in which it fits in its lines, or cut.
type style struct {
	face         *face
	large, small int
	lines        int
}

// The styles of a label. Each small size is an even number of dots below the large one, so that
// fit tries it.
var (
	caption       = style{regular, 18, 18, 1} // of the words above a block
	orderNumber   = style{bold, 72, 72, 1}
	telephone     = style{regular, 30, 30, 1}
	dimensions    = style{bold, 30, 22, 1}
	senderName    = style{bold, 24, 18, 1}
	senderPlace   = style{regular, 22, 16, 1}
	recipientName = style{bold, 46, 36, 2}
	street        = style{regular, 40, 32, 2}
	city          = style{bold, 46, 28, 1}
	times         = style{bold, 34, 18, 1}
	largeNotes    = style{regular, 36, 36, 0} // in as many lines as the address leaves
	smallNotes    = style{regular, 26, 26, 0}
	fact          = style{regular, 24, 18, 1}
)

// above returns a style with as many lines as there is room for between two heights.
func (s style) above(bottom, top int) style {
	s.lines = (bottom - top) / leading(s.large)
	return s
}

// bound returns how high texts are at most, joined as show joins them, in a column of a width, and
// whether they surely are shown as they are. Texts for which it is false may be, too: only the
// layout can say. A layout takes several times as long as the rest of a creation, and most texts
// are short and in Latin letters.
func (s style) bound(width int, before, between string, texts ...given) (height int, whole bool) {
	m := measureOf(s.face, before, between, texts)
	switch {
	case m.empty():
		return 0, true
	case !m.plain():
		return 0, false
	case m.fits(s.large, width, 1):
		return leading(s.large), s.lines > 0
	}
	return s.lines * leading(s.large), m.fits(s.small, width, s.lines)
}

// measure is how wide a text is in a latin font, in thousandths of the font's size.
type measure struct {
	widths         []int16
	total, longest int  // of the text, and of its longest word
	word           int  // of the last word so far
	last           rune // a blank before the first
	odd            bool // has characters of other fonts, or blanks that clean leaves out
}

func newMeasure(f *face) measure { return measure{widths: f.latin.load().widths, last: ' '} }

// measureOf measures texts that are joined, without those that are empty. What goes before
// them does so only if there are any.
func measureOf(f *face, before, between string, texts []given) measure {
	m := newMeasure(f)
	for _, t := range texts {
		switch {
		case t.text == "":
			continue
		case m.empty():
			m.add(before)
		default:
			m.add(between)
		}
		m.add(t.text)
	}
	return m
}

// add measures what follows.
func (m *measure) add(text string) {
	widths, total, longest, word, last := m.widths, m.total, m.longest, m.word, m.last
	for _, r := range text {
		if r >= characters || widths[r] == absent || r == ' ' && last == ' ' {
			m.odd = true
			return
		}
		wide := int(widths[r])
		total += wide
		if word += wide; r == ' ' {
			word = 0
		}
		longest, last = max(longest, word), r
	}
	m.total, m.longest, m.word, m.last = total, longest, word, last
}

func (m *measure) empty() bool { return m.total == 0 && !m.odd }

// plain reports whether a text consists of words in Windows-1252 with single blanks between
// them: clean returns it as it is.
func (m *measure) plain() bool { return !m.odd && (m.last != ' ' || m.empty()) }

// fits reports whether a plain text surely fits in so many lines. A line that is broken lacks
// less than the longest word.
func (m *measure) fits(size, width, lines int) bool {
	room := width * 1000
	return lines > 0 && m.longest*size <= room && m.total*size <= lines*room-(lines-1)*m.longest*size
}
