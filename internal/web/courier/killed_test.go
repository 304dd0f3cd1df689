package courier_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
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
	testkit.NeedFullLength.OrSkip(t)
	testkit.NeedChromium.OrSkip(t)
	y := newYard(t)
	used := y.usedProfile(t)
	for run := range 20 {
		when := killings[run%len(killings)]
		t.Run(fmt.Sprint(run, " ", when), func(t *testing.T) { y.killBrowser(t, used, fmt.Sprint("k", run), when) })
	}
}

// usedProfile returns the folder of a browser in which the app has been used before. Chromium
// writes a site that is new to it into its list of sites half a minute later, and loses all
// that the site has stored if it is killed before that.
func (y *yard) usedProfile(t *testing.T) string {
	t.Helper()
	folder, r := t.TempDir(), y.newRider(t, "first")
	chromium := y.runPhone(t, folder, r, "open", "", "", nil)
	defer chromium.Close()
	site, list := strings.TrimPrefix(y.address, "http://"), filepath.Join(folder, "Default", "WebStorage", "QuotaManager")
	for late := time.After(repeatable.Hang); ; {
		content, err := os.ReadFile(list)
		if err == nil && bytes.Contains(content, []byte(site)) {
			return folder
		}
		select {
		case <-late:
			t.Fatalf("%s has no %s, %v", list, site, err)
		case <-time.After(repeatable.Poll):
		}
	}
}

// keptAct is an act as the phone keeps it.
type keptAct struct {
	Kind, Status, At string
}

func (y *yard) killBrowser(t *testing.T, used, name, when string) {
	t.Helper()
	r := y.newRider(t, name)
	order := y.assigned(t, r, name)
	y.Clock.Advance(10 * time.Second)
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(used)); err != nil {
		t.Fatal(err)
	}
	var first, second phoneReport
	y.kill(t, y.runPhone(t, folder, r, "tap", when, order, &first))
	y.Clock.Advance(time.Minute)
	y.kill(t, y.runPhone(t, folder, r, "send", when, order, &second))
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
		got = append(got, keptAct{"move", read.Text("order", "status_history", i,
			"status"), read.Text("order", "status_history", i, "timestamp")})
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

// kill ends a browser as a crash does.
func (y *yard) kill(t *testing.T, chromium *browser.Browser) {
	t.Helper()
	if err := chromium.Kill(); err != nil {
		t.Error(err)
	}
}

// runPhone starts a browser on a folder, and runs a part of testdata/killed.js in it. The
// browser is still running when it returns.
func (y *yard) runPhone(
	t *testing.T, folder string, r *apptest.Operator, part, when, order string, report *phoneReport,
) *browser.Browser {
	t.Helper()
	chromium, err := browser.StartIn(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	page, err := chromium.Open(y.address+"/courier", browser.Reader{Language: "en", Width: 360, Scripts: true},
		browser.Options{Cookie: session + "=" + r.Visit(t).Cookies[session], Kept: true, Now: y.Clock.Now()})
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/killed.js")
	if err != nil {
		t.Fatal(err)
	}
	arguments, err := json.Marshal(map[string]any{
		"part": part, "when": when, "owner": r.OperatorID, "order": order, "picture": drawing(1),
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := browser.Evaluate[phoneReport](page, fmt.Sprintf("(%s)(%s)", script, arguments))
	if err != nil {
		t.Fatal(err)
	}
	if report != nil {
		*report = got
	}
	return chromium
}
