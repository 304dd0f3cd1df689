package app_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// TestUnknownPaths requests paths that resemble existing ones. Each gets 404 in
// JSON and never a redirect.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	untouched(t, partner, func() {
		for _, path := range []string{
			"/v1", "/v1/", "/v1/orders/", "//v1/orders", "/v1//orders", "/v1/orders//", "/v1/./orders", "/./v1/orders",
			"/v1/x/../orders", "/../v1/orders", "/v1/orders/.", "/v1/orders/..", "/v1/%2e/orders", "/v1/x/%2e%2e/orders",
			"/v1/x/%2E%2E/orders", "/v1/orders/%2e%2e", "/v1/orders%2f", "/v1%2forders", "/v1/orders%00", "/v1/orders;x=1",
			"/v1/orders%3Flimit=1", "/v1/orders%20", "/V1/orders", "/v1/Orders", "/v2/orders", "/orders", "/v1/orders.json",
			"/v1/orders/" + id + "/", "/v1/orders/" + id + "/cancel/", "/v1/orders/" + id + "//cancel",
			"/v1/orders/" + id + "/other", "/track", "/track/", "/track/" + id + "/", "/track/" + id + "/HTML",
			"/ops/v1/orders/", "/ops/v1/tokens/", `/v1/orders\..`, "/v1/orders/" + id + "%2fcancel%2f", "/v1/%6frders/",
			"/v1/auth", "/v1/auth/api-keys/", "/favicon.ico", "/.env", "/v1/orders/%2e%2e/%2e%2e/etc/passwd",
		} {
			for _, method := range []string{"GET", "POST"} {
				got := service.Raw(t, method, path, "",
					append(partner.Signed(method, path, nil), "Idempotency-Key", uuid.NewString())...)
				if got.Refused(t, 404, "not_found"); got.Header.Get("Location") != "" {
					t.Errorf("%s: got a redirect to %s, want none", path, got.Header.Get("Location"))
				}
			}
		}
	})
}

// TestPathsWithASlashAtTheEnd requests the pages that have one, and pages beside them.
func TestPathsWithASlashAtTheEnd(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	for path, want := range map[string]int{
		"/docs": 200, "/docs/": 200, "/downloads/": 200, "/docs//": 404, "//docs/": 404, "/docs/api/": 404, "/portal/": 308,
		"/downloads/go/": 404, "/downloads//": 404, "/console/board/": 308, "/console//": 404, "/console/none/": 404,
		"//example.com/": 404, "/console%2f": 404, "/v1/": 404, "/v1/orders/": 404,
	} {
		service.Raw(t, "GET", path, "").Must(t, want)
	}
	for path, want := range map[string]string{
		"/console/": "/console", "/console/board/?mode=test&x=%20": "/console/board?mode=test&x=%20",
	} {
		if got := service.Raw(t, "GET", path, "").Must(t, 308).Header.Get("Location"); got != want {
			t.Errorf("%s: got the location %q, want %q", path, got, want)
		}
	}
	service.Raw(t, "POST", "/console/", "").Must(t, 404)
	if got := service.Raw(t, "GET", "/downloads", "").Must(t, 307).Header.Get("Location"); got != "/downloads/" {
		t.Errorf("/downloads: got the location %q, want /downloads/", got)
	}
}

// TestMalformedIDs sends valid requests with ids that cannot exist, wherever a path has
// one. Each gets 404.
func TestMalformedIDs(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, operator := service.Register(t, "metro"), service.Operate(t)
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	untouched(t, partner, func() {
		for _, none := range []string{
			"x", "%00", "%ff", "%20", "*", "'", "%22", "%25", "..%2f" + id, id + "%00", id + "%20", "%20" + id, id[:len(id)-1],
			id + "0", id[4:], strings.ToUpper(id), "par_" + id[4:], "ord_" + strings.Repeat("0", 32),
			"ord_" + strings.Repeat("z", 32), strings.Repeat("9", 10_000), "é", "\xff",
		} {
			get := "/v1/orders/" + none
			cancel, move := get+"/cancel", "/ops/v1/orders/"+none+"/status"
			if none != "é" && none != "\xff" { // HTTP escapes these, so that the path differs from the signed one
				event := "/v1/webhooks/events/" + none
				service.Raw(t, "GET", event, "", partner.Signed("GET", event, nil)...).Refused(t, 404, "not_found")
				service.Raw(t, "GET", get, "", partner.Signed("GET", get, nil)...).Refused(t, 404, "not_found")
				service.Raw(t, "POST", cancel, "",
					append(partner.Signed("POST", cancel, nil), "Idempotency-Key", uuid.NewString())...).Refused(t, 404, "not_found")
			}
			service.Raw(t, "GET", "/track/"+none, "").Refused(t, 404, "not_found")
			service.Raw(t, "GET", "/track/"+none+"/html", "").Refused(t, 404, "not_found")
			service.Raw(t, "POST", move, `{"status":"accepted"}`, "Authorization", "Bearer "+operator.Token).Refused(t, 404,
				"not_found")
			product := `{"name":"x","price":1,"stock_min":0,"stock_max":1}`
			service.Raw(t, "POST", "/ops/v1/partners/"+none+"/products", product, "Authorization",
				"Bearer "+operator.Token).Refused(t, 404, "not_found")
			service.Raw(t, "DELETE", "/v1/auth/api-keys/"+none, "", partner.Login()...).Refused(t, 404, "not_found")
		}
	})
}

// TestWrongMethods gets 405 and the methods that are allowed.
func TestWrongMethods(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	allowed := map[string]string{
		"/v1/health":                   "GET, HEAD",
		"/v1/ready":                    "GET, HEAD",
		"/v1/orders":                   "GET, HEAD, POST",
		"/v1/orders/" + id:             "GET, HEAD, PATCH",
		"/v1/orders/" + id + "/cancel": "POST",
		"/v1/rates/quote":              "POST",
		"/v1/rates/quotes":             "POST",
		"/v1/orders/x/label-link":      "POST",
		"/v1/orders/x/label/y":         "GET, HEAD",
		"/v1/auth/api-keys":            "GET, HEAD, POST",
		"/v1/auth/api-keys/x":          "DELETE",
		"/v1/auth/register":            "POST",
		"/track/" + id:                 "GET, HEAD",
		"/ops/v1/tokens":               "GET, HEAD, POST",
		"/v1/orders/batch":             "POST", // not those of /v1/orders/{order_id}
		"/ops/v1/partners/" + partner.PartnerID + "/products/export": "GET, HEAD",
		"/v1/webhooks/endpoint": "DELETE, GET, HEAD, PUT",
		"/v1/webhooks/events":   "GET, HEAD",
		"/v1/webhooks/test":     "POST",
	}
	untouched(t, partner, func() {
		for path, allow := range allowed {
			for _, method := range []string{"PUT", "PATCH", "OPTIONS", "TRACE", "BREW", "get", "post", "PROPFIND", "CONNECT"} {
				if slices.Contains(strings.Split(allow, ", "), method) {
					continue
				}
				got := service.Raw(t, method, path, "",
					append(partner.Signed(method, path, nil), "Origin", "https://example.com", "Connection", "close")...)
				if got.Refused(t, 405, "method_not_allowed"); got.Header.Get("Allow") != allow {
					t.Errorf("%s %s: got Allow %q, want %q", method, path, got.Header.Get("Allow"), allow)
				}
				if got.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s %s: got Access-Control-Allow-Origin, want none", method, path)
				}
			}
		}
		service.Raw(t, "OPTIONS", "*", "").Refused(t, 404, "not_found")
		service.Raw(t, "POST", "/v1/orders/"+id, "").Refused(t, 405, "method_not_allowed")
		service.Raw(t, "GET", "/v1/orders/"+id+"/cancel", "").Refused(t, 405, "method_not_allowed")
	})
}

// TestHead compares HEAD with GET: the headers are equal, and there is no body.
func TestHead(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	id := partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	for target, signed := range map[string]bool{
		"/v1/health": false, "/v1/orders?limit=1": true, "/v1/orders/" + id: true, "/track/" + id: false,
		"/track/" + id + "/html": false,
	} {
		var get, head []string
		if signed {
			get, head = partner.Signed("GET", target, nil), partner.Signed("HEAD", target, nil)
		}
		get = append(get, "Accept-Encoding", "identity") // the client of the test asks for gzip by itself
		want, got := service.Do(t, "GET", target, nil, get...).Must(t,
			200), service.Raw(t, "HEAD", target, "", head...).Must(t, 200)
		if len(got.Body) != 0 || got.Header.Get("Content-Length") != want.Header.Get("Content-Length") ||
			got.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: got headers %v, want those of GET: %v", target, got.Header, want.Header)
		}
	}
	service.Raw(t, "HEAD", "/v1/orders", "", partner.Signed("GET", "/v1/orders", nil)...).Must(t, 401)
	service.Raw(t, "HEAD", "/v1/rates/quote", "").Must(t, 405)
}
