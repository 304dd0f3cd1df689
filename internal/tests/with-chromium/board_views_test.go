package chromium_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
	"github.com/dropyard/dropyard/internal/web/console"
)

// orderAt creates an accepted order whose pickup and dropoff are in areas, and returns its id.
func orderAt(t *testing.T, partner *apptest.Partner, operator *apptest.Operator, name, pickup, dropoff string) string {
	t.Helper()
	body := bytes.Replace(testkit.OrderJSON(name, ""), []byte("H2W 2M5"), []byte(pickup+" 2M5"), 1)
	body = bytes.Replace(body, []byte("M5H 2N2"), []byte(dropoff+" 2N2"), 1)
	id := partner.Create(t, body).Must(t, http.StatusCreated).Text("order_id")
	operator.Move(t, id, "accepted").Must(t, http.StatusOK)
	return id
}

// sequenceOf returns the names of the stops of a courier as the page shows them.
func sequenceOf(t *testing.T, visit *browser.Visit, courier string) string {
	t.Helper()
	shown, err := browser.Evaluate[[]string](visit, fmt.Sprintf(
		`[...document.querySelectorAll('[aria-labelledby="lane-%s"] .stop .mono')].map((name) => name.textContent)`, courier))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(shown, " ")
}

// says waits for what the view says about the last change.
func says(t *testing.T, visit *browser.Visit, text string) {
	t.Helper()
	wait := fmt.Sprintf(`new Promise((done) => { const look = () => [...document.querySelectorAll(".toast, .said")].some((one) => one.textContent.includes(%q)) ? done(true) : requestAnimationFrame(look); look(); })`, text)
	if _, err := browser.Evaluate[bool](visit, wait); err != nil {
		said, _ := browser.Evaluate[string](visit, `[...document.querySelectorAll(".toast, .said")].map((one) => one.textContent).join()`)
		t.Fatalf("got %q, %v, want %q", said, err, text)
	}
}

// press sends a key to a stop, with the Alt key for those that begin with it.
func press(t *testing.T, visit *browser.Visit, order, key string) {
	t.Helper()
	name, alt := strings.CutPrefix(key, "Alt+")
	script := fmt.Sprintf(`(() => { const stop = document.getElementById("stop-%s"); stop.focus();
		stop.dispatchEvent(new KeyboardEvent("keydown", { key: %q, altKey: %t, bubbles: true, cancelable: true })); return true; })()`,
		order, name, alt)
	if _, err := browser.Evaluate[bool](visit, script); err != nil {
		t.Fatal(err)
	}
}

// drag drags a stop onto the upper or lower half of an element.
func drag(t *testing.T, visit *browser.Visit, order, onto string, lower bool) {
	t.Helper()
	script := fmt.Sprintf(`(async () => {
		const data = new DataTransfer(), at = { bubbles: true, cancelable: true, dataTransfer: data };
		const from = document.getElementById("stop-%s"), to = document.querySelector(%q), box = to.getBoundingClientRect();
		from.dispatchEvent(new DragEvent("dragstart", at));
		const clientY = box.top + box.height * (%t ? .9 : .1);
		to.dispatchEvent(new DragEvent("dragover", { ...at, clientY }));
		await new Promise(requestAnimationFrame);
		to.dispatchEvent(new DragEvent("drop", { ...at, clientY }));
		from.dispatchEvent(new DragEvent("dragend", at));
		return true; })()`, order, onto, lower)
	if _, err := browser.Evaluate[bool](visit, script); err != nil {
		t.Fatal(err)
	}
}

// TestCouriersSideBySide reorders stops by keys and by dragging, hands them over, meets the
// change of another desk, and sorts by way.
func TestCouriersSideBySide(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, inRealTime)
	partner, desk := service.Register(t, "metro"), service.Operate(t)
	other := desk.Call(
		t, "POST", "/ops/v1/couriers", []byte(`{"name":"Marc <b>D.</b>","phone":"+15145550144","vehicle":"white van"}`),
	).Must(t, http.StatusCreated).Text("courier_id")
	var ids []string
	for i, area := range []string{"H2W", "K1P", "H2X", "H3A"} {
		id := orderAt(t, partner, desk, fmt.Sprintf("A-%d", i+1), area, "M5H")
		desk.Move(t, id, "courier_assigned").Must(t, http.StatusOK)
		ids = append(ids, id)
	}
	free := orderAt(t, partner, desk, "B-1", "H2W", "M5V")
	sequence := "/ops/v1/couriers/" + desk.CourierID + "/sequence"
	set := func(order ...string) {
		version := desk.Call(t, "GET", sequence, nil).Must(t, http.StatusOK).JSON("version")
		desk.Call(t, "PUT", sequence,
			fmt.Appendf(nil, `{"order_ids":["%s"],"version":%v}`, strings.Join(order, `","`), version)).Must(t, http.StatusOK)
	}
	set(ids...)
	visit := openBoard(t, desk, "?view=couriers")
	stop := func(id string) string { return "#stop-" + id }
	lane := func(id string) string { return `[aria-labelledby="lane-` + id + `"]` }
	steps(t, visit, [2]string{"", stop(ids[3])}, [2]string{"", lane("none") + " " + stop(free)},
		[2]string{"", lane(other)})
	expect := func(courier, want string) {
		t.Helper()
		if got := sequenceOf(t, visit, courier); got != want {
			t.Errorf("got the stops %q of %s, want %q", got, courier, want)
		}
	}
	expect(desk.CourierID, "A-1 A-2 A-3 A-4")
	for _, problem := range visit.Problems(console.BoardPolicy()) {
		t.Error(problem)
	}

	press(t, visit, ids[1], "Alt+ArrowDown")
	says(t, visit, "A-2 is now stop 3 of 4.")
	expect(desk.CourierID, "A-1 A-3 A-2 A-4")
	drag(t, visit, ids[3], stop(ids[0]), false)
	says(t, visit, "A-4 is now stop 1 of 4.")
	expect(desk.CourierID, "A-4 A-1 A-3 A-2")
	if got := desk.Call(t, "GET", sequence, nil).Text("order_ids", 0); got != ids[3] {
		t.Errorf("got %s first in the stored sequence, want %s", got, ids[3])
	}

	strike(t, visit, "z", ".lanes")
	says(t, visit, "The sequence of Camille Tremblay is as before.")
	expect(desk.CourierID, "A-1 A-3 A-2 A-4")

	set(ids...) // by another desk
	press(t, visit, ids[3], "Alt+ArrowUp")
	says(t, visit, "Another dispatcher changed the route of Camille Tremblay")
	expect(desk.CourierID, "A-1 A-2 A-3 A-4")

	steps(t, visit, [2]string{lane(desk.CourierID) + " .row-act", ".proposal .button.first"})
	steps(t, visit, [2]string{".proposal .button.first", lane(desk.CourierID) + " .row-act:enabled"})
	says(t, visit, "The sequence of Camille Tremblay is as proposed.")
	if got := sequenceOf(t, visit, desk.CourierID); strings.Contains(got, "A-1 A-2 A-3") || len(strings.Fields(got)) != 4 {
		t.Errorf("got the stops %q, want Ottawa (A-2) not between two of Montréal", got)
	}

	press(t, visit, free, "m")
	steps(t, visit, [2]string{"", "#courier:focus"},
		[2]string{`#courier-list li[data-courier="` + other + `"]`, lane(other) + " " + stop(free)})
	says(t, visit, "B-1 assigned to Marc <b>D.</b>")
	steps(t, visit, [2]string{"", lane(other) + " " + stop(free)})
	drag(t, visit, ids[0], lane(other)+" li", true)
	says(t, visit, "A-1 assigned to Marc <b>D.</b>")
	expect(other, "B-1 A-1")
}
