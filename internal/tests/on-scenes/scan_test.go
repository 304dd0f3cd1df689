package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// cameraScript has a browser that reads codes see two of them at once, or none, if the camera is refused.
const cameraScript = `(() => {
  addEventListener("submit", () => { sessionStorage.sent = Number(sessionStorage.sent ?? 0) + 1; });
  globalThis.BarcodeDetector = class {
    static async getSupportedFormats() { return ["code_128", "qr_code", "ean_13", "ean_8", "upc_a", "upc_e"]; }
    async detect() { return [{ rawValue: "0627843400011" }, { rawValue: "other" }]; }
  };
  Object.defineProperty(navigator, "mediaDevices", { value: { getUserMedia: async () => {
    if (location.search.includes("refused")) throw new DOMException("no", "NotAllowedError");
    const canvas = document.createElement("canvas");
    setInterval(() => canvas.getContext("2d").fillRect(0, 0, 9, 9), 20);
    return canvas.captureStream();
  } } });
})();`

// TestScanWithCamera: what the camera reads is counted, or begins a line of a receipt, as what is scanned by hand; the
// returns that are due are searched for it.
func TestScanWithCamera(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ scene, seen string }{
		{"stock-receive", `(() => {
			const row = document.querySelector("#receipt div.line"), field = (name) => row.querySelector("[name=" + name + "]").value;
			return [field("product"), field("quantity"), row.querySelector("[data-name]").textContent !== ""].join();
		})()`},
		{"stock-count-empty", `(() => {
			const row = document.querySelector("#lines tr");
			return row && [row.dataset.code, row.querySelector("[name=counted]").value, row.dataset.product !== undefined].join();
		})()`},
		{"console-returns", `[new URLSearchParams(location.search).get("code"), 1, true].join()`},
	} {
		t.Run(c.scene, func(t *testing.T) {
			t.Parallel()
			scene := scenes.Scene(t, c.scene)
			visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 360, Scripts: true},
				browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Script: cameraScript})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(visit.Close)
			shows(t, visit, `document.querySelector("[data-camera]").checkVisibility()`, "true")
			click(t, visit, "[data-camera]")
			shows(t, visit, c.seen, "0627843400011,1,true")
		})
	}
}

// TestPickWithCamera scans a product of a wave with the camera: the code is filled in and sent once. Browsers that read
// no codes have no button, and a camera that is refused says so.
func TestPickWithCamera(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "console-wave")
	open := func(query, script string) *browser.Visit {
		visit, err := scenes.Running(t).Open(scene.URL+query, browser.Reader{Language: "en", Width: 360, Scripts: true},
			browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Script: script})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(visit.Close)
		return visit
	}
	const button = `document.querySelector("[data-camera]")`
	visit := open("", cameraScript)
	shows(t, visit, button+".checkVisibility()", "true")
	click(t, visit, "[data-camera]")
	shows(t, visit, `new URLSearchParams(location.search).get("code")`, "0627843400011")
	shows(t, visit, `sessionStorage.sent`, "1")

	refused := open("&refused=1", cameraScript)
	shows(t, refused, button+".checkVisibility()", "true")
	click(t, refused, "[data-camera]")
	shows(t, refused, `document.querySelector("#camera [role=status]").textContent.includes("no access to the camera")`, "true")
	click(t, refused, "[data-close]")
	shows(t, refused, `document.getElementById("camera").open`, "false")

	without := open("", `delete globalThis.BarcodeDetector;`)
	shows(t, without, `document.querySelector("script[src*='/scan.']") !== null && !`+button+`.checkVisibility()`, "true")
}
