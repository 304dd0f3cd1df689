package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// TestBoardChipsOnPhones: on a phone the chips are one line that fades where there are more of
// them. One that has the focus is whole, with its ring, and before the part that fades.
func TestBoardChipsOnPhones(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "console-board")
	for _, language := range []string{"en", "fr"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: language, Width: 360, Scripts: true},
				browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown})
			if err != nil {
				t.Fatal(err)
			}
			defer visit.Close()
			const chips = `document.querySelector(".bar .chips")`
			shows(t, visit, chips+`.scrollWidth > `+chips+`.clientWidth`, "true")
			shows(t, visit, `getComputedStyle(`+chips+`).maskImage.startsWith("linear-gradient")`, "true")
			// Scrolling rounds to whole pixels.
			shows(t, visit, `[...`+chips+`.querySelectorAll("button")].map((chip) => {
			  chip.focus();
			  const own = chip.getBoundingClientRect(), all = `+chips+`.getBoundingClientRect(), ring = 3;
			  const room = [own.left - ring - all.left, all.right - 28 - ring - own.right, own.top - ring - all.top, all.bottom - own.bottom - ring];
			  return room.some((side) => side < 0) || chip.scrollWidth > chip.clientWidth ? chip.textContent + " " + room.map(Math.round) : "";
			}).filter(Boolean).join("; ")`, "")
		})
	}
}
