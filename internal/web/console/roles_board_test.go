package console_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/testkit"
)

var (
	// boardCalls are the calls of the operators' interface in the board's modules.
	boardCalls = regexp.MustCompile("(?:call|press)\\(\"([A-Z]+)\", [`\"](/[^`\"?]*)")
	// boardLinks are the links that its modules draw.
	boardLinks = regexp.MustCompile("href=\\$\\{`(/console[^`?]*)")
	inserted   = regexp.MustCompile(`\$\{[^}]*\}`)
)

// TestRolesUseWhatTheBoardDraws sends what the buttons of the board send, and opens what it
// links to, as each role that may open the board: nothing is refused because of the role.
func TestRolesUseWhatTheBoardDraws(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin, metro := s.Operate(t), s.Register(t, "metro")
	order := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated).Text("order_id")
	fill := func(path string) string {
		path = inserted.ReplaceAllString(path, "{id}")
		return strings.ReplaceAll(strings.ReplaceAll(path, "/couriers/{id}", "/couriers/"+admin.CourierID), "{id}", order)
	}
	var calls, links [][]string
	modules, err := filepath.Glob("assets/board/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range modules {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, boardCalls.FindAllStringSubmatch(string(source), -1)...)
		links = append(links, boardLinks.FindAllStringSubmatch(string(source), -1)...)
	}
	if len(calls) < 12 || len(links) < 4 {
		t.Fatalf("got %d calls and %d links in the modules of the board, want those that they have", len(calls), len(links))
	}
	for _, role := range operator.Roles {
		if !admits(t, "/console/board", role) {
			continue
		}
		as := admin.As(t, string(role))
		for _, call := range calls {
			if strings.HasPrefix(call[2], "/journal") && !admits(t, "/console/money", role) {
				continue // see readsBooks in charged.js
			}
			// A call without a body changes nothing: it is refused, but not because of the role.
			if got := as.Call(t, call[1], "/ops/v1"+fill(call[2]), nil); got.Status == http.StatusForbidden ||
				got.Status == http.StatusMethodNotAllowed {
				t.Errorf("%s: %s %s: got status %d, want a call that the role may send", role, call[1], call[2], got.Status)
			}
		}
		v := as.Visit(t)
		books := strings.Contains(string(v.Open(t, "/console/board").Body), ` data-books="true"`)
		if books != admits(t, "/console/money", role) {
			t.Errorf("%s: got a board that shows charges: %t, want it for those who read the books", role, books)
		}
		for _, link := range links {
			if got := v.Open(t, fill(link[1])); got.Status != http.StatusOK {
				t.Errorf("%s: %s: got status %d, want a page that the role may open", role, link[1], got.Status)
			}
		}
	}
}
