package chromium_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// documentScript keeps what the document of the board shows before its modules run.
// listed returns what readers see of the list's cells, and where. What is said to assistive
// technology only, and hours on the clocks of the dropoff, the document leaves out.
const documentScript = `globalThis.listed = () => [...document.querySelectorAll(".grid .body .row")].slice(0, 20).flatMap((row) => [...row.children].filter((cell) => cell.checkVisibility()).map((cell) => {
  const { left, width } = cell.getBoundingClientRect(), unseen = cell.querySelector(".hidden, .when .sub")?.innerText ?? "";
  const isUrgent = cell.querySelector(".urgent") !== null, icons = [...cell.querySelectorAll("svg")].map((icon) => icon.childElementCount);
  return [row.getBoundingClientRect().top, left, width, cell.className, cell.innerText.replace(unseen, "").trim(), isUrgent, icons].join("|");
}));
addEventListener("DOMContentLoaded", () => { globalThis.before = listed(); });`

// TestBoardDocument compares the rows that the document of the board shows with those
// that its modules show in their place: nothing may change or move.
func TestBoardDocument(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	service := apptest.Start(t, inRealTime)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	ids, due := make([]string, 33), ""
	for i := range ids {
		created := partner.Create(t, testkit.OrderJSON(fmt.Sprintf("A-%d", i), "")).Must(t, http.StatusCreated)
		ids[i], due = created.Text("order_id"), created.Text("dropoff", "time_window", "end")
	}
	for _, id := range ids[1:] {
		operator.Move(t, id, "accepted").Must(t, http.StatusOK)
	}
	courier := operator.Call(
		t, "POST", "/ops/v1/couriers", []byte(`{"name":"Amina Traoré","phone":"+15145550177","vehicle":"bike"}`),
	).Must(t, http.StatusCreated).Text("courier_id")
	for _, id := range ids[2:5] {
		operator.Call(t, "POST", "/ops/v1/orders/"+id+"/status",
			[]byte(`{"status":"courier_assigned","courier_id":"`+courier+`"}`)).Must(t, http.StatusOK)
	}
	operator.Call(t, "PATCH", "/ops/v1/couriers/"+courier, []byte(`{"active":false}`)).Must(t, http.StatusOK)
	ends, err := time.Parse(time.RFC3339, due)
	if err != nil {
		t.Fatal(err)
	}
	chromium := startChromium(t)
	for _, look := range []struct {
		language string
		at       time.Time // with orders that are late, the chips need two lines in French
	}{{"en", ends.Add(-20 * time.Minute)}, {"fr", ends.Add(40 * time.Minute)}} {
		service.Clock.Advance(look.at.Sub(service.Clock.Now()))
		visit, err := chromium.Open(operator.URL+"/console/board",
			browser.Reader{Language: look.language, Width: 1280, Scripts: true},
			browser.Options{Now: look.at, Cookie: cookieOf(t, operator), Shown: ".connection.live", Script: documentScript})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(visit.Close)
		got, err := browser.Evaluate[[2][]string](visit, "[before, listed()]")
		if err != nil || len(got[0]) != 20*7 || len(got[1]) != 20*7 {
			t.Fatalf("%s: got %d cells in the document, %v, want 20 rows of 7", look.language, len(got[0]), err)
		}
		for i, cell := range got[1] {
			if got[0][i] != cell {
				t.Errorf("%s: got the cell %q in the document, want %q as the modules show it", look.language, got[0][i], cell)
			}
		}
	}
}
