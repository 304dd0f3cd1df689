package tracing

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector posts batches of spans by OTLP/HTTP. It implements otlptrace.Client instead of
// otlptracehttp, which brings gRPC along (docs/decisions/0021-traces.md).
type collector struct {
	url    *url.URL
	client *http.Client
}

func newCollector(endpoint *url.URL) *collector {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, ForceAttemptHTTP2: true,
	}
	return &collector{url: endpoint, client: &http.Client{
		Transport:     transport,
		Timeout:       sendWithin,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Start implements otlptrace.Client.
func (c *collector) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (c *collector) Stop(context.Context) error {
	c.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. It does not try again: a collector that is
// started anew misses what two seconds bring.
func (c *collector) UploadTraces(ctx context.Context, spans []*otlp.ResourceSpans) error {
	// An ExportTraceServiceRequest has the same fields.
	body, err := proto.Marshal(&otlp.TracesData{ResourceSpans: spans})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // so that the connection can be used again
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answered %s", response.Status)
	}
	return nil
}

// maxAnswer is how many bytes of the collector's answer are read.
const maxAnswer = 64 << 10

// queue counts the spans on their way to the collector. It drops those for which there is
// no room, which the batch processor would drop without a word.
type queue struct {
	sdk.SpanProcessor // has the spans that wait
	sdk.SpanExporter  // sends them

	log           *slog.Logger
	waiting       atomic.Int64
	sent, dropped atomic.Int64
	complained    atomic.Int64 // when a failure was logged last, in Unix seconds
}

// processor is the queue as ended spans reach it.
type processor struct{ *queue }

// Shutdown sends what waits.
func (p processor) Shutdown(ctx context.Context) error { return p.SpanProcessor.Shutdown(ctx) }

// OnEnd implements sdk.SpanProcessor. It never waits.
func (p processor) OnEnd(span sdk.ReadOnlySpan) {
	if p.waiting.Add(1) > queued {
		p.waiting.Add(-1)
		p.dropped.Add(1)
		return
	}
	p.SpanProcessor.OnEnd(span)
}

// Shutdown closes the connection to the collector.
func (q *queue) Shutdown(ctx context.Context) error { return q.SpanExporter.Shutdown(ctx) }

// complainEvery is how often a collector that takes nothing is worth a line in the log.
const complainEvery = 5 * time.Minute

// ExportSpans implements sdk.SpanExporter. Failures are counted here, and logged now and then.
func (q *queue) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := q.SpanExporter.ExportSpans(ctx, spans)
	q.waiting.Add(-int64(len(spans)))
	if err == nil {
		q.sent.Add(int64(len(spans)))
		return nil
	}
	dropped := q.dropped.Add(int64(len(spans)))
	now, last := time.Now().Unix(), q.complained.Load()
	if now-last >= int64(complainEvery/time.Second) && q.complained.CompareAndSwap(last, now) {
		q.log.Warn("traces not sent", "dropped", dropped, "error", err)
	}
	return nil
}
