package portal_test

import (
	"bytes"
	"html"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// systemClock makes a service run on the clock of the programs that call it.
func systemClock(_ *config.Config, world *app.Surroundings) {
	world.Now, world.At = time.Now, app.System().At
}

// pasted returns what each copy button of a page copies that creates an order, by the
// language of its program.
func pasted(t *testing.T, page *apptest.Answer) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, match := range regexp.MustCompile(`data-copy="([^"]*)" aria-label="Copy ([^"]*)"`).FindAllSubmatch(page.Body,
		-1) {
		if text := html.UnescapeString(string(match[1])); strings.Contains(text, "/v1/orders") {
			found[string(match[2])] = text
		}
	}
	return found
}

// TestProgramsOfFirstFiveMinutes makes a test key and runs what the page then has to be
// copied: all programs create one order, because they send the same request.
func TestProgramsOfFirstFiveMinutes(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, systemClock)
	owner := s.Register(t, "metro").Owner(t)
	made := owner.Send(t, owner.Open(t, "/portal/start"), "/portal/start").Must(t, http.StatusOK)
	programs := pasted(t, made)
	needs := map[string]testkit.Need{
		"curl": testkit.NeedCurl, "JavaScript": testkit.NeedNode, "Python": testkit.NeedPython,
	}
	for name, command := range map[string][]string{
		"curl": {"bash", "order.sh"}, "Go": {"go", "run", "order.go"}, "JavaScript": {"node", "order.mjs"},
		"Python": {"python3", "order.py"},
	} {
		t.Run(name, func(t *testing.T) {
			if need, some := needs[name]; some {
				need.OrSkip(t)
			}
			run := exec.CommandContext(t.Context(), command[0], command[1:]...) //nolint:gosec // a program of this repository
			run.Dir = t.TempDir()
			if err := os.WriteFile(filepath.Join(run.Dir, command[len(command)-1]), []byte(programs[name]), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := run.CombinedOutput()
			if err != nil || !bytes.Contains(out, []byte(`"status":"pending"`)) {
				t.Errorf("got %v and %s, want the record of an order", err, out)
			}
		})
	}
	if got := s.Query(t, "SELECT count(*) FROM orders"); got[0] != "1" {
		t.Errorf("got %s orders, want one from all programs", got[0])
	}
}

// TestProgramsSignAsTheExamples compares the signing functions with those of
// examples/signing, which are tested with known answers, and the receiver with that of
// docs/webhooks.md. The programs leave out the comments.
func TestProgramsSignAsTheExamples(t *testing.T) {
	t.Parallel()
	comments := regexp.MustCompile(`(?s)    """.*?"""\n`)
	for _, c := range []struct{ sample, example, from, to string }{
		{"../samples/templates/request.gotext", "../../../examples/signing/sign.go", "func sign(", "\n}\n"},
		{"../samples/templates/request.gotext", "../../../examples/signing/sign.go", "func digest(", "\n}\n"},
		{"../samples/templates/request.mjs", "../../../examples/signing/sign.mjs", "function sign(", "\n}\n"},
		{"../samples/templates/request.py", "../../../examples/signing/sign.py", "def sign(", "\n\n\n"},
		{"samples/receiver.py", "../../../docs/webhooks.md", "import hashlib, ", "```\n"},
	} {
		_, begun, _ := strings.Cut(comments.ReplaceAllString(read(t, c.example), ""), c.from)
		body, _, found := strings.Cut(begun, c.to)
		if want := c.from + body; !found || !strings.Contains(read(t, c.sample), want) {
			t.Errorf("%s: got a program without this part of %s:\n%s", c.sample, c.example, want)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// pace is the time between two steps of a test order.
const pace = time.Minute

// TestFirstFiveMinutes goes from nothing to a delivered webhook by clicks: a key, an
// endpoint, an order, which is delivered by itself.
func TestFirstFiveMinutes(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.Webhooks(), func(c *config.Config, _ *app.Surroundings) { c.SimulatePace = pace })
	metro := s.Register(t, "metro")
	owner := metro.Owner(t)
	shows := func(when string, done int, texts ...string) *apptest.Answer {
		t.Helper()
		page := owner.Open(t, "/portal/start").Must(t, http.StatusOK)
		if got := bytes.Count(page.Body, []byte(">Done<")); got != done {
			t.Errorf("%s: got %d steps done, want %d:\n%s", when, got, done, page.Body)
		}
		for _, text := range texts {
			if !bytes.Contains(page.Body, []byte(text)) {
				t.Errorf("%s: got a page without %q:\n%s", when, text, page.Body)
			}
		}
		return page
	}
	nothing := shows("at first", 0, "Make a test key first.", "sk_test_…")
	key := withKey(t, metro, owner.Send(t, nothing, "/portal/start").Must(t, http.StatusOK))
	key.Call(t, "GET", "/v1/inventory/products", nil).Must(t, http.StatusOK)
	page := shows("with a key", 1, key.PublicKey, "sk_test_…")
	if bytes.Contains(page.Body, []byte(key.SecretKey)) {
		t.Errorf("got the secret key a second time:\n%s", page.Body)
	}
	receiver := apptest.NewReceiver(t)
	key.SetEndpoint(t, receiver.URL)
	page = shows("with an endpoint", 2, receiver.URL)
	for range 2 { // a form that is sent twice counts once
		owner.Send(t, page, "/portal/start/order").Must(t, http.StatusSeeOther)
	}
	orders := key.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusOK)
	orderID := orders.Text("orders", 0, "order_id")
	if orders.Len("orders") != 1 {
		t.Fatalf("got %s, want one order", orders.Body)
	}
	shows("with an order", 3, "/portal/orders/"+orderID+"?mode=test", "data-live")

	for _, status := range []string{
		"accepted", "courier_assigned", "picked_up", "in_transit", "out_for_delivery", "delivered",
	} {
		s.Clock.Advance(pace)
		s.Until(t, "SELECT status FROM orders", status)
		receiver.Next(t)
	}
	s.Until(t, "SELECT count(*) FROM events WHERE state = 'delivered'", "6")
	shows("in the end", 5, "Order delivered")
	if live := metro.Call(t, "GET", "/v1/orders", nil).Must(t, http.StatusOK); live.Len("orders") != 0 {
		t.Errorf("got %s in live mode, want no order", live.Body)
	}
}
