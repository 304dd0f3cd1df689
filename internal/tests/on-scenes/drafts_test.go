package scenes_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// typeInto types texts into fields, by their names.
const typeInto = `((values) => {
  for (const [name, value] of Object.entries(values)) {
    const field = document.querySelector("[name='" + name + "'], #" + CSS.escape(name));
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
})`

// TestTypedTextSurvivesTheEndOfASession types into forms, ends the session and sends them:
// after signing in, what was typed is there again.
func TestTypedTextSurvivesTheEndOfASession(t *testing.T) {
	t.Parallel()
	order := theatreOrder(t)
	for _, c := range []struct {
		name, scene, typed, send string
		open                     string            // selects what opens the dialog with the fields; may be empty
		want                     map[string]string // by expressions
	}{
		{
			name: "new order", scene: "portal-new-priced",
			typed: `{ reference: "typed", instructions: "two\nlines", "parcels[0].weight_kg": "61" }`,
			send:  `#new-order button.first`,
			want: map[string]string{
				`document.getElementById("new-order").elements.reference.value`:               "typed",
				`document.getElementById("new-order").elements.instructions.value`:            "two\nlines",
				`document.getElementById("new-order").elements["parcels[0].weight_kg"].value`: "61",
				`document.querySelectorAll(".parcel").length`:                                 "2",
			},
		},
		{
			name: "edit of an order", scene: "console-order-edit", send: `#edit-order button.first`,
			typed: `{ "dropoff.name": "Sam", reason: "By phone", "parcels[0].weight_kg": "12" }`,
			want: map[string]string{
				`document.getElementById("edit-order").elements["dropoff.name"].value`:         "Sam",
				`document.getElementById("edit-order").elements.reason.value`:                  "By phone",
				`document.getElementById("edit-order").elements["parcels[0].weight_kg"].value`: "12",
			},
		},
		{
			name: "note on the page of an order", scene: "console-order", typed: `{ text: "Ring twice" }`,
			send: `form[action$="/notes"] button`,
			want: map[string]string{`document.querySelector("[name=text]").value`: "Ring twice"},
		},
		{
			name: "note on the board", scene: "console-board-panel", typed: `{ "new-note": "Ring twice" }`,
			send: `.panel form button`,
			want: map[string]string{
				`document.getElementById("new-note")?.value`:        "Ring twice",
				`new URLSearchParams(location.search).get("order")`: order,
			},
		},
		{
			name: "reason of a cancellation on the board", scene: "console-board-panel-pending",
			open: `.panel [data-to="cancelled"]`, typed: `{ "act-reason": "Out of stock" }`,
			send: `dialog form .button.danger`,
			want: map[string]string{`document.getElementById("act-reason")?.value`: "Out of stock"},
		},
		{
			name: "failed attempt on the board", scene: "console-board-panel",
			open:  `.panel [data-to="failed"]`,
			typed: `{ "act-failure": "no_access", "act-next": "2026-06-19T09:00", "act-remark": "Dog" }`,
			send:  `dialog form .button.danger`,
			want: map[string]string{
				`document.getElementById("act-failure")?.value`: "no_access",
				`document.getElementById("act-next")?.value`:    "2026-06-19T09:00",
				`document.getElementById("act-remark")?.value`:  "Dog",
			},
		},
		{
			// There are more lines than the form has at first, as a scanner adds them.
			name: "received goods", scene: "stock-receive", send: `.form button.first`,
			typed: `(() => {
			  for (let last; (last = [...document.querySelectorAll("#receipt div.line")]).length < 40; ) last.at(-1).after(last.at(-1).cloneNode(true));
			  document.querySelectorAll("#receipt [name=product]").forEach((field, i) => { field.value = "P" + i; });
			  document.querySelectorAll("#receipt [name=quantity]").forEach((field, i) => { field.value = i + 1; });
			  return { location: "MTL-1", notes: "Slip 42" };
			})()`,
			want: map[string]string{
				`document.querySelector("[name=notes]")?.value`: "Slip 42",
				`[...document.querySelectorAll("#receipt div.line")].slice(0, 40).map((line, i) =>
				  [...line.querySelectorAll("input")].map((field) => field.value).join() === "P" + i + "," + (i + 1)).join()`: strings.Repeat(
					",true", 40,
				)[1:],
			},
		},
		{
			name: "rate card", scene: "rates-new", typed: `{ name: "winter", document: "{ \"currency\":" }`,
			send: `form[enctype] > p > button`,
			want: map[string]string{
				`document.querySelector("[name=name]").value`:     "winter",
				`document.querySelector("[name=document]").value`: `{ "currency":`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			scene := scenes.Scene(t, c.scene)
			visit, err := scenes.Running(t).Open(scene.URL, browser.Reader{Language: "en", Width: 1280, Scripts: true},
				browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: scene.Shown})
			if err != nil {
				t.Fatal(err)
			}
			defer visit.Close()
			enter := func() {
				t.Helper()
				if c.open == "" {
					return
				}
				if _, err := browser.Evaluate[any](visit, pressed+"(`"+c.open+"`)"); err != nil {
					t.Fatal(err)
				}
				if err := visit.Do(chromedp.WaitVisible("dialog form")); err != nil {
					t.Fatal(err)
				}
			}
			enter()
			if _, err := browser.Evaluate[any](visit, typeInto+"("+c.typed+");null"); err != nil {
				t.Fatal(err)
			}
			if _, err := chromedp.Call(visit.Page, network.ClearBrowserCookies, cdp.Empty{}); err != nil {
				t.Fatal(err)
			}
			// Not with the pointer: the page may move while its script notices that the session has ended.
			if _, err := browser.Evaluate[any](visit, pressed+"(`"+c.send+"`)"); err != nil {
				t.Fatal(err)
			}
			if err := visit.Do(chromedp.WaitVisible("#field-password")); err != nil {
				t.Fatal(err)
			}
			// The page's script marks what was typed as interrupted. It has run once the page is complete.
			shows(t, visit, `document.readyState`, "complete")
			next, err := browser.Evaluate[string](visit, `new URLSearchParams(location.search).get("next")`)
			if err != nil {
				t.Fatal(err)
			}
			name, value, _ := strings.Cut(scene.Cookie, "=")
			if _, err := chromedp.Call(visit.Page, network.SetCookie,
				network.SetCookieParams{Name: name, Value: value, URL: scene.URL, HTTPOnly: new(true)}); err != nil {
				t.Fatal(err)
			}
			at, _ := url.Parse(scene.URL)
			if err := visit.Do(chromedp.Navigate(at.Scheme + "://" + at.Host + next)); err != nil {
				t.Fatal(err)
			}
			enter()
			for expression, want := range c.want {
				shows(t, visit, expression, want)
			}
			if c.open != "" { // a dialog that was given up begins anew
				if err := visit.Do(chromedp.Click("dialog form .button:last-child")); err != nil {
					t.Fatal(err)
				}
				enter()
				for expression, kept := range c.want {
					if kept == "no_access" {
						kept = "not_home"
					} else {
						kept = ""
					}
					shows(t, visit, expression, kept)
				}
			}
			// It comes back once: a form that was left for another page begins anew.
			if c.scene == "console-order" {
				if err := visit.Do(chromedp.Navigate(scene.URL), chromedp.Navigate(scene.URL)); err != nil {
					t.Fatal(err)
				}
				shows(t, visit, `document.querySelector("[name=text]").value`, "")
			}
		})
	}
}
