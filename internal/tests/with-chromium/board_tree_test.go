package chromium_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// hears compares what a screen reader gets of the page below its menu with a file in
// testdata, which DROPYARD_UPDATE=1 replaces.
func (d desk) hears(name string) {
	d.Helper()
	got, err := browser.Tree(d.visit)
	if err != nil {
		d.Fatal(err)
	}
	if _, below, found := strings.Cut(got, "\nmain\n"); found {
		got = "main\n" + below
	}
	got = span.ReplaceAllString(orderID.ReplaceAllString(got, "ord_…"), "in 0 h 00")
	for _, line := range strings.Split(got, "\n") {
		if nameless.MatchString(line) {
			d.Errorf("%s: got %q, want a name", name, strings.TrimSpace(line))
		}
	}
	file := filepath.Join("testdata", "tree", name+".txt")
	if os.Getenv("DROPYARD_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			d.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		d.Fatal(err)
	}
	if got != string(want) {
		d.Errorf("%s: got\n%s\nwant the content of %s:\n%s", name, got, file, want)
	}
}

// until waits for an expression of the page to be true.
func (d desk) until(expression string) {
	d.Helper()
	wait := `new Promise((done) => { const look = () => ` + expression +
		` ? done(true) : requestAnimationFrame(look); look(); })`
	if _, err := browser.Evaluate[bool](d.visit, wait); err != nil {
		d.Fatalf("wait for %s: %v", expression, err)
	}
}

var (
	// orderID matches an order's id, whole or cut in the middle.
	orderID = regexp.MustCompile(`ord_[0-9a-z…]+`)
	// span matches how far away a time is, which depends on how long the test takes.
	span = regexp.MustCompile(`in \d+ h \d\d`)
	// nameless matches the line of a control that has no name. Rows of a plain table need none: their
	// cells are read.
	nameless = regexp.MustCompile(
		`^ *(?:(?:button|link|checkbox|radio|textbox|searchbox|combobox|grid|option|dialog|DateTime)(?: \(|$)|row \()`,
	)
)

// TestTreeOfBoard reads the board as a screen reader does: the list, the panel of an order,
// the dialogs, and the other views.
func TestTreeOfBoard(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	operator.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Marc Dubé","phone":"+15145550144","vehicle":"white van"}`)).Must(t, http.StatusCreated)
	orderTo(t, partner, "A-1", toronto)
	assigned := orderTo(t, partner, "A-2", destination{"Montréal", "QC", "H2X", "same_day"})
	for _, status := range []string{"accepted", "courier_assigned"} {
		operator.Move(t, assigned.Text("order_id"), status).Must(t, http.StatusOK)
	}
	service.Clock.Advance(time.Second) // are due at the same time: the older one comes first
	orderTo(t, partner, "A-3", vancouver)
	d := desk{t, openBoard(t, operator, "")}
	steps(t, d.visit, [2]string{"", `#orders[aria-rowcount="4"]`}, [2]string{"", ".connection.live"})
	d.until(`document.querySelectorAll(".lists select:first-child option").length === 2`)

	d.press("jx", `.row.current[aria-selected="true"]`)
	d.hears("list")
	d.press("c", `.dialog[open] [role="option"]:nth-child(2)`)
	d.hears("assign")
	d.press(kb.Escape, "#orders:focus")
	d.press("x", `.row.current[aria-selected="false"]`)
	d.search("A-2", 1)
	d.press("o", "#panel-title:focus")
	d.hears("panel")
	d.enter(move("failed"), "#act-failure:focus")
	d.hears("failed")
	d.press(kb.Escape, "#panel-title")
	d.enter(move("cancelled"), "#act-reason:focus")
	d.hears("cancel")
	d.press(kb.Escape, "#panel-title")
	d.press(kb.Escape, "#orders:focus")
	d.press("?", ".dialog[open] kbd")
	d.hears("keys")
	d.press(kb.Escape, "#orders:focus")
	d.enter(".lists .copy", `#orders[aria-rowcount="4"]`) // shows all
	d.tab(".toggle button:nth-child(2)")
	d.press(kb.Enter, ".map-view.impossible .as-table tbody tr") // this browser draws nothing
	d.hears("map")
	d.tab(".toggle button:nth-child(3)")
	d.press(kb.Enter, "#stop-"+assigned.Text("order_id"))
	d.until(
		`document.querySelectorAll(".lane").length === 3 && !document.querySelector(".lanes").innerText.includes("Reading")`,
	)
	d.hears("couriers")
}
