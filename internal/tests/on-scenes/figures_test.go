package scenes_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// overflowScript returns the cards of figures in which something is wider than the card. The
// numbers are large ones.
const overflowScript = `(() => {
  for (const number of document.querySelectorAll(".figure b")) if (/\d/.test(number.textContent)) number.textContent = number.textContent.replace(/\d+/, "12\u00a0345\u00a0678");
  return [...document.querySelectorAll(".figure, .figures .card, .charts .card")].flatMap((card) => {
    const { left, right } = card.getBoundingClientRect(), out = [...card.querySelectorAll(":not(svg *, .hidden)")].filter((e) => e.getBoundingClientRect().right > right + .5 || e.getBoundingClientRect().left < left - .5);
    return card.scrollWidth > card.clientWidth || out.length ? [card.textContent.trim().slice(0, 40) + ": " + out.map((e) => e.tagName + "." + e.getAttribute("class") + " " + e.textContent.trim().slice(0, 20)).join("; ")] : [];
  });
})()`

// TestFiguresStayInTheirCards looks at cards of figures in both languages, on a phone and at a
// desk.
func TestFiguresStayInTheirCards(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"portal-figures", "portal-figures-90-days", "console-figures", "portal-home"} {
		scene := scenes.Scene(t, name)
		for _, language := range []string{"en", "fr"} {
			visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: language, Width: 320, Scripts: true},
				browser.Options{Now: pagetest.Now, Cookie: scene.Cookie})
			if err != nil {
				t.Fatal(err)
			}
			for _, width := range []int64{320, 360, 1280} {
				if err := visit.Do(chromedp.EmulateViewport(width, 900)); err != nil {
					t.Fatal(err)
				}
				wide, err := browser.Evaluate[[]string](visit, overflowScript)
				if err != nil || len(wide) > 0 {
					t.Errorf("%s, %s, %d px: got %q, %v, want no card with something wider than itself", name, language, width, wide,
						err)
				}
			}
			visit.Close()
		}
	}
}
