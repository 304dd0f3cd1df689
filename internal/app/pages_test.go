package app_test

import (
	"image/color"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/web/page"
)

var loaded = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)

// TestFirstPage reads / and all that it loads. Documents are not cached, assets for
// ever.
func TestFirstPage(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	home := s.Do(t, "GET", "/", nil, "Accept-Language", "fr").Must(t, 200)
	if home.Header.Get("Cache-Control") != "no-store" || home.Header.Get("Content-Security-Policy") != page.Policy ||
		home.Header.Get("X-Request-Id") == "" {
		t.Errorf("got headers %v, want no-store, the policy and the id of the request", home.Header)
	}
	if !strings.Contains(string(home.Body), `<html lang="fr"`) ||
		!strings.Contains(string(home.Body), `href="/openapi.yaml"`) {
		t.Errorf("got\n%s\nwant the page in French, with the document of the interface", home.Body)
	}
	assets := loaded.FindAllStringSubmatch(string(home.Body), -1)
	if len(assets) < 4 {
		t.Fatalf("got the assets %q, want icon, style and scripts", assets)
	}
	for _, asset := range assets {
		got := s.Do(t, "GET", asset[1], nil).Must(t, 200)
		if got.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" ||
			got.Header.Get("Content-Type") == "application/json" {
			t.Errorf("%s: got headers %v, want it cached for ever", asset[1], got.Header)
		}
	}
	s.Do(t, "POST", "/", nil).Refused(t, 405, "method_not_allowed")
}

// TestRefusalsOfPages: a browser gets a page, any other client JSON.
func TestRefusalsOfPages(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.StrangerLimit(1))
	s.Do(t, "GET", "/assets/none.js", nil).Refused(t, 404, "not_found")
	missing := s.Do(t, "GET", "/assets/none.js", nil, "Accept", "text/html").Must(t, 404)
	if kind := missing.Header.Get("Content-Type"); kind != "text/html; charset=utf-8" ||
		!strings.Contains(string(missing.Body), missing.Header.Get("X-Request-Id")) {
		t.Errorf("got %s\n%s\nwant a page with the id of the request", kind, missing.Body)
	}
	s.Do(t, "GET", "/track/ord_1/html", nil, "Accept", "text/html").Must(t, 404)
	limited := s.Do(t, "GET", "/track/ord_1/html", nil, "Accept", "text/html").Must(t, 429)
	if !strings.Contains(string(limited.Body), "Too many requests") || limited.Header.Get("Retry-After") == "" {
		t.Errorf("got %v\n%s\nwant a page and Retry-After", limited.Header, limited.Body)
	}
	s.Do(t, "GET", "/track/ord_1/html", nil).Refused(t, 429, "rate_limited")
}

// TestTrackingPageIsThePartners shows an order under its partner's public name, logo
// and link, in its language, with the photo once it is delivered and without the
// signature.
func TestTrackingPageIsThePartners(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id := f.orderIn(t, "A-1", delivery.StatusOutForDelivery)
	path := "/track/" + id + "/html"
	if plain := f.Do(t, "GET", path, nil).Must(t, 200); !strings.Contains(string(plain.Body), "metro") ||
		strings.Contains(string(plain.Body), "<img") {
		t.Errorf("without a profile: got\n%s\nwant the name of the account and no picture", plain.Body)
	}
	owner := f.partner.Owner(t)
	owner.Call(t, "PATCH", "/v1/account",
		[]byte(`{"public_name":"Métro <Express>","support_url":"https://metro.example/aide","language":"fr"}`)).Must(t, 200)
	logo := f.Do(t, "PUT", "/v1/account/logo", drawingOf(t, color.Black, 64), "Cookie", owner.Cookie, "Content-Type",
		"image/png").Must(t, 200)
	photo := prove(t, f.operator, id, "photo", picture(1)).Must(t, 201).Text("url")
	signature := prove(t, f.operator, id, "signature", picture(2)).Must(t, 201).Text("url")

	before := string(f.Do(t, "GET", path, nil).Must(t, 200).Body)
	f.operator.Move(t, id, "delivered").Must(t, 200)
	after := string(f.Do(t, "GET", path, nil).Must(t, 200).Body)
	for _, want := range []string{
		"Métro &lt;Express&gt;", `href="https://metro.example/aide"`, strings.TrimPrefix(logo.Text("logo"), f.URL), "Livrée",
		strings.TrimPrefix(photo, f.URL),
	} {
		if !strings.Contains(after, want) {
			t.Errorf("got a page without %q:\n%s", want, after)
		}
	}
	if strings.Contains(before, strings.TrimPrefix(photo, f.URL)) ||
		strings.Contains(after, strings.TrimPrefix(signature, f.URL)) {
		t.Errorf("got the photo before the delivery, or the signature:\n%s\n%s", before, after)
	}
	inTest := f.partner.InTest(t).Create(t, testkit.OrderJSON("T-1", "")).Must(t, 201).Text("order_id")
	if got := string(f.Do(t, "GET", "/track/"+inTest+"/html", nil).Must(t, 200).Body); !strings.Contains(got,
		"Métro &lt;Express&gt;") {
		t.Errorf("in test mode: got a page without the partner's name:\n%s", got)
	}
}

// TestMistypedAddress responds with a page to browsers, and with JSON to programs and
// wherever only programs come.
func TestMistypedAddress(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	for path, wantPage := range map[string]bool{
		"/nothing": true, "/v1/nothing": false, "/ops/v1/nothing": false, "/track/a/b/c": false,
	} {
		for accept, browser := range map[string]bool{"text/html,application/xhtml+xml": true, "*/*": false} {
			got := s.Do(t, "GET", path, nil, "Accept", accept).Must(t, 404)
			if isPage := strings.HasPrefix(got.Header.Get("Content-Type"), "text/html"); isPage != (wantPage && browser) {
				t.Errorf("%s, Accept %s: got %s, want a page: %t", path, accept, got.Header.Get("Content-Type"),
					wantPage && browser)
			}
		}
	}
	for path, signIn := range map[string]string{"/portal/nothing": "/portal/login", "/console/nothing": "/console/login"} {
		// those who are signed in get 404 with their menu
		got := s.Do(t, "GET", path, nil, "Accept", "text/html").Must(t, 303)
		if to := got.Header.Get("Location"); !strings.HasPrefix(to, signIn) {
			t.Errorf("%s: got %s, want to sign in", path, to)
		}
	}
}
