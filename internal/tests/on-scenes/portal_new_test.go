package scenes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// liveForm types a weight, then adds a parcel and removes it. It returns what the form
// showed after each step: whether the price has risen, how many parcels there were, and
// whether what was typed is still there.
const liveForm = `(async () => {
  const swapped = (part) => new Promise((resolve) => document.addEventListener("swapped", function heard(event) {
    if (event.detail.id !== part) return;
    document.removeEventListener("swapped", heard);
    resolve();
  }));
  const price = () => Number(document.querySelector("[name=_price]")?.value), form = document.getElementById("new-order");
  const parcels = () => String(document.querySelectorAll(".parcel").length), before = price();
  const type = (name, value) => { form.elements[name].value = value; form.elements[name].dispatchEvent(new Event("input", { bubbles: true })); };
  const shown = [parcels()];
  let done = swapped("quote");
  type("reference", "typed");
  type("parcels[0].weight_kg", "60");
  await done;
  shown.push(price() > before ? "dearer" : "same price");
  done = swapped("field-parcels");
  document.getElementById("add-parcel").click();
  await done;
  shown.push(parcels());
  done = swapped("field-parcels");
  document.querySelector("button[value='remove:2']").click();
  await done;
  shown.push(parcels(), form.elements["parcels[0].weight_kg"].value, form.elements.reference.value, location.pathname);
  return shown;
})()`

// TestNewOrderIsLive prices an order while it is typed, and adds and removes parcels
// without leaving the page.
func TestNewOrderIsLive(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "portal-new-priced")
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	got, err := browser.Evaluate[[]string](visit, liveForm)
	want := []string{"2", "dearer", "3", "2", "60", "typed", "/portal/orders/new"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for _, problem := range visit.Problems(scene.Policy) {
		// What a script types is not input to the browser, so that it counts what a person
		// has asked for as a shift.
		if !strings.HasPrefix(problem, "layout shift") {
			t.Error(problem)
		}
	}
}
