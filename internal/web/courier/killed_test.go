package courier_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/browser"
)

// session is the name of the cookie of operators.
const session = "dropyard_ops_session"

// killings are the moments at which the browser is killed.
var killings = []string{"stored", "sending", "answered", "storing"}

// TestKilledBrowser kills a browser between a courier's tap and the answer to it, starts it
// again, and finds every act carried out once, in order and with its own time.
func TestKilledBrowser(t *testing.T) {
	t.Parallel()
	testkit.NeedChromium.OrSkip(t)
	y := newYard(t)
	for run := range testkit.Scaled(20, 2) {
		when := killings[(run+1)%len(killings)]
		t.Run(fmt.Sprint(run, " ", when), func(t *testing.T) { y.killBrowser(t, fmt.Sprint("k", run), when) })
	}
}

// keptAct is an act as the phone keeps it.
type keptAct struct {
	Kind, Status, At string
}

func (y *yard) killBrowser(t *testing.T, name, when string) {
	r := y.newRider(t, name)
	order := y.assigned(t, r, name)
	y.Clock.Advance(10 * time.Second)
	folder := t.TempDir()
	// The app has been used before: of a site that is new to the browser, its last half
	// minute may be lost.
	y.runPhone(t, folder, r, "open", when, order)
	first := y.runPhone(t, folder, r, "tap", when, order)
	y.Clock.Advance(time.Minute)
	second := y.runPhone(t, folder, r, "send", when, order)
	want := first.Tapped
	if when == "storing" { // the last tap may have been stored, as a whole
		want = second.Stored
	}
	if n := len(want); n != 2 && n != 4 || n == 2 && when != "storing" {
		t.Fatalf("got the acts %v, want two or all four", want)
	}
	if len(second.Refused) > 0 || second.Waiting > 0 {
		t.Errorf("got the refusals %v and %d waiting acts, want none", second.Refused, second.Waiting)
	}
	y.compareKept(t, order, want)
}

// compareKept compares the record of an order with the acts of its courier.
func (y *yard) compareKept(t *testing.T, order string, want []keptAct) {
	t.Helper()
	read := y.desk.Call(t, "GET", "/ops/v1/orders/"+order, nil).Must(t, http.StatusOK)
	var got []keptAct
	for i := 3; i < read.Len("order", "status_history"); i++ { // after pending, accepted and courier_assigned
		got = append(got, keptAct{"move", read.Text("order", "status_history", i, "status"), read.Text("order", "status_history", i, "timestamp")})
	}
	for i := range read.Len("proofs") {
		got = append(got, keptAct{read.Text("proofs", i, "kind"), "", read.Text("proofs", i, "at")})
	}
	slices.SortFunc(got, func(a, b keptAct) int { return strings.Compare(a.At, b.At) })
	if !slices.Equal(got, want) {
		t.Errorf("got the acts %v, want %v", got, want)
	}
}

// phoneReport is what testdata/killed.js returns.
type phoneReport struct {
	Tapped, Stored []keptAct
	Refused        []string
	Waiting        int
}

// runPhone starts a browser on a folder, runs a part of testdata/killed.js in it, and kills
// it, except after the part "open".
func (y *yard) runPhone(t *testing.T, folder string, r *apptest.Operator, part, when, order string) phoneReport {
	t.Helper()
	chromium, err := browser.StartIn(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	end := chromium.Kill
	if part == "open" {
		end = chromium.Quit
	}
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	page, err := chromium.Open(y.address+"/courier", browser.Reader{Language: "en", Width: 360, Scripts: true}, browser.Options{Cookie: session + "=" + r.Visit(t).Cookies[session], Now: y.Clock.Now()})
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/killed.js")
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(map[string]any{"part": part, "when": when, "owner": r.OperatorID, "order": order, "picture": drawing(1)})
	if err != nil {
		t.Fatal(err)
	}
	report, err := browser.Evaluate[phoneReport](page, fmt.Sprintf("(%s)(%s)", script, arguments))
	if err != nil {
		t.Fatal(err)
	}
	return report
}
