package scenes_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// answeredScript answers what the board would change as if it were done, and keeps the bodies in the list "sent". The
// timers of toasts, which wait for 10 s, are in the list "timers" until they are cleared, and never end by themselves.
const answeredScript = `(() => {
  globalThis.sent = [];
  globalThis.timers = [];
  const real = fetch, set = setTimeout, clear = clearTimeout;
  globalThis.fetch = (address, options = {}) => {
    if ((options.method ?? "GET") === "GET") return real(address, options);
    const body = JSON.parse(options.body);
    sent.push(body);
    return Promise.resolve(new Response(JSON.stringify({ results: (body.order_ids ?? []).map((order_id) => ({ order_id, ok: true, status: body.status, version: 40 + sent.length })) })));
  };
  globalThis.setTimeout = (does, ms, ...more) => ms === 10000 ? timers.push({ does }) * -1 : set(does, ms, ...more);
  globalThis.clearTimeout = (id) => { if (id < 0) timers[-id - 1].cleared = true; else clear(id); };
})();`

// toasted is an expression for what the toast says, and waiting one for how many toasts wait to be closed.
const (
	toasted = `(document.querySelector(".toast p")?.textContent ?? "")`
	waiting = `timers.filter((timer) => !timer.cleared).length`
)

// TestToastTakesAnActBack assigns orders by keys: a toast says it in words, with a button and a key that take it back.
func TestToastTakesAnActBack(t *testing.T) {
	t.Parallel()
	desk := browser.Reader{Language: "en", Width: 1280, Scripts: true}
	visit := openBoard(t, "?stage=pending&sort=order", desk, browser.Options{Script: answeredScript})
	press(t, visit, "j")
	press(t, visit, "z") // nothing is taken back yet
	press(t, visit, "c")
	shows(t, visit, `document.querySelectorAll("#courier-list li").length > 0`, "true")
	press(t, visit, "amelie\r")
	shows(t, visit, `/^A-\d+ assigned to Amélie Tremblay$/.test(`+toasted+`)`, "true")
	shows(t, visit, `sent.map(({ status }) => status).join()`, "accepted,courier_assigned")
	shows(t, visit, `document.querySelector(".toasts").getAttribute("role")`, "status")
	press(t, visit, "z")
	shows(t, visit, `sent.slice(2).map(({ status, versions }) => status + versions).join()`, "accepted42")
	shows(t, visit, `/^Undone: A-\d+$/.test(`+toasted+`)`, "true")
	shows(t, visit, `document.querySelector(".toast .undo") === null`, "true")
	press(t, visit, "z")
	press(t, visit, "\x1b")
	shows(t, visit, toasted, "")
	shows(t, visit, `sent.length`, "3")
	shows(t, visit, focused, "orders")
}

// TestToastStaysWhileItIsLookedAt accepts an order, which cannot be taken back. The toast goes after 10 s, and later
// while it has the pointer or the focus.
func TestToastStaysWhileItIsLookedAt(t *testing.T) {
	t.Parallel()
	visit := openBoard(t, "?stage=pending&sort=order", browser.Reader{Language: "fr", Width: 1280, Scripts: true},
		browser.Options{Script: answeredScript})
	press(t, visit, "jxa")
	shows(t, visit, `/^A-\d+ acceptée$/.test(`+toasted+`)`, "true")
	shows(t, visit, waiting, "1")
	shows(t, visit, `document.querySelector(".toast .undo") === null`, "true")
	hover := func(event string) {
		t.Helper()
		if _, err := browser.Evaluate[any](visit,
			`document.querySelector(".toasts").dispatchEvent(new MouseEvent("`+event+`")), null`); err != nil {
			t.Fatal(err)
		}
	}
	hover("mouseenter")
	shows(t, visit, waiting, "0")
	hover("mouseleave")
	shows(t, visit, waiting, "1")
	if err := visit.Do(chromedp.Focus(".toast .shut")); err != nil {
		t.Fatal(err)
	}
	shows(t, visit, waiting, "0")
	press(t, visit, "\x1b")
	shows(t, visit, toasted, "")
	shows(t, visit, focused, "orders")
	press(t, visit, kb.ArrowDown+"xa")
	shows(t, visit, waiting, "1")
	if _, err := browser.Evaluate[any](visit, `timers.at(-1).does(), null`); err != nil {
		t.Fatal(err)
	}
	shows(t, visit, toasted, "")
}

// TestToastCoversNoButton looks where the toast is, with orders selected and on a phone.
func TestToastCoversNoButton(t *testing.T) {
	t.Parallel()
	for _, width := range []int{360, 1280} {
		visit := openBoard(t, "?stage=pending&sort=order", browser.Reader{Language: "fr", Width: width, Scripts: true},
			browser.Options{Script: answeredScript})
		press(t, visit, "ja")
		shows(t, visit, `document.querySelectorAll(".toast").length`, "1")
		press(t, visit, "x")
		shows(t, visit, `document.querySelectorAll(".bulk").length`, "1")
		shows(t, visit, `(() => {
  const toast = document.querySelector(".toast").getBoundingClientRect();
  return [...document.querySelectorAll(".bulk button, .bar button, .bar select")].filter((one) => {
    const box = one.getBoundingClientRect();
    return one.checkVisibility() && box.left < toast.right && box.right > toast.left && box.top < toast.bottom && box.bottom > toast.top;
  }).length + " " + (toast.right <= innerWidth && toast.bottom <= innerHeight);
})()`, "0 true")
	}
}
