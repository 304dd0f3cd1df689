package app_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// threeNodes starts three nodes and returns the first, and a partner as it calls each.
func threeNodes(t *testing.T, perMinute int) (first *apptest.Service, everywhere []*apptest.Partner) {
	t.Helper()
	first = apptest.Start(t, apptest.Sharable(t), apptest.RateLimit(perMinute))
	partner := first.Register(t, "metro")
	everywhere = append(everywhere, partner)
	for range 2 {
		there := *partner
		there.Service = first.Beside(t, apptest.RateLimit(perMinute))
		everywhere = append(everywhere, &there)
	}
	return first, everywhere
}

// list sends a request that counts against the rate.
func list(t *testing.T, p *apptest.Partner) *apptest.Answer {
	t.Helper()
	return p.Call(t, "GET", "/v1/orders?limit=1", nil)
}

// TestRateLimitAcrossNodes sends 900 requests to three nodes within 3 s, at 300 per
// minute. 300 are allowed, and those that the rate adds in that time.
func TestRateLimitAcrossNodes(t *testing.T) {
	t.Parallel()
	first, everywhere := threeNodes(t, 300)
	passed := 0
	for range 30 {
		for _, got := range apptest.Together(30, func(i int) *apptest.Answer { return list(t, everywhere[i%3]) }) {
			switch got.Status {
			case http.StatusOK:
				passed++
			default:
				got.Refused(t, http.StatusTooManyRequests, "rate_limited")
				if after := got.Header.Get("Retry-After"); after != "1" {
					t.Errorf("got Retry-After %q, want 1", after)
				}
			}
		}
		first.Clock.Advance(100 * time.Millisecond)
	}
	t.Logf("%d passed", passed)
	if passed < 300 || passed > 315 {
		t.Errorf("got %d of 900 requests allowed, want 300 to 315", passed)
	}
	first.Clock.Advance(2 * time.Minute)
	if got := list(t, everywhere[0]).Must(t, 200); got.Header.Get("RateLimit") != `"partner";r=299;t=1` {
		t.Errorf("after a pause: got RateLimit %s, want r=299", got.Header.Get("RateLimit"))
	}
}

// TestRateLimitHeadersAcrossNodes uses the nodes in turn. The headers of each
// account for the requests at the others.
func TestRateLimitHeadersAcrossNodes(t *testing.T) {
	t.Parallel()
	first, everywhere := threeNodes(t, 6)
	for i, want := range []string{"5", "4", "3", "2", "1", "0"} {
		limit := list(t, everywhere[i%3]).Must(t, 200).Header.Get("RateLimit")
		if left, _, _ := strings.Cut(limit, ";t="); left != `"partner";r=`+want {
			t.Errorf("request %d: got RateLimit %s, want r=%s", i, limit, want)
		}
	}
	for i, p := range everywhere {
		refused := list(t, p).Refused(t, http.StatusTooManyRequests, "rate_limited")
		if after, _ := strconv.Atoi(refused.Header.Get("Retry-After")); after != 10 {
			t.Errorf("node %d: got Retry-After %d, want 10", i, after)
		}
	}
	first.Clock.Advance(10 * time.Second)
	list(t, everywhere[1]).Must(t, 200)
	list(t, everywhere[2]).Refused(t, http.StatusTooManyRequests, "rate_limited")
}
