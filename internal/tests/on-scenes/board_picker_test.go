package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
)

// farScript is an expression for what the list of couriers says of stops and distances.
const farScript = `[...document.querySelectorAll("#courier-list .far")].map((far) => far.textContent)`

// TestPickerRanksByDistance asks for a courier: the nearest is first, by whole kilometres, and those whose place is not
// known are last.
func TestPickerRanksByDistance(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"jc", "jJJc"} {
		visit := openBoard(t, "?stage=pending", browser.Reader{Language: "en", Width: 1280, Scripts: true},
			browser.Options{Script: answeredScript})
		press(t, visit, keys)
		shows(t, visit, `document.querySelectorAll("#courier-list li").length > 2`, "true")
		far, err := browser.Evaluate[[]string](visit, farScript)
		if err != nil {
			t.Fatal(err)
		}
		sorted, err := browser.Evaluate[bool](visit, `(() => {
  const all = `+farScript+`.map((text) => /^[\d,]+ stops? · (?:([\d,.]+) km|–)$/.exec(text));
  const km = all.map((found) => found?.[1] ? Math.round(Number(found[1].replace(",", ""))) : found ? Infinity : NaN);
  return km[0] < Infinity && km.at(-1) === Infinity && km.every((one, i) => i === 0 || km[i - 1] <= one);
})()`)
		if err != nil || !sorted {
			t.Errorf("%s: got %q, %v, want all by distance, and some at the end without one", keys, far, err)
		}
	}
}

// TestPickerDoesNotWaitForDistances asks for a courier while it is not answered where couriers are: they are listed by
// their stops, and the list does not change any more.
func TestPickerDoesNotWaitForDistances(t *testing.T) {
	t.Parallel()
	visit := openBoard(t, "?stage=pending", browser.Reader{Language: "fr", Width: 1280, Scripts: true},
		browser.Options{Script: `(() => {
  const real = fetch, set = setTimeout;
  globalThis.fetch = (address, options) => /[/]jobs/.test(address) ? new Promise(() => {}) : real(address, options);
  globalThis.setTimeout = (does, ms, ...more) => ms === 1500 ? void (globalThis.patience = does) : set(does, ms, ...more);
})();`})
	press(t, visit, "jc")
	shows(t, visit, `typeof globalThis.patience`, "function")
	shows(t, visit, `document.querySelectorAll("#courier-list li").length`, "0")
	if _, err := browser.Evaluate[any](visit, `patience(), null`); err != nil {
		t.Fatal(err)
	}
	shows(t, visit, `document.querySelectorAll("#courier-list li").length > 2`, "true")
	shows(t, visit, farScript+`.every((text) => /^\d+ arrêts? · –$/.test(text))`, "true")
}
