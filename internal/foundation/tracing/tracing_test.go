package tracing_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// TestNoTracerCostsNothing calls everything that a request without traces does.
func TestNoTracerCostsNothing(t *testing.T) {
	var none *tracing.Tracer
	request := httptest.NewRequest(http.MethodPost, "/v1/orders", nil)
	request.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	allocations := testing.AllocsPerRun(1000, func() {
		served, span := none.Serve(request, "/v1/orders")
		ctx, verify := none.Start(served.Context(), "verify signature", tracing.Internal)
		verify.End()
		wait := none.StartWithin(none.Of(ctx), "wait for group", nil)
		wait.End()
		ctx, group := none.StartGroup(ctx, "commit group", nil)
		_, attempt := none.StartAlone(ctx, "POST webhook", tracing.Client)
		attempt.Set("dropyard.partner_id", "par_1")
		group.SetNumber("dropyard.group.commands", 1)
		span.Fail("500")
		if span.TraceID() != "" {
			t.Error("got a trace, want none")
		}
		span.End()
	})
	if allocations != 0 {
		t.Errorf("got %v allocations, want 0", allocations)
	}
	if stats, err := none.Stats(), none.Close(context.Background()); stats != (tracing.Stats{}) || err != nil {
		t.Errorf("got %+v and error %v, want neither spans nor an error", stats, err)
	}
}

func start(t *testing.T, endpoint string, ratio float64) *tracing.Tracer {
	t.Helper()
	tracer, err := tracing.New(tracing.Config{
		Endpoint: endpoint, Ratio: ratio, Service: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tracer
}

// serve records as many requests, and returns how many of them the sampler has chosen.
func serve(tracer *tracing.Tracer, requests int) (chosen int64) {
	for range requests {
		request, span := tracer.Serve(httptest.NewRequest(http.MethodGet, "/", nil), "/")
		if span != nil {
			chosen++
		}
		_, within := tracer.Start(request.Context(), "within", tracing.Internal)
		if (within == nil) != (span == nil) {
			return -1
		}
		span.End()
	}
	return chosen
}

// TestRatio expects about a tenth of the requests, and nothing within the others.
func TestRatio(t *testing.T) {
	t.Parallel()
	for ratio, want := range map[float64][2]int64{0: {0, 0}, 0.1: {300, 700}, 1: {5000, 5000}} {
		tracer := start(t, "http://127.0.0.1:1", ratio)
		if got := serve(tracer, 5000); got < want[0] || got > want[1] {
			t.Errorf("ratio %v: got %d of 5000 requests, want %d to %d", ratio, got, want[0], want[1])
		}
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		_ = tracer.Close(ended)
	}
}

// TestSlowCollectorHoldsUpNothing ends more spans than may wait while the collector answers
// none: no call waits, and what is too much is dropped and counted.
func TestSlowCollectorHoldsUpNothing(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var posts atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		posts.Add(1)
		<-release
	}))
	defer server.Close()
	tracer := start(t, server.URL, 1)
	const requests = 20_000
	if got := serve(tracer, requests); got != requests {
		t.Fatalf("got %d spans, want %d", got, requests)
	}
	if dropped := tracer.Stats().Dropped; dropped < requests/4 {
		t.Errorf("got %d dropped spans of %d, want those for which there is no room", dropped, requests)
	}
	short, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	if err := tracer.Close(short); err == nil {
		t.Error("got no error, want that the last spans were not sent")
	}
	close(release)
}

// TestClosingSendsWhatWaits expects every span at a collector, or counted as dropped.
func TestClosingSendsWhatWaits(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]tracing.Stats{
		200: {Sent: 700}, 202: {Sent: 700}, 307: {Dropped: 700}, 503: {Dropped: 700},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if user, password, _ := r.BasicAuth(); user != "me" || password != "token" || r.URL.Path != "/otlp/v1/traces" {
				t.Errorf("got %s by %q, want the endpoint's path and credentials", r.URL, user)
			}
			w.Header().Set("Location", "/otlp/v1/traces")
			w.WriteHeader(status)
		}))
		tracer := start(t, "http://me:token@"+server.Listener.Addr().String()+"/otlp/v1/traces", 1)
		for range 350 { // each with a span within
			request, span := tracer.Serve(httptest.NewRequest(http.MethodGet, "/", nil), "/")
			_, within := tracer.Start(request.Context(), "within", tracing.Internal)
			within.End()
			span.End()
		}
		if err := tracer.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if got := tracer.Stats(); got != want {
			t.Errorf("a collector that answers %d: got %+v, want %+v", status, got, want)
		}
		server.Close()
	}
}

func TestParseEndpoint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"http://127.0.0.1:4318":                "http://127.0.0.1:4318/v1/traces",
		"https://otel.example.com/":            "https://otel.example.com/v1/traces",
		"https://otel.example.com/otlp/traces": "https://otel.example.com/otlp/traces",
		"127.0.0.1:4318":                       "", "grpc://host:4317": "", "http://": "", "http://host?x=1": "",
		"http://host:port": "",
	} {
		endpoint, err := tracing.ParseEndpoint(text)
		if (err != nil) != (want == "") || err == nil && endpoint.String() != want {
			t.Errorf("%q: got %v and error %v, want %q", text, endpoint, err, want)
		}
	}
}
