package chromium_test

import (
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/courier"
)

// assignedOrder returns an order that is assigned to the courier of an operator.
func assignedOrder(t *testing.T, partner *apptest.Partner, operator *apptest.Operator, name string) string {
	t.Helper()
	id := partner.Create(t, testkit.OrderJSON(name, "")).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned"} {
		operator.Move(t, id, status).Must(t, 200)
	}
	return id
}

// TestCourierPhoneIsFull taps while the phone can store nothing: the courier reads so, a
// dialog keeps what was entered, and it can be stored later.
func TestCourierPhoneIsFull(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	operator := service.Operate(t)
	order := assignedOrder(t, service.Register(t, "metro"), operator, "A-1")
	visit := openRound(t, operator.As(t, "courier"))
	const fill = `window.add = IDBObjectStore.prototype.add; IDBObjectStore.prototype.add = () => { throw new DOMException("full", "QuotaExceededError"); }; ""`
	steps(t, visit, [2]string{"", large(order, "courier_assigned") + does("picked_up")})
	evaluate(t, visit, fill, "")
	steps(t, visit,
		[2]string{large(order, "courier_assigned") + does("picked_up"), ".notice.danger"},
		[2]string{large(order, "courier_assigned") + does("failed"), ".dialog .reasons"},
		[2]string{`.reasons [value="no_access"]`, ".reasons :checked"},
	)
	if err := visit.Do(chromedp.SendKeys("#fail-notes", "the gate is shut")); err != nil {
		t.Fatal(err)
	}
	steps(t, visit, [2]string{".dialog .fail", ".dialog .fault"})
	const shown = `document.querySelector(".dialog .fault").textContent`
	if got, err := browser.Evaluate[string](visit, shown); err != nil || !strings.Contains(got, "nothing was recorded") {
		t.Errorf("got the dialog's fault %q, %v, want that nothing was recorded", got, err)
	}
	evaluate(t, visit,
		`document.querySelector("#fail-notes").value + " " + document.querySelector(".reasons :checked").value`,
		"the gate is shut no_access")
	evaluate(t, visit, `IDBObjectStore.prototype.add = window.add; ""`, "")
	steps(t, visit, [2]string{".dialog .fail:not([aria-disabled=true])", large(order, "failed") + ":not(:has(.unsent))"})
	evaluate(t, visit, `String(document.querySelector("dialog"))`, "null")
	checkHistory(t, operator, order, "pending accepted courier_assigned failed")
	for _, problem := range visit.Problems(courier.Policy()) {
		t.Error(problem)
	}
}

// keptRows counts the rows of a kind that the phone keeps: in its database, by store and owner.
const keptRows = `(name, owner) => new Promise((resolve, reject) => {
	const opening = indexedDB.open("dropyard-courier");
	opening.onerror = reject;
	opening.onsuccess = () => { opening.result.transaction(name).objectStore(name)[name === "acts" ? "getAll" : "getAllKeys"]().onsuccess = ({ target }) => {
		opening.result.close();
		resolve(String(target.result.filter((one) => (one.owner ?? one[0]) === owner).length));
	}; };
})`

// keepOfAnother puts the stops of another operator, and an act of theirs, onto the phone.
const keepOfAnother = `import("/assets/courier/storage.js").then(async ({ open }) => {
	const storage = await open("dropyard-courier");
	await storage.keep("opr_other", "round", { jobs: [] });
	await storage.add("opr_other", "ord_other", () => [{ act: { owner: "opr_other", order_id: "ord_other", at: "2026-06-18T12:00:00Z" } }]);
	return "";
})`

// clearCookies removes the session of the browser.
func clearCookies(t *testing.T, visit *browser.Visit) {
	t.Helper()
	if _, err := chromedp.Call(visit.Page, network.ClearBrowserCookies, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
}

// setCookie gives the browser a session.
func setCookie(t *testing.T, visit *browser.Visit, address, cookie string) {
	t.Helper()
	name, value, _ := strings.Cut(cookie, "=")
	if _, err := chromedp.Call(visit.Page, network.SetCookie,
		network.SetCookieParams{Name: name, Value: value, URL: address, HTTPOnly: new(true)}); err != nil {
		t.Fatal(err)
	}
}

// TestCourierSessionEnds ends the session of a courier. Without a connection the phone shows
// what it has kept. Once the service has answered 401 it hides that, also after a start
// without a connection, until the same operator has signed in; then it sends what waits. What
// another operator has left is removed, but for what waits to be sent.
func TestCourierSessionEnds(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	operator := service.Operate(t)
	order := assignedOrder(t, service.Register(t, "metro"), operator, "A-1")
	l, rider := newLink(t, service), operator.As(t, "courier")
	visit := openApp(t, l, rider)
	evaluate(t, visit, keepOfAnother, "")
	l.cut.Store(true)
	goTo(t, visit, l.url+"/courier", large(order, "courier_assigned"))
	steps(t, visit,
		[2]string{large(order, "courier_assigned") + does("picked_up"), large(order, "picked_up") + " .unsent"})
	evaluate(t, visit, `(`+keptRows+`)("kept", "opr_other")`, "0")
	evaluate(t, visit, `(`+keptRows+`)("acts", "opr_other")`, "1")

	clearCookies(t, visit)
	steps(t, visit, [2]string{".bar .open-menu", ".dialog .leave"})
	l.cut.Store(false) // from now on any retry ends the session
	const online = `dispatchEvent(new Event("online")); ""`
	evaluate(t, visit, online, "")
	locked := func() {
		t.Helper()
		steps(t, visit, [2]string{"", `.empty a[href^="/courier/login"]`})
		evaluate(t, visit, `String(document.querySelectorAll(".stop, .dialog, .refusal").length) + /Queen|Alex/.test(document.body.textContent)`, "0false")
	}
	locked()
	l.cut.Store(true)
	goTo(t, visit, l.url+"/courier", ".bar h1")
	locked()
	evaluate(t, visit, `(`+keptRows+`)("acts", "`+rider.OperatorID+`")`, "1")

	l.cut.Store(false)
	setCookie(t, visit, l.url, cookieOf(t, rider))
	evaluate(t, visit, online, "")
	steps(t, visit, [2]string{"", large(order, "picked_up") + ":not(:has(.unsent))"})
	checkHistory(t, operator, order, "pending accepted courier_assigned picked_up")

	clearCookies(t, visit)
	evaluate(t, visit, `new BroadcastChannel("dropyard-courier").postMessage("signed out"); ""`, "") // another tab
	steps(t, visit, [2]string{"", `input[name="password"]`})
	evaluate(t, visit, keptRounds, "0 rounds")
}

// TestCourierStorageIsNewer has a newer version of the app use the phone's storage. The open
// app starts again, once, and then says what is the matter.
func TestCourierStorageIsNewer(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	visit := openApp(t, newLink(t, service), service.Operate(t).As(t, "courier"))
	const use = `document.body.dataset.before = "yes"; new Promise((resolve, reject) => {
		const opening = indexedDB.open("dropyard-courier", 2);
		opening.onerror = reject;
		opening.onsuccess = () => { opening.result.close(); resolve(""); };
	})`
	evaluate(t, visit, use, "")
	steps(t, visit, [2]string{"", "body:not([data-before]) main > .notice.danger"})
	const shown = `document.querySelector("main > .notice.danger").textContent.split(".")[0] + performance.getEntriesByType("navigation")[0].type`
	evaluate(t, visit, shown,
		"A newer version of this app has been used on this phone, and this one cannot read what it has storedreload")
	evaluate(t, visit, `sessionStorage.getItem("courier.renewed")`, "yes")
}
