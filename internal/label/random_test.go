package label

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"golang.org/x/text/unicode/norm"
)

// scripts are what random texts are made of: those that labels print, some others, and signs.
var scripts = []*unicode.RangeTable{
	unicode.Latin, unicode.Latin, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Canadian_Aboriginal, unicode.Mn,
	unicode.Han, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Thai, unicode.Hangul, unicode.Katakana,
	unicode.Armenian,
	unicode.Georgian, unicode.Ethiopic, unicode.So, unicode.Sm, unicode.P, unicode.Nd, unicode.Zs, unicode.Cf,
}

// randomText returns a text of one script, or of all of them.
func randomText(random interface{ IntN(int) int }, all []rune, byScript [][]rune) string {
	letters := all
	if random.IntN(4) > 0 {
		letters = byScript[random.IntN(len(byScript))]
	}
	text := make([]rune, 1+random.IntN(12))
	for i := range text {
		text[i] = letters[random.IntN(len(letters))]
	}
	return string(text)
}

func runesOf(table *unicode.RangeTable) (runes []rune) {
	for _, r := range table.R16 {
		for code := rune(r.Lo); code <= rune(r.Hi); code += rune(r.Stride) {
			runes = append(runes, code)
		}
	}
	for _, r := range table.R32[:min(4, len(table.R32))] {
		for code := rune(r.Lo); code <= min(rune(r.Hi), rune(r.Lo)+100); code += rune(r.Stride) {
			runes = append(runes, code)
		}
	}
	return runes
}

// seen returns what a reader sees of a text: composed, with single spaces.
func seen(text string) string {
	visible := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r):
			return ' '
		case unicode.In(r, unicode.Cf, unicode.Variation_Selector):
			return -1
		}
		return r
	}, norm.NFC.String(text))
	return strings.Join(strings.Fields(visible), " ")
}

// TestRandomTexts: of 5,000 texts in many scripts a label prints each as it is, or there is a
// warning.
func TestRandomTexts(t *testing.T) {
	t.Parallel()
	random := repeatable.Rand(t)
	var all []rune
	byScript := make([][]rune, len(scripts))
	for i, script := range scripts {
		byScript[i] = runesOf(script)
		all = append(all, byScript[i][random.IntN(len(byScript[i]))], byScript[i][random.IntN(len(byScript[i]))])
	}
	printed, warned := 0, 0
	for range 5000 {
		text := randomText(random, all, byScript)
		o := testkit.Order("par_3kq9w0zt", "ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "A-1", testkit.Epoch)
		o.Dropoff.Name = text
		if slices.ContainsFunc(Warnings(o), func(w delivery.Warning) bool { return w.Field == "dropoff.name" }) {
			warned++
			continue
		}
		printed++
		common, _ := layout(o, time.UTC)
		if want := seen(text); want != "" && !slices.ContainsFunc(common.texts, func(l line) bool { return l.text == want }) {
			t.Errorf("%q (%U): got neither the text on the label nor a warning", text, []rune(text))
		}
		for _, l := range common.texts {
			shown := ""
			for _, part := range l.font.load().pieces(l.text) {
				shown += part.text
			}
			if norm.NFC.String(shown) != norm.NFC.String(l.text) {
				t.Errorf("%q: got %q in the PDF, want the same", l.text, shown)
			}
		}
	}
	if printed < 500 || warned < 500 {
		t.Errorf("got %d texts printed and %d with a warning, want many of both", printed, warned)
	}
}
