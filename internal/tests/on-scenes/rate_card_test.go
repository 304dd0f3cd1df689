package scenes_test

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// liveCard types a price into a table, then another one into the text of the file. It returns what is shown after
// each: whether the card could be added while it was typed, how many values differ, and what the other part holds.
const liveCard = `(async () => {
  const swapped = (part) => new Promise((resolve) => document.addEventListener("swapped", function heard(event) {
    if (event.detail.id !== part) return;
    document.removeEventListener("swapped", heard);
    resolve();
  }));
  const form = document.getElementById("card-form"), base = "levels.standard.zones.local.base_cents";
  const type = (field, value) => { field.focus(); field.value = value; field.dispatchEvent(new Event("input", { bubbles: true })); };
  const add = () => document.querySelector("form[data-sure] button");
  const cents = () => /"local": \{\s*"base_cents": (\d+)/.exec(form.elements.document.value)?.[1];
  const shown = [];
  let done = swapped("json");
  type(form.elements[base], "99.5");
  shown.push(add().disabled ? "old card disabled" : "old card enabled");
  await done;
  shown.push(add().disabled ? "disabled" : "enabled", document.querySelector("#changes").textContent, cents());
  shown.push(document.activeElement.name, form.elements[base].value);
  document.getElementById("advanced").open = true;
  done = swapped("tables");
  type(form.elements.document, form.elements.document.value.replace('"base_cents": 9950', '"base_cents": 9800'));
  await done;
  shown.push(form.elements[base].value, document.activeElement.name, location.pathname.split("/")[1]);
  return shown;
})()`

// TestRateCardIsLive shows what a card changes while it is typed, keeps tables and file the same, and the focus
// where it was.
func TestRateCardIsLive(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "rates-new")
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	if _, err := browser.Evaluate[string](visit, `(async () => {
  const done = new Promise((resolve) => document.addEventListener("swapped", () => resolve("shown"), { once: true }));
  const field = document.getElementById("field-version");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return done;
})()`); err != nil {
		t.Fatal(err)
	}
	got, err := browser.Evaluate[[]string](visit, liveCard)
	want := []string{
		"old card disabled", "enabled", "One value differs", "9950", "levels.standard.zones.local.base_cents", "99.5",
		"98.00", "document", "console",
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
