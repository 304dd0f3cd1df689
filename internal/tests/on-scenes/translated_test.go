package scenes_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// translateScript does to a page what Chrome does when it translates it: each text is
// replaced by elements with another text, but for what must not be translated.
const translateScript = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), all = [];
  while (texts.nextNode()) all.push(texts.currentNode);
  for (const text of all) {
    const parent = text.parentElement;
    if (!text.nodeValue.trim() || !parent.translate || parent.closest("script, template, textarea, option, svg")) continue;
    const outer = document.createElement("font"), inner = document.createElement("font");
    inner.textContent = "¤" + text.nodeValue;
    outer.append(inner);
    text.replaceWith(outer);
  }
})()`

// wordsScript returns the words of an island as if it had not been translated.
const wordsScript = `(() => { const island = document.querySelector("#courier, #board"); return island.innerText.replaceAll("¤", "").replace(/\s+/g, " "); })()`

// unsentScript keeps what an app would send from being sent.
const unsentScript = `(() => {
  const real = fetch;
  globalThis.fetch = (address, options = {}) => options.method === "POST" ? new Promise(() => {}) : real(address, options);
})();`

// TestTranslatedIslands does the same on a page that a browser translates and on one that it
// does not: what changes shows the same words on both, and what stands for a status or an act
// is not translated.
func TestTranslatedIslands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		scene string
		width int
		drawn string // is true once the page has all that it draws by itself
		steps []chromedp.Action[chromedp.Void]
	}{
		{"courier-home", 360, `true`, []chromedp.Action[chromedp.Void]{
			chromedp.Click(`.small[data-status="in_transit"]`),
			chromedp.Click(`.large[data-status="in_transit"] [data-act="out_for_delivery"]:not([aria-disabled])`),
			chromedp.WaitVisible(`.large[data-status="out_for_delivery"] .unsent`),
			chromedp.Click(`.small[data-status="courier_assigned"]`),
			chromedp.Click(`.large[data-status="courier_assigned"] [data-act="picked_up"]:not([aria-disabled])`),
			chromedp.WaitVisible(`[data-status="picked_up"] .unsent`),
		}},
		{"console-board-panel", 1280, `document.querySelector(".connection.live") !== null &&
			document.querySelectorAll(".lists select:first-of-type option").length > 1`, []chromedp.Action[chromedp.Void]{
			chromedp.Click(`.chip:nth-of-type(3)`), chromedp.Click(
				`#orders .body [data-id] .to`,
			), chromedp.WaitVisible(`.panel .timeline`),
			chromedp.Click(`#orders .body [data-id] .pick`), chromedp.WaitVisible(`.bulk`),
		}},
	} {
		t.Run(c.scene, func(t *testing.T) {
			t.Parallel()
			scene, words := scenes.Scene(t, c.scene), map[bool]string{}
			for _, translated := range []bool{false, true} {
				visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: c.width, Scripts: true},
					browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: unsentScript})
				if err != nil {
					t.Fatal(err)
				}
				defer visit.Close()
				shows(t, visit, c.drawn, "true")
				for i, step := range c.steps {
					if translated {
						if _, err := browser.Evaluate[any](visit, translateScript); err != nil {
							t.Fatal(err)
						}
					}
					if err := visit.Do(step); err != nil {
						t.Fatalf("step %d, translated %t: %v", i, translated, err)
					}
				}
				// Both have drawn what they have to.
				shows(t, visit, `document.querySelectorAll("[aria-disabled=true]").length`, "0")
				if words[translated], err = browser.Evaluate[string](visit, wordsScript); err != nil {
					t.Fatal(err)
				}
				if !translated {
					continue
				}
				wrong, err := browser.Evaluate[[]string](visit, `[...document.querySelectorAll("#courier :is(.status, [data-act]), #board :is(.panel .status, .bulk button, [data-to])")].filter((e) => e.translate || e.textContent.includes("¤")).map((e) => e.textContent)`)
				if err != nil || len(wrong) > 0 {
					t.Errorf("got %q translated, %v, want statuses and acts in our words, and marked so", wrong, err)
				}
			}
			if words[true] != words[false] {
				t.Errorf("got, translated,\n%s\nwant the words of the page that is not\n%s", words[true], words[false])
			}
		})
	}
}
