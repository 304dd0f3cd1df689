package chromium_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/boombuler/barcode/code128"
	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/courier"
	"rsc.io/qr"
)

// cameraScript gives the page a camera that sees what the test draws on a canvas. It stands
// for getUserMedia alone: what reads the pictures is what phones use.
const cameraScript = `window.scene = Object.assign(document.createElement("canvas"), { width: 640, height: 480 });
window.streams = [];
navigator.mediaDevices.getUserMedia = async () => { const stream = scene.captureStream(20); streams.push(stream); return stream; };
window.look = async (picture) => {
  const image = new Image();
  image.src = "data:image/png;base64," + picture;
  await image.decode();
  clearInterval(window.drawing);
  const context = scene.getContext("2d");
  const drawScene = () => { context.fillStyle = "#fff"; context.fillRect(0, 0, 640, 480); context.drawImage(image, 60, 60); };
  drawScene();
  window.drawing = setInterval(drawScene, 50);
};`

// ids of orders that exist on the phone of the test only.
const (
	alexOrder  = "ord_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	chloeOrder = "ord_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// stopsScript makes two stops, as GET /ops/v1/jobs lists them.
const stopsScript = `window.jobs = [
  { order_id: "` + alexOrder +
	`", stop: { name: "Alex Martin" }, cod: { amount_cents: 4999, currency: "CAD" }, parcels: [{ parcel_id: "P-1", label: "BC-1001", barcode: "BC-1001" }, { parcel_id: "P-2", label: "BC-1002" }] },
  { order_id: "` + chloeOrder +
	`", stop: { name: "Chloé Gagnon" }, cod: null, parcels: [{ parcel_id: "P-1", label: "BC-2001" }] },
];
null`

// coded returns a picture of a code as base64: modules of 3 pixels with a quiet zone.
func coded(t *testing.T, width, height int, black func(x, y int) bool) string {
	t.Helper()
	const module, quiet = 3, 30
	drawn := image.NewGray(image.Rect(0, 0, width*module+2*quiet, height*module+2*quiet))
	draw.Draw(drawn, drawn.Bounds(), image.White, image.Point{}, draw.Src)
	for x := range width * module {
		for y := range height * module {
			if black(x/module, y/module) {
				drawn.SetGray(x+quiet, y+quiet, color.Gray{})
			}
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, drawn); err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(file.Bytes())
}

func bars(t *testing.T, text string) string {
	t.Helper()
	code, err := code128.Encode(text)
	if err != nil {
		t.Fatal(err)
	}
	return coded(t, code.Bounds().Dx(), 30, func(x, _ int) bool { return code.At(x, 0) == color.Black })
}

func square(t *testing.T, text string) string {
	t.Helper()
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		t.Fatal(err)
	}
	return coded(t, code.Size, code.Size, code.Black)
}

// phone is the app in Chromium, with the stops of stopsScript.
type phone struct {
	*testing.T
	*browser.Visit
}

func newPhone(t *testing.T, chromium *browser.Browser, service *apptest.Service, as browser.Reader) *phone {
	t.Helper()
	visit, err := chromium.Open(service.URL+"/courier", as, browser.Options{
		Now: service.Clock.Now(), Cookie: cookieOf(t,
			service.Operate(t).As(t, "courier")), Script: cameraScript, Shown: "#content",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	p := &phone{t, visit}
	p.run(stopsScript)
	return p
}

func (p *phone) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := p.Do(actions...); err != nil {
		p.Fatal(err)
	}
}

// run evaluates an expression that returns a text, or nothing.
func (p *phone) run(expression string) string {
	p.Helper()
	got, err := browser.Evaluate[any](p.Visit, expression)
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	if got == nil {
		return ""
	}
	return fmt.Sprint(got)
}

// ask opens a dialog of a module, whose outcome window.outcome then is.
func (p *phone) ask(module, function, about string) {
	p.Helper()
	p.run(fmt.Sprintf(`import("/assets/courier/%s").then((m) => m.%s(%s, (outcome) => { window.outcome = outcome; }))`,
		module, function, about))
	p.do(chromedp.WaitVisible("dialog[open]"))
}

// until waits until an expression is true.
func (p *phone) until(condition string) {
	p.Helper()
	wait := fmt.Sprintf(
		`new Promise((resolve) => { (function look() { if (%s) resolve(true); else setTimeout(look, 20); })(); })`, condition,
	)
	if _, err := browser.Evaluate[bool](p.Visit, wait); err != nil {
		p.Fatalf("%s: %v; the dialog shows: %s", condition, err, p.run(`document.querySelector("dialog")?.textContent`))
	}
}

// shows waits until the dialog has a text.
func (p *phone) shows(want string) {
	p.Helper()
	p.until(fmt.Sprintf(`document.querySelector("dialog")?.textContent.includes(%q)`, want))
}

// closed waits until no dialog is open.
func (p *phone) closed() {
	p.Helper()
	p.until(`!document.querySelector("dialog")`)
}

// sound fails for what is wrong with the dialog that is open.
func (p *phone) sound() {
	p.Helper()
	for _, problem := range append(p.Problems(courier.Policy()), p.SmallTargets()...) {
		p.Errorf("%s: %s", p.Reader, problem)
	}
}

// TestCourierScans reads a label's Code 128 and its QR code with the camera, and a code
// that is typed. Debian's Chromium has no reader of its own, so that the one of the app
// runs, under the app's policy.
func TestCourierScans(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	p := newPhone(t, startChromium(t), apptest.Start(t), browser.Reader{Language: "en", Width: 360, Scripts: true})
	p.run(`look("` + bars(t, "BC-1001") + `")`)
	p.ask("scan.js", "askScan", "jobs")
	p.shows("Parcel 1 of 2")
	p.shows("1 parcel not scanned yet:BC-1002")
	p.sound()
	p.run(`look("` + square(t, "https://dropyard.example/track/"+chloeOrder) + `")`)
	p.shows("Chloé Gagnon")
	p.do(chromedp.SendKeys("#scan-code", "BC-1002\r"))
	p.shows("All 2 parcels were scanned.")
	p.do(chromedp.SendKeys("#scan-code", "BC-9\r"))
	p.shows("None of your parcels has this code.")
	p.do(chromedp.SendKeys("#scan-code", "P-1\r"))
	p.shows("2 parcels have this code.")
	p.do(chromedp.Click(".scanned + .scanned button"))
	p.closed()
	if got, want := p.run(`outcome.job.stop.name + " " + outcome.place`), "Chloé Gagnon 1"; got != want {
		t.Errorf("got the stop and parcel %q, want %q", got, want)
	}
	p.until(
		`streams.length && streams.every((stream) => stream.getTracks().every((track) => track.readyState === "ended"))`,
	)
}

// TestCourierScansWithoutCamera says why there is no picture. Typing remains.
func TestCourierScansWithoutCamera(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	p := newPhone(t, startChromium(t), apptest.Start(t),
		browser.Reader{Language: "fr", Width: 360, Dark: true, Scripts: true})
	for failure, want := range map[string]string{
		"NotAllowedError": "Cette page n’a pas accès à la caméra.", "NotFoundError": " n’a pas de caméra.",
		"NotReadableError": "La caméra ne démarre pas.",
	} {
		p.run(`navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", "` + failure + `"); }; null`)
		p.ask("scan.js", "askScan", "jobs")
		p.shows(want)
		p.do(chromedp.SendKeys("#scan-code", "BC-1001\r"))
		p.shows("Colis 1 sur 2")
		p.sound()
		p.do(chromedp.Click("dialog .copy"))
		p.closed()
	}
}

// turned returns the path of a JPEG of 4000 by 3000 pixels whose EXIF says that its upper
// edge is the right-hand side of the scene: a phone held upright. In the scene the upper
// half is red.
func turned(t *testing.T) string {
	t.Helper()
	drawn := image.NewRGBA(image.Rect(0, 0, 4000, 3000))
	draw.Draw(drawn, drawn.Bounds(), image.NewUniform(color.RGBA{0, 0, 255, 255}), image.Point{}, draw.Src)
	draw.Draw(drawn, image.Rect(0, 0, 2000, 3000), image.NewUniform(color.RGBA{255, 0, 0, 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	if err := jpeg.Encode(&file, drawn, nil); err != nil {
		t.Fatal(err)
	}
	tiff := []byte(
		"Exif\x00\x00MM\x00\x2a\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00",
	)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(tiff)+2))
	content := slices.Concat(file.Bytes()[:2], segment, tiff, file.Bytes()[2:])
	path := filepath.Join(t.TempDir(), "photo.jpg")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// signScript draws a signature with a finger.
const signScript = `(() => {
  const canvas = document.querySelector("canvas.signature"), box = canvas.getBoundingClientRect();
  const send = (target, type, x, y, buttons) => target.dispatchEvent(new PointerEvent(type,
    { clientX: box.left + x, clientY: box.top + y, buttons, pointerId: 1, isPrimary: true, pointerType: "touch", pressure: .5, bubbles: true, cancelable: true }));
  send(canvas, "pointerdown", 60, 50, 1);
  for (let i = 1; i <= 20; i++) send(window, "pointermove", 60 + 5 * i, 50 + (i % 2) * 30, 1);
  send(window, "pointerup", 160, 50, 0);
})()`

// pictureScript describes a picture of the outcome: its type, its size, the colours near
// its upper left and lower right corner, whether it holds EXIF, and whether anything dark
// is drawn on it.
const pictureScript = `(async (i) => {
  const { kind, data } = outcome.pictures[i], bitmap = await createImageBitmap(data);
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context.drawImage(bitmap, 0, 0);
  const colour = (x, y) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)].map((v) => v > 200 ? "f" : v < 60 ? "0" : "-").join("");
  const all = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
  const dark = kind === "signature" && all.some((v, at) => at % 4 === 0 && v < 60);
  const exif = (await data.text()).includes("Exif");
  return [kind, data.type, bitmap.width, bitmap.height, colour(2, 2), colour(bitmap.width - 3, bitmap.height - 3), exif, dark].join(" ");
})`

// TestCourierProofs takes a photo and a signature, and asks what was collected, before a delivery.
func TestCourierProofs(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	p := newPhone(t, startChromium(t), apptest.Start(t),
		browser.Reader{Language: "en", Width: 360, Dark: true, Scripts: true})
	p.ask("proofs.js", "askProofs", "jobs[0]")
	p.shows("Collect $49.99")
	unfit := filepath.Join(t.TempDir(), "photo.jpg")
	if err := os.WriteFile(unfit, []byte("not a picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SetUploadFiles(`dialog input[type="file"]`, []string{unfit}))
	p.shows("This file cannot be read as a picture.")
	p.do(chromedp.SetUploadFiles(`dialog input[type="file"]`, []string{turned(t)}),
		chromedp.WaitVisible("dialog .photo img"))
	p.run(signScript)
	p.do(chromedp.WaitEnabled(`dialog .signature ~ button`))
	p.sound()
	p.do(chromedp.Click("dialog .large"))
	p.shows("Choose how it was paid.")
	p.do(chromedp.Click("dialog [value=cash]"), chromedp.Click("dialog .large"))
	p.closed()
	if got, want := p.run(pictureScript+"(0)"), "photo image/jpeg 1536 2048 f00 00f false false"; got != want {
		t.Errorf("got the photo %q, want %q", got, want)
	}
	// Strokes of 100 by 30 pixels with their margins of 12, drawn twice as finely.
	if got, want := p.run(pictureScript+"(1)"), "signature image/png 248 108 fff fff false true"; got != want {
		t.Errorf("got the signature %q, want %q", got, want)
	}
	if got := p.run("JSON.stringify(outcome.collected)"); got != `{"amount_cents":4999,"currency":"CAD","method":"cash"}` {
		t.Errorf("got %s as collected, want the amount in cash", got)
	}
	p.ask("proofs.js", "askProofs", "jobs[1]")
	p.do(chromedp.Click("dialog .large"))
	p.closed()
	if got := p.run("JSON.stringify(outcome)"); got != `{"pictures":[]}` {
		t.Errorf("got %s, want a delivery without pictures", got)
	}
	if got := p.run("document.title"); !strings.Contains(got, "Your stops") {
		t.Errorf("got the title %q, want the app", got)
	}
}
