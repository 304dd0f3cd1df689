package scenes_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// picturesScript makes files as phones do: large, a JPEG of 24.5 megapixels and 8 MB, and heic, a
// HEIC picture under the name of a JPEG. choose puts one into a field. sent is what was sent.
const picturesScript = `
globalThis.sent = [];
{
  const real = fetch;
  globalThis.fetch = async (address, options = {}) => {
    if (options.body instanceof Blob) {
      sent.push(options.body);
      return new Response("{}", { headers: { "Content-Type": "application/json" } });
    }
    return real(address, options);
  };
}
globalThis.large = async () => {
  const tile = new OffscreenCanvas(512, 512), pixels = new ImageData(512, 512);
  for (let i = 0, x = 1; i < pixels.data.length; i++) {
    x = (Math.imul(x, 1103515245) + 12345) >>> 0;
    pixels.data[i] = i % 4 === 3 ? 255 : x >>> 24;
  }
  tile.getContext("2d").putImageData(pixels, 0, 0);
  const canvas = new OffscreenCanvas(6064, 4040), context = canvas.getContext("2d");
  context.scale(3, 3);
  context.fillStyle = context.createPattern(tile, "repeat");
  context.fillRect(0, 0, 6064, 4040);
  let made;
  for (const quality of [0.9, 0.95, 1]) {
    made = await canvas.convertToBlob({ type: "image/jpeg", quality });
    if (made.size >= 8e6) break;
  }
  return new File([made], "IMG_1.jpg", { type: "image/jpeg" });
};
globalThis.heic = () => new File(["\0\0\0\x18ftypheic\0\0\0\0mif1heic"], "IMG_2.jpg", { type: "image/jpeg" });
globalThis.choose = (selector, file) => {
  const field = document.querySelector(selector), chosen = new DataTransfer();
  chosen.items.add(file);
  field.files = chosen.files;
  field.dispatchEvent(new Event("change", { bubbles: true }));
};`

// TestLargePictures: the app and the desk shrink pictures of 24.5 megapixels that have more bytes
// than the service accepts, and refuse HEIC with the setting of the phone that avoids it.
func TestLargePictures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, scene, open, field, fault, size string }{
		{
			"desk", "console-board-panel", "", ".panel input[type=file]", ".panel .fault",
			`sent.length && sent[0].size < 5 << 20`,
		},
		{
			"app", "courier-home", `.large [data-act="delivered"]`, "dialog input[type=file]", "dialog .fault",
			`(document.querySelector("dialog .photo img") !== null) && parseInt(document.querySelector("dialog .state").textContent.replace(/\D/g, "")) < 5000`,
		},
	} {
		for language, setting := range map[string]string{
			"en": "Settings > Camera > Formats > Most Compatible",
			"fr": "Réglages > Appareil photo > Formats > Le plus compatible", //nolint:misspell // French
		} {
			t.Run(c.name+"/"+language, func(t *testing.T) {
				t.Parallel()
				scene := scenes.Scene(t, c.scene)
				visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: language, Width: 1280, Scripts: true},
					browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown, Script: picturesScript})
				if err != nil {
					t.Fatal(err)
				}
				defer visit.Close()
				if c.open != "" {
					if _, err := browser.Evaluate[any](visit, pressed+"(`"+c.open+"`)"); err != nil {
						t.Fatal(err)
					}
				}
				shows(t, visit, `document.querySelector("`+c.field+`") !== null`, "true")
				choose := func(file string) {
					t.Helper()
					if _, err := browser.Evaluate[any](visit,
						"(async () => choose(`"+c.field+"`, await "+file+"))().then(() => null)"); err != nil {
						t.Fatal(err)
					}
				}
				choose("heic()")
				shows(t, visit, `document.querySelector("`+c.fault+`")?.textContent.includes("`+setting+`")`, "true")
				if language == "fr" {
					return // a picture is the same in both languages
				}
				choose(`large().then((file) => { globalThis.size = file.size; return file; })`)
				shows(t, visit, `size >= 8e6`, "true")
				shows(t, visit, c.size, "true")
			})
		}
	}
}
