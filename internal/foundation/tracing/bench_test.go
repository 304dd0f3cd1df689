package tracing_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// BenchmarkRequest measures the hooks of a request that is off, not chosen, and recorded.
func BenchmarkRequest(b *testing.B) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, setup := range []struct {
		name  string
		on    bool
		ratio float64
	}{{"off", false, 0}, {"not chosen", true, 0}, {"recorded", true, 1}} {
		b.Run(setup.name, func(b *testing.B) {
			var tracer *tracing.Tracer
			if setup.on {
				var err error
				if tracer, err = tracing.New(tracing.Config{
					Endpoint: "http://127.0.0.1:1", Ratio: setup.ratio, Log: slog.New(slog.DiscardHandler),
				}); err != nil {
					b.Fatal(err)
				}
				defer func() { _ = tracer.Close(ended) }()
			}
			request := httptest.NewRequest(http.MethodPost, "/v1/orders", nil)
			b.ReportAllocs()
			for b.Loop() {
				served, span := tracer.Serve(request, "/v1/orders")
				_, verify := tracer.Start(served.Context(), "verify signature", tracing.Internal)
				verify.End()
				wait := tracer.StartWithin(tracer.Of(served.Context()), "wait for group", nil)
				wait.End()
				span.Set("dropyard.partner_id", "par_1")
				span.End()
			}
		})
	}
}
