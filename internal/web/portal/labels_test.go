package portal_test

import (
	"bytes"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// labelsOf returns the path of the labels of orders.
func labelsOf(orderIDs ...string) string {
	return "/portal/orders/labels?" + url.Values{"order_id": orderIDs}.Encode()
}

// pagesOf returns how many pages a PDF has.
func pagesOf(t *testing.T, answer *apptest.Answer) int {
	t.Helper()
	answer.Must(t, http.StatusOK)
	if got := answer.Header.Get("Content-Type"); got != "application/pdf" {
		t.Fatalf("got %s, want a PDF:\n%.2000s", got, answer.Body)
	}
	return bytes.Count(answer.Body, []byte("/Type /Page\n"))
}

var (
	labelsLink = regexp.MustCompile(`href="(/portal/orders/labels\?[^"]+)">([^<]+)<`)
	choices    = regexp.MustCompile(`name="order_id" value="([^"]+)"`)
)

// TestLabelsOfOrders prints the orders that a list shows, and those that are chosen in it, in one file.
func TestLabelsOfOrders(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	var ids []string
	for i := range 3 {
		ids = append(ids, metro.Create(t, testkit.OrderJSON(fmt.Sprintf("LIVE-%d", i), "")).Must(t, 201).Text("order_id"))
	}
	metro.Cancel(t, ids[0], "").Must(t, 200)
	test := metro.InTest(t).Create(t, testkit.OrderJSON("TEST-1", "")).Must(t, 201).Text("order_id")
	other := s.Register(t, "nord").Create(t, testkit.OrderJSON("NORD-1", "")).Must(t, 201).Text("order_id")
	owner := metro.Owner(t)

	for query, want := range map[string]struct {
		text  string
		pages int
	}{
		"":                   {"Labels of these 3 orders (PDF)", 6},
		"?status=pending":    {"Labels of these 2 orders (PDF)", 4},
		"?status=cancelled":  {"Label of this order (PDF)", 2},
		"?mode=test":         {"Label of this order (PDF)", 2},
		"?lang=fr&q=LIVE-1":  {"Étiquette de cette commande (PDF)", 2},
		"?lang=en&q=missing": {"", 0},
	} {
		shown := owner.Open(t, "/portal/orders"+query).Must(t, http.StatusOK)
		link := labelsLink.FindStringSubmatch(string(shown.Body))
		if want.text == "" {
			if link != nil {
				t.Errorf("%s: got the link %q, want none", query, link[0])
			}
			continue
		}
		if link == nil || link[2] != want.text {
			t.Fatalf("%s: got the link %q, want %q", query, link, want.text)
		}
		if got := pagesOf(t, owner.Open(t, html.UnescapeString(link[1]))); got != want.pages {
			t.Errorf("%s: got %d labels, want %d", query, got, want.pages)
		}
		if got := choices.FindAllString(string(shown.Body), -1); len(got) != want.pages/2 {
			t.Errorf("%s: got the choices %q, want %d", query, got, want.pages/2)
		}
	}

	zpl := string(owner.Open(t, labelsOf(ids[1], ids[2], ids[1])+"&format=zpl").Must(t, http.StatusOK).Body)
	first, second := strings.Index(zpl, "LIVE-1"), strings.Index(zpl, "LIVE-2")
	if strings.Count(zpl, "^XA") != 4 || first < 0 || second < first {
		t.Errorf("got %d labels with LIVE-1 at %d and LIVE-2 at %d, want 4 in the order of the request",
			strings.Count(zpl, "^XA"), first, second)
	}

	for _, path := range []string{
		labelsOf(ids[1], test), labelsOf(ids[1]) + "&mode=test", labelsOf(other), labelsOf("ord_1"),
	} {
		owner.Open(t, path).Must(t, http.StatusNotFound)
	}
	owner.Open(t, labelsOf(ids[1])+"&format=gif").Must(t, http.StatusBadRequest)
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprintf("ord_%d", i)
	}
	owner.Open(t, labelsOf(many...)).Must(t, http.StatusBadRequest)
	nothing := owner.Open(t, labelsOf()).Must(t, http.StatusSeeOther).Header
	if nothing.Get("Location") != "/portal/orders" || !strings.HasPrefix(nothing.Get("Set-Cookie"), "flash=") {
		t.Errorf("nothing chosen: got %v, want a message on the list", nothing)
	}
	reader := metro.As(t, "reader")
	reader.Open(t, labelsOf(ids[1])).Must(t, http.StatusForbidden)
	shows(t, "reader", reader.Open(t, "/portal/orders"), []string{"LIVE-1"}, []string{"order_id", "orders/labels"})
}

// TestLabelsLeftOut: orders without a label are named, and the others can be printed without them.
func TestLabelsLeftOut(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro := s.Register(t, "metro")
	var ids []string
	for i := range 4 {
		body := bytes.ReplaceAll(testkit.OrderJSON(fmt.Sprintf("LIVE-%d", i), ""), []byte("alex@example.com"),
			fmt.Appendf(nil, "alex%d@example.com", i))
		ids = append(ids, metro.Create(t, body).Must(t, 201).Text("order_id"))
	}
	s.Execute(t, fmt.Sprintf(`UPDATE orders SET document = '{' WHERE order_id = '%s'`, ids[1]))
	s.Operate(t).Call(t, "POST", "/ops/v1/partners/"+metro.PartnerID+"/erasures",
		fmt.Appendf(nil, `{"order_ids":[%q],"force":true}`, ids[2])).Must(t, http.StatusOK)
	owner := metro.Owner(t)
	named := owner.Open(t, labelsOf(ids...)).Must(t, http.StatusOK)
	shows(t, "named", named, []string{
		"2 orders have no labels in the file", "LIVE-2", "personal data of this order was erased", ids[1],
		"cannot be read", "Labels of the other 2 orders (PDF)",
	}, []string{"LIVE-0", "LIVE-3"})
	link := labelsLink.FindStringSubmatch(string(named.Body))
	if link == nil {
		t.Fatal("got no link to the labels of the others")
	}
	if got := pagesOf(t, owner.Open(t, html.UnescapeString(link[1]))); got != 4 {
		t.Errorf("got %d labels, want 4", got)
	}
	alone := owner.Open(t, labelsOf(ids[2])).Must(t, http.StatusOK)
	shows(t, "alone", alone, []string{"One order has no label in the file"}, []string{"of the other"})
}
