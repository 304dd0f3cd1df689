package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// editedScript edits the delivery that comes next, keeps what is recorded from being sent, and
// brings another edit when it is told to.
const editedScript = `(() => {
  const real = fetch;
  globalThis.edits = 1;
  globalThis.fetch = async (address, options = {}) => {
    if (options.method === "POST") throw new TypeError("Failed to fetch");
    const response = await real(address, options);
    if (!String(address).includes("/ops/v1/jobs")) return response;
    const round = await response.json(), delivery = round.jobs.find((job) => job.status === "out_for_delivery");
    const changes = { version: delivery.version + edits, at: "2026-06-18T16:05:00Z", by: "service", fields: [{ field: "dropoff.phone", was: "+14165550198", now: "+14165550199" }] };
    return new Response(JSON.stringify({ ...round, colleagues: [{ courier_id: "cou_camille", name: "Camille Roy" }], jobs: [{ ...delivery, version: changes.version, changes }] }), response);
  };
})();`

// TestCourierSeesChanges edits a stop: nothing can be done at it before the courier has seen that,
// without a connection as well, and again when it is edited once more.
func TestCourierSeesChanges(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "courier-home")
	visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: ".changes", Script: editedScript})
	if err != nil {
		t.Fatal(err)
	}
	defer visit.Close()
	const acts, button = `document.querySelectorAll(".large .acts button").length`, `.changes [data-act="confirm"]`
	press := func(what string) {
		t.Helper()
		if _, err := browser.Evaluate[any](visit, pressed+"(`"+what+"`)"); err != nil {
			t.Fatal(err)
		}
	}
	shows(t, visit,
		`document.querySelector(".edited dt").textContent + " " + document.querySelector(".edited b").textContent`,
		"Phone 416 555-0199")
	shows(t, visit, `document.querySelector(".edited .soft").textContent`, "before: 416 555-0198")
	shows(t, visit, acts, "0")
	shows(t, visit, `document.querySelector("`+`[data-act=confirm]`+`").getBoundingClientRect().height >= 60`, "true")
	for _, problem := range append(visit.Problems(scene.Policy), visit.SmallTargets()...) {
		t.Error(problem)
	}
	press(button)
	shows(t, visit, `document.querySelectorAll(".changes").length`, "0")
	shows(t, visit, `document.querySelectorAll("[data-act=delivered]").length`, "1")
	shows(t, visit, `document.querySelector(".sends").textContent.includes("1")`, "true")
	// The confirmation is not sent yet, and the stop is edited again.
	if _, err := browser.Evaluate[any](visit, `edits = 2; dispatchEvent(new Event("online"));null`); err != nil {
		t.Fatal(err)
	}
	shows(t, visit, `document.querySelectorAll(".changes").length`, "1")
	shows(t, visit, acts, "0")
	press(button)
	shows(t, visit, `document.querySelectorAll("[data-act=delivered]").length`, "1")
	// The courier hands the parcels over: the stop leaves the list, although nothing is sent yet.
	press(`[data-act="transfer"]`)
	press(`.dialog [value="cou_camille"]`)
	press(`.dialog .act`)
	shows(t, visit, `document.querySelectorAll(".stop").length`, "0")
	shows(t, visit, `document.querySelector("p.hidden[role=status]").textContent.includes("Camille Roy")`, "true")
	shows(t, visit, `document.querySelectorAll(".refusal, .low .notice").length`, "0")
}
