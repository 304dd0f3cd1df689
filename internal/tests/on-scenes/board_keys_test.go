package scenes_test

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// heldBackScript keeps what the board would change, in the list "sent", and reads orders
// late, as over a slow line.
const heldBackScript = `(() => {
  globalThis.sent = [];
  const real = fetch;
  globalThis.fetch = async (address, options = {}) => {
    if ((options.method ?? "GET") !== "GET") { sent.push(options.method + " " + address); return new Promise(() => {}); }
    if (/[/]orders[/]ord_/.test(address)) await new Promise((resolve) => setTimeout(resolve, 400));
    return real(address, options);
  };
})();`

// openBoard opens the board as it is read from left to right, with a query.
func openBoard(t *testing.T, query string, reader browser.Reader, options browser.Options) *browser.Visit {
	t.Helper()
	scene := scenes.Scene(t, "console-board")
	options.Now, options.Cookie, options.Shown = pagetest.Now, scene.Cookie, ".connection.live"
	visit, err := scenes.Running(t).Open(scene.URL+query, reader, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(visit.Close)
	return visit
}

// press presses keys one after the other, each as soon as the one before has been handled. A
// key is typed by the browser, unless the page has prevented it.
func press(t *testing.T, visit *browser.Visit, keys string) {
	t.Helper()
	for _, r := range keys {
		key := kb.Keys[r]
		event := input.DispatchKeyEventParams{
			Type: kb.KeyDown, Key: key.Key, Code: key.Code, WindowsVirtualKeyCode: key.Windows, NativeVirtualKeyCode: key.Native,
		}
		if key.Print {
			event.Text, event.UnmodifiedText = key.Text, key.Unmodified
		}
		for _, event.Type = range []input.DispatchKeyEventType{kb.KeyDown, kb.KeyUp} {
			if event.Type == kb.KeyUp {
				event.Text = ""
			}
			if _, err := chromedp.Call(visit.Page, input.DispatchKeyEvent, event); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// shows fails unless an expression becomes what is wanted, within two minutes; what it reads may not be on the page
// at first. If the page goes on to another address meanwhile, as some do to restore what was typed, that one is asked.
func shows(t *testing.T, visit *browser.Visit, expression, want string) {
	t.Helper()
	var got string
	var err error
	for range 5 {
		got, err = browser.Evaluate[string](visit, `(async () => {
  const read = () => { try { return String(`+expression+`); } catch (error) { return String(error); } };
  for (let i = 0; i < 6000 && read() !== `+"`"+want+"`"+`; i++) await new Promise((resolve) => setTimeout(resolve, 20));
  return read();
})()`)
		if err == nil || !strings.Contains(err.Error(), "navigated") {
			break
		}
	}
	if err != nil || got != want {
		t.Errorf("%s: got %q, %v, want %q", expression, got, err, want)
	}
}

const (
	focused = `(document.activeElement?.id ?? "")`
	changes = `sent.length`
)

// TestBoardKeys types words where keys are shortcuts: what is typed goes into the field
// that a key has opened, and nothing else happens to an order.
func TestBoardKeys(t *testing.T) {
	t.Parallel()
	desk := browser.Reader{Language: "en", Width: 1280, Scripts: true}
	pending := `[...document.querySelectorAll("#orders [data-id]")].findIndex((row) => row.querySelector(".status-pending"))`

	t.Run("a note takes all that is typed", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "?stage=pending", desk, browser.Options{Script: heldBackScript})
		shows(t, visit, pending, "0")
		shows(t, visit, focused, "orders")
		press(t, visit, "jeappel")
		shows(t, visit, `document.getElementById("new-note")?.value`, "appel")
		shows(t, visit, `document.querySelector(".panel h2") !== null`, "true")
		press(t, visit, "le")
		shows(t, visit, `document.getElementById("new-note")?.value`, "appelle")
		shows(t, visit, changes, "0")
	})
	t.Run("another order's note is that of the row", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "?stage=pending", desk, browser.Options{Script: heldBackScript})
		press(t, visit, "jeone")
		shows(t, visit, `document.getElementById("new-note")?.value`, "one")
		first, err := browser.Evaluate[string](visit, `new URLSearchParams(location.search).get("order")`)
		if err != nil {
			t.Fatal(err)
		}
		press(t, visit, "\x1bjetwo")
		shows(t, visit, `document.getElementById("new-note")?.value`, "two")
		shows(t, visit, `new URLSearchParams(location.search).get("order") !== "`+first+`"`, "true")
		press(t, visit, "\x1bke")
		shows(t, visit, `document.getElementById("new-note")?.value`, "one") // what was begun is still there
		_, err = browser.Evaluate[any](visit, `{ // the panel closes before the last letter has been drawn
		  const field = document.getElementById("new-note");
		  field.value = "ones";
		  field.dispatchEvent(new Event("input", { bubbles: true }));
		  for (const key of ["Escape", "j"]) {
		    document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
		  }
		} null`)
		if err != nil {
			t.Fatal(err)
		}
		press(t, visit, "e")
		shows(t, visit, `document.getElementById("new-note")?.value`, "two")
		press(t, visit, "\x1bke")
		shows(t, visit, `document.getElementById("new-note")?.value`, "ones")
	})
	t.Run("keys act only while the list has the focus", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "?stage=pending", desk, browser.Options{Script: heldBackScript})
		press(t, visit, "j")
		for _, elsewhere := range []string{
			`document.activeElement.blur()`, `document.querySelector(".chip").focus()`,
			`document.querySelector(".toggle button").focus()`,
		} {
			if _, err := browser.Evaluate[any](visit, elsewhere+`;null`); err != nil {
				t.Fatal(err)
			}
			press(t, visit, "axce")
		}
		shows(t, visit, changes, "0")
		shows(t, visit, `document.querySelectorAll("dialog, .panel, .bulk").length`, "0")
		press(t, visit, "\x1bx")
		shows(t, visit, `document.querySelectorAll(".bulk").length`, "1")
	})
	t.Run("a dialog takes all that is typed, and nothing after it", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "?stage=pending", desk, browser.Options{Script: heldBackScript})
		press(t, visit, "jcamel") // the module of dialogs is there, or on its way
		shows(t, visit, `document.getElementById("courier")?.value`, "amel")
		shows(t, visit, changes, "0")
		press(t, visit, "\x1b")
		shows(t, visit, focused, "orders")
		press(t, visit, "x")
		shows(t, visit, `document.querySelectorAll(".bulk").length`, "1")
		press(t, visit, "c")
		shows(t, visit, focused, "courier")
		shows(t, visit, `document.querySelectorAll("#courier-list li").length > 0`, "true")
		press(t, visit, "\r")
		shows(t, visit, focused, "orders")
		shows(t, visit, `document.querySelectorAll("dialog, .panel").length`, "0")
		press(t, visit, "j")
		shows(t, visit, `document.querySelectorAll(".row.current").length`, "1")
	})
	t.Run("a button that is gone gives the focus to the list", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "?stage=pending", desk, browser.Options{Script: heldBackScript})
		press(t, visit, "jx")
		if err := visit.Do(chromedp.Click(".bulk .first"), chromedp.WaitVisible("#courier-list li"),
			chromedp.Click("#courier-list li")); err != nil {
			t.Fatal(err)
		}
		shows(t, visit, focused, "orders")
	})
}

// cutScript returns the texts of chips, times and names that do not fit where they stand.
const cutScript = `[...document.querySelectorAll(".chip, .grid .due, .grid .who, .grid .to > b, .grid .by, .grid .status, .grid [role=columnheader], .bar .toggle button, .connection")].filter((e) => {
  const box = e.getBoundingClientRect();
  if (!e.checkVisibility() || e.textContent.includes("hacked") || e.textContent.length > 60) return false;
  return e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline" || e.scrollHeight > e.clientHeight + 1 && e.matches(".who, .by") || box.right > innerWidth || box.right > e.parentElement.getBoundingClientRect().right + 1;
}).map((e) => e.textContent.trim())`

// TestBoardCutsNothing looks for texts that are cut, in French, whose words are longer.
func TestBoardCutsNothing(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1000, 1280, 1600} {
		for _, query := range []string{"", "?order=" + theatreOrder(t)} {
			visit := openBoard(t, query, browser.Reader{Language: "fr", Width: width, Scripts: true},
				browser.Options{Script: manyScriptFor(width)})
			cut, err := browser.Evaluate[[]string](visit, cutScript)
			if err != nil || len(cut) > 0 {
				t.Errorf("%d px, %q: got %q, %v, want nothing cut", width, query, cut, err)
			}
		}
	}
}

// manyScriptFor answers with many orders at one width, so that every reason has a chip.
func manyScriptFor(width int) string {
	if width == 1280 {
		return manyScript
	}
	return ""
}

// theatreOrder returns an order that the board shows.
func theatreOrder(t *testing.T) string {
	t.Helper()
	scene := scenes.Scene(t, "console-board-panel")
	_, order, _ := strings.Cut(scene.URL, "order=")
	return order
}

// TestBoardShowsWholeRows goes to both ends of the list: the rows there and the ring around
// the list are whole, also when the bar of acts has taken some of its room.
func TestBoardShowsWholeRows(t *testing.T) {
	t.Parallel()
	visit := openBoard(t, "", browser.Reader{Language: "fr", Width: 1280, Scripts: true}, browser.Options{})
	hides := `(() => {
	  const grid = document.getElementById("orders").getBoundingClientRect(), head = document.querySelector(".grid .head").getBoundingClientRect(), row = document.querySelector(".row.current").getBoundingClientRect();
	  return Math.max(0, head.bottom - row.top, row.bottom - Math.min(grid.bottom, innerHeight, document.querySelector(".bulk")?.getBoundingClientRect().top ?? innerHeight));
	})()`
	press(t, visit, kb.End)
	shows(t, visit, `document.querySelectorAll(".row.current").length`, "1")
	shows(t, visit, hides, "0")
	press(t, visit, "x")
	shows(t, visit, `document.querySelectorAll(".bulk").length`, "1")
	shows(t, visit, hides, "0")
	ring, err := visit.Screenshot()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(ring))
	if err != nil {
		t.Fatal(err)
	}
	box, err := browser.Evaluate[[]int](visit, `(({ left, right, top, bottom }) => [left, right, top, bottom].map(Math.round))(document.getElementById("orders").getBoundingClientRect())`)
	if err != nil {
		t.Fatal(err)
	}
	left, right, top, bottom := box[0], box[1], box[2], box[3]
	want := picture.At((left+right)/2, top-1)
	for name, at := range map[string][2]int{"left": {left - 1, top + 100}, "right": {right, top + 100}, "top": {left +
		200, top - 1}, "bottom": {left + 200, bottom}, "head": {left - 1, top + 10}} {
		if got := picture.At(at[0], at[1]); got != want {
			t.Errorf("%s: got the colour %v, want the ring's, %v", name, got, want)
		}
	}
	if r, g, b, _ := want.RGBA(); r>>8 != 0x0b || g>>8 != 0x5d || b>>8 != 0x3b {
		t.Errorf("got the colour %d %d %d, want that of the focus", r>>8, g>>8, b>>8)
	}
}

// TestBoardChipsThatCombineToNothing narrows the board by a status and a reason that no
// order has together.
func TestBoardChipsThatCombineToNothing(t *testing.T) {
	t.Parallel()
	for language, want := range map[string]string{
		"en": "No open order matches all of these: “Pending”, “Courier left”.",
		"fr": "Aucune commande ouverte ne répond à tous ces critères\u00a0: «\u00a0En attente\u00a0», «\u00a0Livreur parti\u00a0».",
	} {
		visit := openBoard(t, "?stage=pending&attention=courier_gone", browser.Reader{Language: language, Width: 1280, Scripts: true},
			browser.Options{})
		shows(t, visit, `document.querySelector("#orders .empty p")?.textContent`, want)
		shows(t, visit, `[...document.querySelectorAll(".chip[aria-pressed=true] b")].map((b) => b.textContent).join()`,
			"0,0")
		if err := visit.Do(chromedp.Click("#orders .empty .button")); err != nil {
			t.Fatal(err)
		}
		shows(t, visit, `location.search`, "?stage=pending")
	}
}
