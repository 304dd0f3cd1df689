package portal_test

import (
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// shows fails the test for each text that a page lacks, or has although it is absent.
func shows(t *testing.T, name string, page *apptest.Answer, want, absent []string) {
	t.Helper()
	shown := string(page.Body)
	for _, text := range want {
		if !strings.Contains(shown, text) {
			t.Errorf("%s: got a page without %q:\n%s", name, text, shown)
		}
	}
	for _, text := range absent {
		if strings.Contains(shown, text) {
			t.Errorf("%s: got a page with %q:\n%s", name, text, shown)
		}
	}
}

// TestOrderList narrows the list by status and search. Orders of other partners and of
// the other mode are not found.
func TestOrderList(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	first := metro.Create(t, testkit.OrderJSON("LIVE-1", "")).Must(t, 201).Text("order_id")
	second := metro.Create(t, testkit.OrderJSON("LIVE-2", "")).Must(t, 201).Text("order_id")
	metro.Cancel(t, second, "").Must(t, 200)
	metro.InTest(t).Create(t, testkit.OrderJSON("TEST-1", "")).Must(t, 201)
	nord := s.Register(t, "nord").Create(t, testkit.OrderJSON("NORD-1", "")).Must(t, 201).Text("order_id")
	owner, reader := metro.Owner(t), metro.As(t, "reader")
	for _, c := range []struct {
		who          *apptest.User
		query        string
		want, absent []string
	}{
		{owner, "", []string{"LIVE-1", "LIVE-2", "2 orders", "New order"}, []string{"TEST-1", "NORD-1"}},
		{owner, "?mode=test", []string{"TEST-1", `href="/portal/orders?mode=test&amp;status=pending"`}, []string{"LIVE-1"}},
		{owner, "?status=cancelled", []string{"LIVE-2", `status=cancelled" aria-current`}, []string{"LIVE-1"}},
		{owner, "?status=failed", []string{"No order is in this status.", "Show all orders"}, []string{"LIVE-1"}},
		{owner, "?status=lost&cursor=none", []string{"LIVE-1", "LIVE-2"}, nil},
		{owner, "?q=+LIVE-1", []string{"LIVE-1"}, []string{"LIVE-2"}},
		{owner, "?q=LIVE", []string{"No order matches “LIVE”."}, []string{"LIVE-1"}},
		{owner, "?q=" + nord, []string{"No order matches"}, []string{"NORD-1"}},
		{reader, "", []string{"LIVE-1"}, []string{`href="/portal/orders/new"`}},
	} {
		shows(t, "/portal/orders"+c.query, c.who.Open(t, "/portal/orders"+c.query).Must(t, http.StatusOK), c.want, c.absent)
	}
	owner.Open(t, "/portal/orders?q=%ff%00").Must(t, http.StatusBadRequest)
	if got := owner.Open(t, "/portal/orders?q="+first).Must(t,
		http.StatusSeeOther).Header.Get("Location"); got != "/portal/orders/"+first {
		t.Errorf("search for %s: got to %q, want to the order", first, got)
	}
}

var (
	olderLink = regexp.MustCompile(`rel="next" href="([^"]+)"`)
	batched   = regexp.MustCompile(`>(B-[0-9]{5})</a>`)
)

// TestOrderListPages follows the pages of a list to its end, where every order has been
// shown once. At full length the list is long.
func TestOrderListPages(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	orders := 120
	if testkit.Long() {
		orders = 10_000
	}
	createBatches(t, metro, orders)
	owner := metro.Owner(t)
	found, pages := map[string]bool{}, 0
	for path := "/portal/orders?status=pending"; path != ""; pages++ {
		shown := string(owner.Open(t, path).Must(t, http.StatusOK).Body)
		for _, match := range batched.FindAllStringSubmatch(shown, -1) {
			if found[match[1]] {
				t.Errorf("%s: got %s again", path, match[1])
			}
			found[match[1]] = true
		}
		path = ""
		if next := olderLink.FindStringSubmatch(shown); next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	if want := (orders + 49) / 50; pages != want || len(found) != orders {
		t.Errorf("got %d orders on %d pages, want %d on %d", len(found), pages, orders, want)
	}
}

// createBatches creates orders named B-00000 and so on.
func createBatches(t testing.TB, p *apptest.Partner, orders int) {
	t.Helper()
	const size = 200
	for from := 0; from < orders; from += size {
		var list []string
		for i := from; i < min(from+size, orders); i++ {
			list = append(list, string(testkit.OrderJSON(fmt.Sprintf("B-%05d", i), "")))
		}
		body := []byte(`{"orders":[` + strings.Join(list, ",") + `]}`)
		p.Call(t, "POST", "/v1/orders/batch", body, "Idempotency-Key", uuid.NewString()).Must(t, http.StatusOK)
	}
}

// TestDamagedOrderIsListed shows that there is an order that cannot be read.
func TestDamagedOrderIsListed(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	metro.Create(t, testkit.OrderJSON("LIVE-1", "")).Must(t, 201)
	damaged := metro.Create(t, testkit.OrderJSON("LIVE-2", "")).Must(t, 201).Text("order_id")
	s.Execute(t, fmt.Sprintf(`UPDATE orders SET document = '{' WHERE order_id = '%s'`, damaged))
	shown := metro.Owner(t).Open(t, "/portal/orders").Must(t, http.StatusOK)
	shows(t, "list", shown, []string{"LIVE-1", "This order cannot be read at the moment."}, []string{"LIVE-2"})
}

// TestOrdersOfDays narrows the list to days of the place of the pickup, and downloads the same orders. The first
// order is created at 15:00 on 14 January in UTC, the second twelve hours later, which is the same day in Montréal.
func TestOrdersOfDays(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated)
	s.Clock.Advance(12 * time.Hour)
	metro.Create(t, testkit.OrderJSON("A-2", "")).Must(t, http.StatusCreated)
	owner := metro.Owner(t)
	for query, c := range map[string]struct{ want, absent []string }{
		"?from=2026-01-14&to=2026-01-14":       {[]string{">A-1</a>", ">A-2</a>", `href="/portal/orders.csv?from=2026-01-14&amp;to=2026-01-14"`}, nil},
		"?from=2026-01-15":                     {[]string{"Show all orders"}, []string{">A-1</a>", ">A-2</a>"}},
		"?to=2026-01-13":                       {[]string{"Show all orders"}, []string{">A-1</a>", ">A-2</a>"}},
		"?from=2026-01-14&q=A-2":               {[]string{">A-2</a>"}, []string{">A-1</a>"}},
		"?from=2026-01-14&status=cancelled":    {[]string{"No order is in this status."}, []string{">A-1</a>"}},
		"?from=2026-01-14&to=2026-01-14&q=A-1": {[]string{">A-1</a>"}, []string{">A-2</a>"}},
	} {
		shows(t, query, owner.Open(t, "/portal/orders"+query).Must(t, http.StatusOK), c.want, c.absent)
	}
	shows(t, "no date", owner.Open(t, "/portal/orders?from=14.1.").Must(t, http.StatusUnprocessableEntity),
		[]string{"A date, such as"}, nil)
	owner.Open(t, "/portal/orders.csv?from=14.1.").Must(t, http.StatusUnprocessableEntity)
	file := string(owner.Open(t, "/portal/orders.csv?from=2026-01-14").Must(t, http.StatusOK).Body)
	lines := strings.Split(strings.TrimSpace(file), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], ",A-2,") || !strings.Contains(lines[2], ",A-1,") ||
		!strings.Contains(lines[2], ",65.34,CAD") {
		t.Errorf("got the file\n%s\nwant both orders, the newest first", file)
	}
	if one := string(owner.Open(t, "/portal/orders.csv?q=A-1").Must(t, http.StatusOK).Body); strings.Contains(one, "A-2") {
		t.Errorf("got the file\n%s\nwant A-1 only", one)
	}
}
