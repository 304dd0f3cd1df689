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
	texts := testkit.NewTextSource(repeatable.Rand(t))
	printed, warned := 0, 0
	for range 5000 {
		text := texts.Any()
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
