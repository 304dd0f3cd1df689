package app_test

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestRateLimitHeaders follows the headers at 5 requests per minute: one request every
// 12 s, and 5 at once after a pause.
func TestRateLimitHeaders(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(5))
	partner := service.Register(t, "metro")
	for i, step := range []struct {
		wait       time.Duration
		status     int
		limit      string
		retryAfter string
	}{
		{0, 200, `"partner";r=4;t=12`, ""},
		{0, 200, `"partner";r=3;t=24`, ""},
		{0, 200, `"partner";r=2;t=36`, ""},
		{0, 200, `"partner";r=1;t=48`, ""},
		{0, 200, `"partner";r=0;t=60`, ""},
		{0, 429, `"partner";r=0;t=60`, "12"},
		{11 * time.Second, 429, `"partner";r=0;t=49`, "1"},
		{500 * time.Millisecond, 429, `"partner";r=0;t=49`, "1"}, // rounded up, so that the next request is not too early
		{500 * time.Millisecond, 200, `"partner";r=0;t=60`, ""},
		{0, 429, `"partner";r=0;t=60`, "12"},
		{36 * time.Second, 200, `"partner";r=2;t=36`, ""},
		{time.Hour, 200, `"partner";r=4;t=12`, ""},
	} {
		service.Clock.Advance(step.wait)
		got := partner.Call(t, "GET", "/v1/orders", nil).Must(t, step.status)
		if policy := got.Header.Get("RateLimit-Policy"); policy != `"partner";q=5;w=60` {
			t.Errorf("step %d: got RateLimit-Policy %s, want q=5", i, policy)
		}
		if limit, after := got.Header.Get("RateLimit"), got.Header.Get("Retry-After"); limit != step.limit ||
			after != step.retryAfter {
			t.Errorf("step %d: got RateLimit %s and Retry-After %s, want %s and %s", i, limit, after, step.limit,
				step.retryAfter)
		}
		if step.status == 429 {
			got.Refused(t, 429, "rate_limited")
		}
	}
}

// TestRateLimitIsPerPartner uses several keys and partners. The keys of a partner share
// its limit, whichever requests they send and whatever the responses are.
func TestRateLimitIsPerPartner(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(4))
	first, other := service.Register(t, "metro"), service.Register(t, "other")
	second := first.NewKey(t)
	first.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	second.Create(t, []byte(`{}`)).Must(t, 422)
	first.Call(t, "GET", "/v1/orders/ord_unknown", nil).Must(t, 404)
	last := second.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	if last.Header.Get("RateLimit") != `"partner";r=0;t=60` {
		t.Errorf("after four requests: got RateLimit %s, want r=0", last.Header.Get("RateLimit"))
	}
	before := service.Content(t)
	for _, partner := range []*apptest.Partner{first, second} {
		partner.Create(t, testkit.OrderJSON("A-2", "")).Refused(t, 429, "rate_limited")
	}
	service.Unchanged(t, before)
	other.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
}

// TestRateLimitOfConcurrentRequests sends 60 requests concurrently, of which 10 are
// allowed.
func TestRateLimitOfConcurrentRequests(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(10))
	partner := service.Register(t, "metro")
	passed := 0
	for _, got := range apptest.Together(60,
		func(int) *apptest.Answer { return partner.Call(t, "GET", "/v1/orders", nil) }) {
		if got.Status == 200 {
			passed++
		} else {
			got.Refused(t, 429, "rate_limited")
		}
	}
	if passed != 10 {
		t.Errorf("got %d of 60 requests allowed, want 10", passed)
	}
}

// TestFailedSignaturesAreLimited sends wrong signatures. They count against the
// address, not against the partner, whose valid requests from the same address are
// served.
func TestFailedSignaturesAreLimited(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(3), apptest.StrangerLimit(3))
	partner := service.Register(t, "metro")
	service.Clock.Advance(time.Minute) // registrations count against the address as well
	forged := with("X-Signature", "v1=00", partner.Signed("GET", "/v1/orders", nil))
	elsewhere := append([]string{"X-Forwarded-For", "192.0.2.1", "Forwarded", "for=192.0.2.1", "X-Real-Ip", "192.0.2.1"},
		forged...)
	for range 3 {
		refused := service.Do(t, "GET", "/v1/orders", nil, forged...).Refused(t, 401, "unauthorized")
		if refused.Header.Get("RateLimit") != "" {
			t.Errorf("got %v, want no RateLimit of the partner", refused.Header)
		}
	}
	for _, headers := range [][]string{forged, elsewhere, nil} {
		refused := service.Do(t, "GET", "/v1/orders", nil, headers...).Refused(t, 429, "rate_limited")
		if refused.Header.Get("Retry-After") != "20" {
			t.Errorf("got Retry-After %q, want 20", refused.Header.Get("Retry-After"))
		}
	}
	if good := partner.Call(t, "GET", "/v1/orders", nil).Must(t,
		200); good.Header.Get("RateLimit") != `"partner";r=2;t=20` {
		t.Errorf("partner: got RateLimit %s, want r=2", good.Header.Get("RateLimit"))
	}
	service.Clock.Advance(20 * time.Second)
	service.Do(t, "GET", "/v1/orders", nil, forged...).Refused(t, 401, "unauthorized")
	service.Stop()
	// All but the one without headers: those beyond the limit, too.
	if got := strings.Count(service.Log.String(),
		"event=signature_forged address=127.0.0.1 key_id="+partner.KeyID); got != 6 {
		t.Errorf("got %d security events, want 6:\n%s", got, service.Log)
	}
}

// TestTrackingIsLimitedByAddress limits tracking for each address, and not for
// partners.
func TestTrackingIsLimitedByAddress(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(2), apptest.StrangerLimit(3))
	partner := service.Register(t, "metro")
	path := "/track/" + partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	service.Do(t, "GET", path, nil).Must(t, 200)
	service.Do(t, "GET", path+"/html", nil).Must(t, 200)
	service.Do(t, "GET", "/track/ord_unknown", nil).Must(t, 404)
	refused := service.Do(t, "GET", path, nil).Refused(t, 429, "rate_limited")
	if refused.Header.Get("Retry-After") != "20" {
		t.Errorf("got Retry-After %q, want 20", refused.Header.Get("Retry-After"))
	}
	service.Do(t, "GET", path+"/html", nil).Refused(t, 429, "rate_limited")
	if status := getFrom(t, "127.0.0.2", service.URL+path); status != 200 {
		t.Errorf("another address: got status %d, want 200", status)
	}
	if good := partner.Call(t, "GET", "/v1/orders", nil).Must(t,
		200); good.Header.Get("RateLimit") != `"partner";r=0;t=60` {
		t.Errorf("partner: got RateLimit %s, want r=0", good.Header.Get("RateLimit"))
	}
	service.Clock.Advance(20 * time.Second)
	service.Do(t, "GET", path, nil).Must(t, 200)
}

// forwarded sends a request for tracking through a trusted proxy, with the given
// header X-Forwarded-For.
func forwarded(t *testing.T, service *apptest.Service, header string) *apptest.Answer {
	t.Helper()
	return service.Do(t, "GET", "/track/ord_unknown", nil, "X-Forwarded-For", header)
}

// TestForwardedAddresses writes one address in many ways, as proxies do. All count as
// one; so do entries that are not addresses, as the proxy that sent them.
func TestForwardedAddresses(t *testing.T) {
	t.Parallel()
	for name, headers := range map[string][]string{
		"IPv4": {
			"192.0.2.1", "192.0.2.1:443", "192.0.2.1:50123", "::ffff:192.0.2.1", "[::ffff:192.0.2.1]:9",
			"198.51.100.9, 192.0.2.1:5", "192.0.2.1:7, 127.0.0.9", "192.0.2.1:7, 127.0.0.9:88", "unknown,192.0.2.1",
		},
		"IPv6": {
			"2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:443", "[2001:db8::1]:50123", "2001:DB8:0::0:2", "2001:db8::1%eth0",
		},
		"no address": {
			"unknown", "_hidden", "192.0.2.1, unknown", "", ",", "192.0.2.1,", "192.0.2.300", "[192.0.2.1", "127.0.0.1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			service := apptest.Start(t, apptest.StrangerLimit(len(headers)), apptest.TrustProxies("127.0.0.0/8"))
			for _, header := range headers {
				forwarded(t, service, header).Must(t, 404)
			}
			for _, header := range headers {
				forwarded(t, service, header).Refused(t, 429, "rate_limited")
			}
			forwarded(t, service, "203.0.113.1").Must(t, 404)
		})
	}
}

// TestBlocksOfAddressesAreLimited sends each request from another /64. A /48 has no
// more than 16 times the rate of a /64, however many of them it uses.
func TestBlocksOfAddressesAreLimited(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.StrangerLimit(2), apptest.TrustProxies("127.0.0.0/8"))
	passed := 0
	for i := range 100 {
		if forwarded(t, service, fmt.Sprintf("2001:db8:1:%x00::1", i)).Status == 404 {
			passed++
		}
	}
	if passed != 32 {
		t.Errorf("got %d of 100 requests of a /48 allowed, want 32", passed)
	}
	forwarded(t, service, "2001:db8:2::1").Must(t, 404)
}

// getFrom sends a request from another address of this machine.
func getFrom(t *testing.T, address, url string) (status int) {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get(url)
	if err != nil {
		t.Skipf("this machine has one loopback address only: %v", err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// TestNoRateLimit sends more requests of each kind than any default allows.
func TestNoRateLimit(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(0), apptest.StrangerLimit(0))
	partner := service.Register(t, "metro")
	path := "/track/" + partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	for range 350 {
		got := partner.Call(t, "GET", "/v1/orders?limit=1", nil).Must(t, 200)
		if headers := fmt.Sprint(got.Header["Ratelimit"], got.Header["Ratelimit-Policy"]); headers != "[] []" {
			t.Fatalf("got headers %s, want none of a rate limit", headers)
		}
		service.Do(t, "GET", "/v1/orders", nil).Must(t, 401)
		service.Do(t, "GET", path, nil).Must(t, 200)
	}
}
