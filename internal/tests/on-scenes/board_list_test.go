package scenes_test

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/pagetest"
)

// courierCells and orderCells return what the first rows show, from the top.
const (
	courierCells = `[...document.querySelectorAll("#orders .body .row")].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.querySelector(".by").textContent)`
	orderCells   = `[...document.querySelectorAll("#orders .body .row")].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.querySelector(".what .mono").textContent)`
)

// TestBoardList sorts the list, chooses its columns, and narrows it to several cities and zones.
func TestBoardList(t *testing.T) {
	t.Parallel()
	desk := browser.Reader{Language: "en", Width: 1280, Scripts: true}
	t.Run("sorted by a column, and back", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "", desk, browser.Options{})
		before, err := browser.Evaluate[[]string](visit, orderCells)
		if err != nil || len(before) < 10 {
			t.Fatalf("got %q, %v, want orders", before, err)
		}
		click(t, visit, `.head .by button`)
		shows(t, visit, `((names) => names.length > 9 && String(names) === String(names.toSorted((a, b) => (a !== "–") - (b !== "–") || a.localeCompare(b))))(`+courierCells+`)`, "true")
		shows(t, visit, `location.search`, "?sort=courier")
		click(t, visit, `.head .by button`)
		shows(t, visit, `location.search + document.querySelector(".head .by").ariaSort`, "?sort=-courierdescending")
		shows(t, visit, courierCells+`.at(-1)`, "–")
		click(t, visit, `.head .when button`)
		after, err := browser.Evaluate[[]string](visit, orderCells)
		if err != nil || len(after) != len(before) || after[0] != before[0] {
			t.Errorf("got %q, %v, want %q again", after, err, before)
		}
	})
	t.Run("columns are kept", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "", desk, browser.Options{})
		shown := `[...document.querySelectorAll(".head [role=columnheader]")].filter((cell) => cell.checkVisibility()).map((cell) => cell.textContent.trim()).join()`
		shows(t, visit, shown, ",Due,Recipient,Order,Status,Courier,Level")
		click(t, visit, ".bar .of-list")
		if err := visit.Do(chromedp.WaitVisible("#sort-by"), chromedp.Click(`.dialog .check:nth-of-type(5)`),
			chromedp.Click(`.dialog .check:nth-of-type(2)`), chromedp.Click(".dialog .first")); err != nil {
			t.Fatal(err)
		}
		shows(t, visit, shown, ",Due,Recipient,Order,Partner,Status,Courier")
		shows(t, visit, `localStorage.getItem("board-columns")`, "due,recipient,order,status,courier,partner")
	})
	t.Run("several cities and zones", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "", desk, browser.Options{})
		places := `[...new Set([...document.querySelectorAll("#orders .body .row .to .sub")].map((place) => place.lastChild.textContent))].sort().join()`
		click(t, visit, ".bar .of-places")
		if err := visit.Do(chromedp.WaitVisible(".places-list .check"), chromedp.SendKeys(".dialog .input", "LÀVAL"),
			chromedp.Click(".places-list fieldset:first-child .check:nth-of-type(1)")); err != nil {
			t.Fatal(err)
		}
		shows(t, visit, `new URLSearchParams(location.search).get("city")`, "Laval")
		shows(t, visit, `((field) => { field.value = "k1p"; return field.dispatchEvent(new Event("input", { bubbles: true })); })(document.querySelector(".dialog .input"))`, "true")
		click(t, visit, ".places-list fieldset:last-child .check")
		shows(t, visit, `new URLSearchParams(location.search).get("zone")`, "K1P")
		click(t, visit, ".dialog .first")
		shows(t, visit, places, "H7N,K1P")
		shows(t, visit, `document.querySelector(".of-places").textContent.trim()`, "2 areas")
	})
	t.Run("chips that leave nothing say so", func(t *testing.T) {
		t.Parallel()
		visit := openBoard(t, "?day=later&stage=failed", desk, browser.Options{})
		shows(t, visit, `document.querySelector("#orders .empty p").textContent.trim()`, "No open order matches all of these: “Failed”, “Later”.")
		click(t, visit, "#orders .empty .line button:nth-of-type(1)")
		shows(t, visit, `location.search`, "?stage=failed")
		shows(t, visit, orderCells+`.length > 5`, "true")
	})
}

// TestBoardPrints prints the board: all orders of the filter are on paper, and nothing else is.
func TestBoardPrints(t *testing.T) {
	t.Parallel()
	visit := openBoard(t, "?stage=failed", browser.Reader{Language: "en", Width: 1280, Scripts: true}, browser.Options{})
	shows(t, visit, `(dispatchEvent(new Event("beforeprint")), document.querySelectorAll(".on-paper tbody tr").length === Number(document.querySelector(".chip[aria-pressed=true] b").textContent))`, "true")
	shows(t, visit, `document.querySelector(".on-paper tbody tr").textContent.includes("Failed")`, "true")
	const onPage = `[...document.body.children].filter((e) => e.checkVisibility()).map((e) => e.className).join()`
	shows(t, visit, onPage+` !== "on-paper" && !document.querySelector(".on-paper").checkVisibility()`, "true")
	if _, err := chromedp.Call(visit.Page, emulation.SetEmulatedMedia,
		emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	shows(t, visit, onPage, "on-paper")
	shows(t, visit, `(dispatchEvent(new Event("afterprint")), document.querySelector(".on-paper"))`, "null")
}

// TestMapOfSeveralPlaces: the map of a board that is narrowed to areas and cities draws all orders, and names and
// lists those of the chosen places.
func TestMapOfSeveralPlaces(t *testing.T) {
	t.Parallel()
	scene := scenes.Scene(t, "console-map")
	for query, want := range map[string]struct{ heading, pressed string }{
		"&zone=K1P%2CH7N":      {"K1P, H7N · ", "H7N K1P"},
		"&zone=K1P&city=Laval": {"K1P, Laval · ", "K1P"},
		"&city=Laval%7COttawa": {"Laval, Ottawa · ", ""},
		"&zone=M5H":            {"M5H · ", "M5H"},
	} {
		visit, err := scenes.Running(t).Open(scene.URL+query, browser.Reader{Language: "en", Width: 1280, Scripts: true},
			browser.Options{Now: pagetest.Now, Cookie: scene.Cookie, Shown: ".as-table th[scope=row]"})
		if err != nil {
			t.Fatal(err)
		}
		shows(t, visit, `document.querySelector(".map-view h2, section h2")?.textContent.startsWith("`+want.heading+`")`, "true")
		shows(t, visit, `[...document.querySelectorAll(".as-table [aria-pressed=true]")].map((e) => e.textContent).sort().join(" ")`,
			want.pressed)
		shows(t, visit, `["K1P", "H7N", "M5H"].every((code) => [...document.querySelectorAll(".as-table th[scope=row]")].some((e) => e.textContent === code))`,
			"true")
		visit.Close()
	}
}
