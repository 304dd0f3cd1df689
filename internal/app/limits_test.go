package app_test

import (
	"fmt"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPartnersRate walks through the headers of one minute at 5 requests each:
// one every 12 s, and 5 at once after a quiet spell.
func TestPartnersRate(t *testing.T) {
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
		{500 * time.Millisecond, 429, `"partner";r=0;t=49`, "1"}, // rounded up, so that no client comes too early
		{500 * time.Millisecond, 200, `"partner";r=0;t=60`, ""},
		{0, 429, `"partner";r=0;t=60`, "12"},
		{36 * time.Second, 200, `"partner";r=2;t=36`, ""},
		{time.Hour, 200, `"partner";r=4;t=12`, ""},
	} {
		service.Clock.Advance(step.wait)
		got := partner.Call(t, "GET", "/v1/orders", nil).Must(t, step.status)
		if policy := got.Header.Get("RateLimit-Policy"); policy != `"partner";q=5;w=60` {
			t.Errorf("step %d: RateLimit-Policy is %s", i, policy)
		}
		if limit, after := got.Header.Get("RateLimit"), got.Header.Get("Retry-After"); limit != step.limit || after != step.retryAfter {
			t.Errorf("step %d: RateLimit is %s, Retry-After %s, want %s, %s", i, limit, after, step.limit, step.retryAfter)
		}
		if step.status == 429 {
			got.Refused(t, 429, "rate_limited")
		}
	}
}

// TestKeysOfAPartnerShareItsRate, whatever the requests are and however they
// end; other partners have a rate of their own.
func TestKeysOfAPartnerShareItsRate(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(4))
	first, other := service.Register(t, "metro"), service.Register(t, "other")
	second := first.NewKey(t)
	first.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	second.Create(t, []byte(`{}`)).Must(t, 422)
	first.Call(t, "GET", "/v1/orders/ord_unknown", nil).Must(t, 404)
	last := second.Call(t, "GET", "/v1/inventory/products", nil).Must(t, 200)
	if last.Header.Get("RateLimit") != `"partner";r=0;t=60` {
		t.Errorf("after four requests: %s", last.Header.Get("RateLimit"))
	}
	before := service.Content(t)
	for _, partner := range []*apptest.Partner{first, second} {
		partner.Create(t, testkit.OrderJSON("A-2", "")).Refused(t, 429, "rate_limited")
	}
	service.Unchanged(t, before)
	other.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
}

// TestRateHoldsForRequestsAtOnce sends far more than is allowed in one go.
func TestRateHoldsForRequestsAtOnce(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(10))
	partner := service.Register(t, "metro")
	passed := 0
	for _, got := range apptest.Together(60, func(int) *apptest.Answer { return partner.Call(t, "GET", "/v1/orders", nil) }) {
		if got.Status == 200 {
			passed++
		} else {
			got.Refused(t, 429, "rate_limited")
		}
	}
	if passed != 10 {
		t.Errorf("%d of 60 passed, want 10", passed)
	}
}

// TestFailingSignaturesCountAgainstTheAddress and neither against the partner
// they name, nor against those that sign well from the same address.
func TestFailingSignaturesCountAgainstTheAddress(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(3))
	partner := service.Register(t, "metro")
	service.Clock.Advance(time.Minute) // registering counts against the address too
	forged := with("X-Signature", "v1=00", partner.Signed("GET", "/v1/orders", nil))
	elsewhere := append([]string{"X-Forwarded-For", "192.0.2.1", "Forwarded", "for=192.0.2.1", "X-Real-Ip", "192.0.2.1"}, forged...)
	for range 3 {
		refused := service.Do(t, "GET", "/v1/orders", nil, forged...).Refused(t, 401, "unauthorized")
		if refused.Header.Get("RateLimit") != "" {
			t.Errorf("a stranger is told a partner's rate: %v", refused.Header)
		}
	}
	for _, headers := range [][]string{forged, elsewhere, nil} {
		refused := service.Do(t, "GET", "/v1/orders", nil, headers...).Refused(t, 429, "rate_limited")
		if refused.Header.Get("Retry-After") != "20" {
			t.Errorf("Retry-After is %q", refused.Header.Get("Retry-After"))
		}
	}
	if good := partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200); good.Header.Get("RateLimit") != `"partner";r=2;t=20` {
		t.Errorf("the partner has paid for it: %s", good.Header.Get("RateLimit"))
	}
	service.Clock.Advance(20 * time.Second)
	service.Do(t, "GET", "/v1/orders", nil, forged...).Refused(t, 401, "unauthorized")
}

// TestTrackingIsLimitedPerAddress, and costs no partner anything.
func TestTrackingIsLimitedPerAddress(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(3))
	partner := service.Register(t, "metro")
	path := "/track/" + partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	service.Do(t, "GET", path, nil).Must(t, 200)
	service.Do(t, "GET", path+"/html", nil).Must(t, 200)
	service.Do(t, "GET", "/track/ord_unknown", nil).Must(t, 404)
	refused := service.Do(t, "GET", path, nil).Refused(t, 429, "rate_limited")
	if refused.Header.Get("Retry-After") != "20" {
		t.Errorf("Retry-After is %q", refused.Header.Get("Retry-After"))
	}
	service.Do(t, "GET", path+"/html", nil).Refused(t, 429, "rate_limited")
	if status := getFrom(t, "127.0.0.2", service.URL+path); status != 200 {
		t.Errorf("another address gets %d", status)
	}
	if good := partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200); good.Header.Get("RateLimit") != `"partner";r=1;t=40` {
		t.Errorf("the partner has paid for it: %s", good.Header.Get("RateLimit"))
	}
	service.Clock.Advance(20 * time.Second)
	service.Do(t, "GET", path, nil).Must(t, 200)
}

// getFrom asks from another address of this machine.
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

// TestNoRateLimit sends more of everything than any default allows.
func TestNoRateLimit(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.RateLimit(0))
	partner := service.Register(t, "metro")
	path := "/track/" + partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	for range 350 {
		got := partner.Call(t, "GET", "/v1/orders?limit=1", nil).Must(t, 200)
		if headers := fmt.Sprint(got.Header["Ratelimit"], got.Header["Ratelimit-Policy"]); headers != "[] []" {
			t.Fatalf("there is no rate to tell: %s", headers)
		}
		service.Do(t, "GET", "/v1/orders", nil).Must(t, 401)
		service.Do(t, "GET", path, nil).Must(t, 200)
	}
}
