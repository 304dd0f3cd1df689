package app_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

const kibibyte = 1 << 10

// TestLargeBodiesOfStrangers announces bodies and sends none of their bytes, with and
// without credentials. Without them the request is refused although the body is
// missing; with them the service waits for it.
func TestLargeBodiesOfStrangers(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner, boss := service.Register(t, "metro"), service.Operate(t)
	warehouse := boss.As(t, "warehouse")
	signed := partner.Signed("POST", "/v1/orders/batch", nil) // of another body
	stale := partner.SignedAt(service.Clock.Now().Add(-time.Hour), "POST", "/v1/orders/batch", nil)
	for name, c := range map[string]struct {
		path    string
		headers []string
		status  int
		code    string
		reason  any
	}{
		"batch, no credentials": {"/v1/orders/batch", nil, 401, "unauthorized", "missing_header"},
		"batch, unknown key": {"/v1/orders/batch", with("X-Api-Key", "pk_unknown",
			signed), 401, "unauthorized", "unknown_key"},
		"batch, stale timestamp": {"/v1/orders/batch", stale, 401, "unauthorized", "signature_mismatch"},
		"proof, no credentials":  {"/ops/v1/orders/x/proofs", nil, 401, "unauthorized", nil},
		"proof, unknown token": {
			"/ops/v1/orders/x/proofs", []string{"Authorization", "Bearer x"}, 401, "unauthorized", nil,
		},
		"proof, wrong role": {
			"/ops/v1/orders/x/proofs", []string{"Authorization", "Bearer " + warehouse.Token}, 403, "forbidden", nil,
		},
		"webhooks, unknown session": {
			"/v1/webhooks/test", []string{"Cookie", "dropyard_session=x"}, 401, "unauthorized", nil,
		},
		"registration": {"/v1/auth/register", nil, 413, "payload_too_large", nil},
		"no such path": {"/nowhere", nil, 413, "payload_too_large", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			headers := append([]string{"Content-Type", "application/json", "Idempotency-Key", uuid.NewString()}, c.headers...)
			text := apptest.Text("POST", c.path, append(headers, "Content-Length", "300000"), "")
			got := service.Wire(t).Send(text).Answer("POST").Refused(t, c.status, c.code)
			if reason := got.JSON("error", "details", "reason"); reason != c.reason {
				t.Errorf("got reason %v, want %v", reason, c.reason)
			}
		})
	}
	service.Wire(t).Send(apptest.Text("POST", "/v1/orders/batch",
		append(signed, "Expect", "100-continue", "Content-Length", "1000000"), "")).Continue()
	service.Wire(t).Send(apptest.Text("POST", "/ops/v1/orders/x/proofs", []string{
		"Authorization", "Bearer " + boss.Token, "Expect", "100-continue", "Content-Length", "1000000",
	}, "")).Continue()
}

// TestBodiesWithoutLength sends chunked bodies around the size up to which they are
// read from strangers.
func TestBodiesWithoutLength(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	send := func(size int, headers []string) *apptest.Answer {
		chunk := fmt.Sprintf("%x\r\n%s\r\n", size, padded(uuid.NewString(), size))
		headers = append([]string{
			"Content-Type", "application/json", "Idempotency-Key", uuid.NewString(), "Transfer-Encoding", "chunked",
		}, headers...)
		return service.Wire(t).Send(apptest.Text("POST", "/v1/orders", headers, chunk+"0\r\n\r\n")).Answer("POST")
	}
	forged := partner.Signed("POST", "/v1/orders", nil)
	stale := func(body []byte) []string {
		return partner.SignedAt(service.Clock.Now().Add(-time.Hour), "POST", "/v1/orders", body)
	}
	for _, size := range []int{10 * kibibyte, 17 * kibibyte, 64*kibibyte - 1, 64 * kibibyte, 64*kibibyte + 1, 300 *
		kibibyte} {
		t.Run(strconv.Itoa(size), func(t *testing.T) {
			send(size, nil).Refused(t, 401, "unauthorized")
			if got := send(size, forged).Refused(t, 401,
				"unauthorized"); got.JSON("error", "details", "reason") != "signature_mismatch" {
				t.Errorf("forged: got %s, want signature_mismatch", got.Body)
			}
			body := padded("A-"+strconv.Itoa(size), size)
			want := "timestamp_skew"
			if size > 64*kibibyte {
				want = "signature_mismatch"
			}
			late := service.Do(t, "POST", "/v1/orders", body, stale(body)...).Refused(t, 401, "unauthorized")
			if got := late.JSON("error", "details", "reason"); got != want {
				t.Errorf("right signature, stale timestamp: got %v, want %s", got, want)
			}
			chunked(t, partner, body).Must(t, 201)
		})
	}
}

// TestLargeBodiesCountAgainstTheAddress sends large bodies with a wrong signature.
// Beyond the limit of strangers they are refused before they are read; smaller ones
// with a right signature still pass.
func TestLargeBodiesCountAgainstTheAddress(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.StrangerLimit(3))
	partner := service.Register(t, "metro") // counts, too
	forged := partner.Signed("POST", "/v1/orders", nil)
	large := padded("A-1", 200*kibibyte)
	for range 2 {
		service.Do(t, "POST", "/v1/orders", large, forged...).Refused(t, 401, "unauthorized")
	}
	service.Do(t, "POST", "/v1/orders", large, forged...).Refused(t, 429, "rate_limited")
	partner.Create(t, large).Refused(t, 429, "rate_limited")
	partner.Create(t, padded("A-2", 10*kibibyte)).Must(t, 201)
	service.Clock.Advance(time.Minute)
	partner.Create(t, large).Must(t, 201)
}

// TestConcurrentRequestsOfOnePartner holds 128 requests of a partner open. One more
// is refused, and one of another partner is not.
func TestConcurrentRequestsOfOnePartner(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.WithMetrics())
	partner, other := service.Register(t, "metro"), service.Register(t, "other")
	const limit = 128
	feeds := make([]*apptest.Wire, limit)
	for i := range feeds {
		feeds[i] = service.Wire(t).Send(apptest.Text("GET", "/v1/webhooks/feed?wait=20",
			partner.Signed("GET", "/v1/webhooks/feed?wait=20", nil), ""))
	}
	waiting := service.Clock.Now().Add(20 * time.Second)
	await(t, service, func(*scrape) bool { return service.Clock.Waiting(waiting) == limit })
	refused := partner.Call(t, "GET", "/v1/orders", nil).Refused(t, 429, "rate_limited")
	if after := refused.Header.Get("Retry-After"); after != "1" {
		t.Errorf("got Retry-After %q, want 1", after)
	}
	other.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	service.Clock.Advance(time.Minute) // ends the feeds
	for _, feed := range feeds {
		feed.Answer("GET").Must(t, 200)
	}
	partner.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
}

// await scrapes the metrics until they fulfil a condition.
func await(t *testing.T, service *apptest.Service, holds func(*scrape) bool) {
	t.Helper()
	apptest.Await(t, "the metrics fulfil the condition", func() bool { return holds(newScrape(t, service.MetricsURL)) })
}

// TestFlightFollowsFromMemory starts services with little and much memory.
func TestFlightFollowsFromMemory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ memory, inFlight int64 }{
		{128 * mebibyte, 72 * mebibyte},
		{800 * mebibyte, 100 * mebibyte},
		{20_000 * mebibyte, 128 * mebibyte},
	} {
		service := apptest.Start(t, apptest.WithMetrics(),
			func(_ *config.Config, world *app.Surroundings) { world.Memory = c.memory })
		if got := int64(newScrape(t, service.MetricsURL).value("dropyard_in_flight_bytes_max")); got != c.inFlight {
			t.Errorf("with %d MiB of memory: got room for %d bytes, want %d", c.memory/mebibyte, got, c.inFlight)
		}
	}
}

// TestMemoryForBodies has a partner hold batches without their last byte until its
// share of the room is used up. Then its large requests are 503, and small ones and
// those of others pass. The room is empty in the end.
func TestMemoryForBodies(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.WithMetrics())
	partner, other := service.Register(t, "metro"), service.Register(t, "other")
	const size = 4 * mebibyte
	text := apptest.Text("POST", "/v1/orders/batch", append(partner.Signed("POST", "/v1/orders/batch", nil),
		"Content-Length", fmt.Sprint(size)), strings.Repeat(" ", size-1))
	held := make([]*apptest.Wire, 9) // all of its share, which is 36 MiB
	for i := range held {
		held[i] = service.Wire(t).Send(text)
	}
	await(t, service, func(m *scrape) bool { return m.value("dropyard_in_flight_bytes") == 36*mebibyte })
	full := service.Wire(t).Send(text+" ").Answer("POST").Refused(t, 503, "unavailable")
	if after := full.Header.Get("Retry-After"); after != "1" {
		t.Errorf("got Retry-After %q, want 1", after)
	}
	partner.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	other.Create(t, padded("A-1", mebibyte)).Must(t, 201)
	for _, wire := range held {
		wire.CloseWrite()
	}
	await(t, service, func(m *scrape) bool { return m.value("dropyard_in_flight_bytes") == 0 })
	if newScrape(t, service.MetricsURL).value("dropyard_in_flight_refused_total") == 0 {
		t.Error("got no refusals in the metrics, want at least one")
	}
}
