package api

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"path"
	"strings"
	"testing"
)

// FuzzPath: a path that is clean meets the route whose pattern it has, and is never
// redirected. The pattern has as many parts as the path, and no value is empty.
func FuzzPath(f *testing.F) {
	for _, path := range []string{
		"/v1/orders", "/v1/orders/ord_3kq9w0zt01hb7m2x9p4c6r8d0f1g2h3j", "/v1/orders/%2e%2e/cancel", "/v1//orders",
		"/v1/orders/", "/proofs/a.png", "/ops/v1/partners/par_3kq9w0zt/products/7", "/v1/orders/a%2Fb", "/track/x/html",
		"/\x00", "//evil.example/",
	} {
		f.Add(path)
	}
	mux, patterns := http.NewServeMux(), map[string]bool{}
	for _, route := range Routes() {
		if !patterns[route.Pattern] {
			patterns[route.Pattern] = true
			mux.HandleFunc(route.Pattern, func(_ http.ResponseWriter, r *http.Request) { checkValues(r) })
		}
	}
	f.Fuzz(func(t *testing.T, sent string) {
		target, err := url.ParseRequestURI(sent)
		if err != nil || target.Host != "" || target.Path != path.Clean(target.Path) || !strings.HasPrefix(target.Path, "/") {
			return
		}
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.URL = target
		response := httptest.NewRecorder()
		mux.ServeHTTP(response, request)
		if response.Code != http.StatusOK && response.Code != http.StatusNotFound {
			t.Fatalf("%q: got status %d, want 200 or 404", sent, response.Code)
		}
	})
}

// checkValues panics unless every value in the path of a request is a part of it.
func checkValues(r *http.Request) {
	for part := range strings.SplitSeq(r.Pattern, "/") {
		name, value := strings.CutPrefix(strings.TrimSuffix(part, "}"), "{")
		if value && !strings.HasSuffix(name, "...") && name != "$" && r.PathValue(name) == "" {
			panic("the value " + name + " of " + r.Pattern + " is empty for " + r.URL.Path)
		}
	}
}
