package login_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

var (
	tracked    = regexp.MustCompile(`href="(/track/[^"]+/html)"`)
	accountant = regexp.MustCompile(`(?m)^ *accountant +(\S+) +password (\S+)$`)
)

// TestDemo enters the demo with one click by each door, as the accountant with the password that was printed, and
// follows the order that is on its way.
func TestDemo(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	s := apptest.Start(t, apptest.Demo(&printed))
	if want := "Dropyard is ready at " + s.URL + "/\n"; !strings.HasPrefix(printed.String(), want) {
		t.Errorf("got\n%s\nwant it to begin with %q", printed.String(), want)
	}
	for name, want := range map[string]string{"partner": "/portal", "operator": "/console", "courier": "/courier"} {
		c := comes(s)
		c.Send(t, c.Open(t, "/"), "/demo/"+name).Leads(t, want)
		if name == "operator" {
			c.Open(t, want).Leads(t, "/console/board")
			continue
		}
		page := c.Open(t, want).Must(t, 200)
		if name == "partner" {
			for _, order := range []string{"ÉPI-1041", "ÉPI-1042", "ÉPI-1043", "ÉPI-1044", "Out for delivery", "Delivered"} {
				page.Shows(t, 200, order)
			}
		}
	}
	account := accountant.FindStringSubmatch(printed.String())
	if account == nil {
		t.Fatalf("got no accountant printed:\n%s", printed.String())
	}
	books := comes(s)
	books.Fill(t, "/console/login", "email", account[1], "password", account[2]).Leads(t, "/console")
	books.Open(t, "/console").Leads(t, "/console/money")
	link := tracked.FindSubmatch(comes(s).Open(t, "/").Body)
	if link == nil {
		t.Fatal("got no link to an order on its way")
	}
	comes(s).Open(t, string(link[1])).Shows(t, 200, "Out for delivery")
}

// TestDemoIsForThisMachine asks for the demo's sign-in as others do: through a proxy,
// under another name, and from another site.
func TestDemoIsForThisMachine(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	s := apptest.Start(t, apptest.Demo(&printed))
	for name, header := range map[string][2]string{
		"proxy": {
			"X-Forwarded-For", "203.0.113.9",
		}, "proxy with Forwarded": {"Forwarded", "for=203.0.113.9"}, "Via": {"Via", "1.1 proxy"},
		"another name": {"Host", "evil.example"}, "another site": {"Sec-Fetch-Site", "cross-site"},
	} {
		got := s.Do(t, "POST", "/demo/operator", nil, "Accept", "text/html", header[0], header[1])
		want := 404
		switch header[0] {
		case "Sec-Fetch-Site":
			want = 403
		case "Host":
			want = 421
		}
		if got.Status != want || got.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: got status %d and cookie %q, want %d and none", name, got.Status, got.Header.Get("Set-Cookie"), want)
		}
		if page := string(s.Do(t, "GET", "/", nil, header[0], header[1]).Body); strings.Contains(page, "/demo/") &&
			header[0] != "Sec-Fetch-Site" {
			t.Errorf("%s: got a page with the demo's forms:\n%s", name, page)
		}
	}
	s.Do(t, "GET", "/demo/operator", nil).Refused(t, 405, "method_not_allowed")
}

// TestNoDemo: without --demo there is no way in without a password.
func TestNoDemo(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	for _, name := range []string{"partner", "operator", "courier"} {
		s.Do(t, "POST", "/demo/"+name, nil).Refused(t, 404, "not_found")
	}
	if page := string(s.Do(t, "GET", "/", nil).Body); strings.Contains(page, "/demo/") {
		t.Errorf("got a page with the demo's forms:\n%s", page)
	}
}
