package testkit

import (
	"math/rand/v2"
	"strings"
	"unicode"
)

// scripts are what random texts are made of: those that labels print, some others, and signs.
var scripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Latin, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Canadian_Aboriginal, unicode.Mn,
	unicode.Han, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Thai, unicode.Hangul, unicode.Katakana,
	unicode.Armenian, unicode.Georgian, unicode.Ethiopic, unicode.So, unicode.Sm, unicode.P, unicode.Nd, unicode.Zs,
	unicode.Cf,
}

// awkward are texts that pages, mails and files have to protect.
var awkward = []string{
	`<script>alert(1)</script>`, `a & b`, `&amp;eacute;`, `"quoted"`, `'quoted'`, `a, b; c`, "a\tb", `{{.Name}}`, `%s %d`,
	`\u0041\n`, `=1+1`, `'=1+1`, `+1 613`, `-2`, `@home`, `="0012"`, `0012`, `1E5`, `12,50`, `1-2`, `TRUE`, `faux`,
	`10:30`,
	`x : y`, `  a  b  `, `:`, `#1001`, `--`, `1/2`, `$5`, `a.b@c.example`, `https://elsewhere.example/?a=b&c=d`, `?`,
	`a??b`,
	"👩\u200d👩\u200d👧 🇨🇦", "\u00e9e\u0301", "İiıI", "ﬁ ſ", "x\u202egnirts", "\u200ex\u200f", "𠮷野家", "a\u00a0b", "\u2028x",
	"sep=;", "#NAME?", "1.23E+11", "mars 2026", "null", "\ufffd", "a\u00adb", "nbsp\u00a0", "\ufeffbom",
}

// TextSource draws texts of many scripts.
type TextSource struct {
	random   *rand.Rand
	all      []rune // some of each script
	byScript [][]rune
}

// NewTextSource returns a source of texts that takes its randomness from another one.
func NewTextSource(random *rand.Rand) *TextSource {
	t := &TextSource{random: random}
	for _, script := range scripts {
		letters := lettersOf(script)
		t.byScript = append(t.byScript, letters)
		t.all = append(t.all, letters[random.IntN(len(letters))], letters[random.IntN(len(letters))])
	}
	return t
}

// Any returns a text of up to 12 characters: of one script, or of all of them. It may be blank.
func (t *TextSource) Any() string {
	letters := t.all
	if t.random.IntN(4) > 0 {
		letters = t.byScript[t.random.IntN(len(t.byScript))]
	}
	text := make([]rune, 1+t.random.IntN(12))
	for i := range text {
		text[i] = letters[t.random.IntN(len(letters))]
	}
	return string(text)
}

// Visible returns a text that is not blank: one of Any with a letter, or one that pages, mails and
// files have to protect.
func (t *TextSource) Visible() string {
	switch t.random.IntN(5) {
	case 0:
		return awkward[t.random.IntN(len(awkward))]
	case 1:
		return t.Any() + "x"
	default:
		return "x" + t.Any()
	}
}

// Name returns a text for names of partners and people, which are on one line, without control
// characters and changes of direction.
func (t *TextSource) Name() string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			return '-'
		}
		return r
	}, t.Visible())
}

// Identifier returns a text that begins and ends with a letter.
func (t *TextSource) Identifier() string { return "x" + t.Any() + "x" }

// Scripts returns the letters of many scripts, each by itself.
func Scripts() (all [][]rune) {
	for _, script := range scripts {
		all = append(all, lettersOf(script))
	}
	return all
}

func lettersOf(script *unicode.RangeTable) (letters []rune) {
	for _, r := range script.R16 {
		for code := rune(r.Lo); code <= rune(r.Hi); code += rune(r.Stride) {
			letters = append(letters, code)
		}
	}
	for _, r := range script.R32[:min(4, len(script.R32))] {
		for code := rune(r.Lo); code <= min(rune(r.Hi), rune(r.Lo)+100); code += rune(r.Stride) {
			letters = append(letters, code)
		}
	}
	return letters
}
