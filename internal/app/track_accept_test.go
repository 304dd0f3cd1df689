package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// browserAccept is what browsers send when a person opens an address.
const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"

// TestTrackingAsPageOrJSON opens the address of an order as browsers and programs do: both
// get the order, and errors, in the form that they prefer.
func TestTrackingAsPageOrJSON(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.StrangerLimit(12))
	metro := service.Register(t, "metro")
	path := "/track/" + metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	check := func(path, accept string, status int, kind string) {
		t.Helper()
		var headers []string
		if accept != "" {
			headers = []string{"Accept", accept}
		}
		got := service.Do(t, "GET", path, nil, headers...).Must(t, status)
		if !strings.HasPrefix(got.Header.Get("Content-Type"), kind) {
			t.Errorf("%s, Accept %q: got %d as %s, want %s", path, accept, status, got.Header.Get("Content-Type"), kind)
		}
		if vary := got.Header.Values("Vary"); !slices.Contains(vary, "Accept") {
			t.Errorf("%s, Accept %q: got %d with Vary %q, want Accept among them", path, accept, status, vary)
		}
		if shared := got.Header.Get("Access-Control-Allow-Origin"); status == 200 &&
			(shared == "*") != (kind == "application/json") {
			t.Errorf("%s as %s: got Access-Control-Allow-Origin %q, want only JSON read by other sites", path, kind, shared)
		}
	}
	check(path, browserAccept, 200, "text/html")
	for _, accept := range []string{
		"", "*/*", "application/json", "application/json, text/html", "text/html;q=0.5, application/json",
	} {
		check(path, accept, 200, "application/json")
	}
	check(path+"/html", "application/json", 200, "text/html") // which is a page only
	for _, unknown := range []string{"/track/ord_unknown", "/track/ord_unknown/html"} {
		check(unknown, browserAccept, 404, "text/html")
		check(unknown, "text/html;q=0.5, application/json", 404, "application/json")
	}
	check(path, "application/json", 200, "application/json")
	check(path, browserAccept, 429, "text/html")
	check(path, "*/*", 429, "application/json")
}

// TestRecipientsPageIsThePage follows the links by which partners and operators show and copy
// the recipient's page.
func TestRecipientsPageIsThePage(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	metro := service.Register(t, "metro")
	id := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	page := "/track/" + id + "/html\""
	metro.Owner(t).Open(t, "/portal/orders/"+id).Shows(t, 200, `href="`+service.URL+page, `data-copy="`+service.URL+page)
	service.Operate(t).Visit(t).Open(t, "/console/orders/"+id).Shows(t, 200, `href="`+service.URL+page)
}
