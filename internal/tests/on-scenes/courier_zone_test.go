package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// stopInStJohns moves the place of all stops to St. John's, and the windows to the time from
// now until two hours later.
const stopInStJohns = `(() => {
  const real = fetch;
  globalThis.fetch = async (address, options) => {
    const response = await real(address, options);
    if (!String(address).includes("/ops/v1/jobs")) return response;
    const round = await response.json(), at = (hours) => new Date(Date.parse("2026-06-18T16:50:00Z") + hours * 3600000).toISOString();
    const moved = (job) => ({ ...job, next_attempt: job.next_attempt && at(4), stop: { ...job.stop, deadline: at(2), time_window: { start: at(0), end: at(2) },
      address: { ...job.stop.address, province: "NL", postal_code: "A1C5S7" } } });
    return new Response(JSON.stringify({ ...round, jobs: round.jobs.map(moved) }), response);
  };
})();`

// TestCourierShowsTheClocksOfStops: a phone on Toronto's clocks shows the windows of stops in St.
// John's on theirs, and says so; those in Toronto need no zone.
func TestCourierShowsTheClocksOfStops(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "courier-home")
	large := func(selector string) string {
		return `(document.querySelector(".large ` + selector + `")?.textContent ?? "").replace(/\s/g, " ")`
	}
	for language, want := range map[string]struct{ by, window, failed, choice, hint string }{
		"en": {
			"by 4:20 PM NDT", "2:20 – 4:20 PM NDT · 2 parcels, 1 fragile", "Next attempt today, 6:20 PM NDT",
			"today, 6:00 PM NDT",
			"Local time of the destination (Newfoundland Time)",
		},
		"fr": {
			"avant 16 h 20 HAT", "14 h 20 – 16 h 20 HAT · 2 colis, 1 fragile", "Prochaine tentative aujourd’hui, 18 h 20 HAT",
			"aujourd’hui, 18 h 00 HAT", "À l’heure de la destination (heure de Terre-Neuve)",
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: language, Width: 360, Scripts: true},
				browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: stopInStJohns})
			if err != nil {
				t.Fatal(err)
			}
			defer visit.Close()
			shows(t, visit, large("b.due"), want.by)
			shows(t, visit, large("h2 ~ p.soft"), want.window)
			for _, problem := range visit.Problems(scene.Policy) {
				t.Error(problem)
			}
			press := func(what string) {
				t.Helper()
				if _, err := browser.Evaluate[any](visit, pressed+"(`"+what+"`)"); err != nil {
					t.Fatal(err)
				}
			}
			press(`.large [data-act="failed"]`)
			option := `(document.querySelector("#fail-next option:nth-child(2)")?.textContent ?? "").replace(/\s/g, " ")`
			shows(t, visit, option, want.choice)
			choose := `(() => { const field = document.querySelector("#fail-next"); field.value = "other";
			  field.dispatchEvent(new Event("change", { bubbles: true })); })();null`
			if _, err := browser.Evaluate[any](visit, choose); err != nil {
				t.Fatal(err)
			}
			shows(t, visit, `document.querySelector("#fail-other-hint")?.textContent ?? ""`, want.hint)
			press(`dialog .button:not(.act)`)
			press(`.small[data-status="failed"]`)
			shows(t, visit, `document.querySelector(".large[data-status=failed] h2 ~ p:last-child")?.textContent.split(" · ").pop().replace(/\s/g, " ")`,
				want.failed)
		})
	}
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	shows(t, visit, `/[A-Z]DT|[A-Z]ST/.test(document.querySelector("main").textContent)`, "false")
}
