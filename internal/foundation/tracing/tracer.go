package tracing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// Config is what a Tracer needs.
type Config struct {
	// Endpoint is the URL of the collector (see ParseEndpoint).
	Endpoint string
	// Ratio is the part of the traces that is recorded, from 0 to 1, of those for which the
	// caller has not decided.
	Ratio float64
	// Service and Version name the program, and Instance this process.
	Service, Version, Instance string
	Log                        *slog.Logger
}

// Tracer records spans. Its methods may be called from many goroutines. A nil Tracer
// records none.
type Tracer struct {
	spans    trace.Tracer
	provider *sdk.TracerProvider
	queue    *queue
}

const (
	// sendEvery is how long an ended span waits for others to be sent with.
	sendEvery = 2 * time.Second
	// sendWithin is how long the collector may take for a batch. Meanwhile spans wait.
	sendWithin = 10 * time.Second
	// batch and queued are how many spans are sent at a time, and wait at most. A span takes
	// about 1 KiB.
	batch, queued = 512, 8192
	// longestValue is how many characters of an attribute's value are kept.
	longestValue = 256
	// maxLinks is how many requests a group may carry.
	maxLinks = 512
)

// New returns a Tracer that sends to a collector, until Close. It does not connect before
// there is something to send.
func New(c Config) (*Tracer, error) {
	endpoint, err := ParseEndpoint(c.Endpoint)
	if err != nil {
		return nil, err
	}
	described, err := describe(c)
	if err != nil {
		return nil, err
	}
	t := &Tracer{queue: &queue{log: c.Log}}
	if t.queue.SpanExporter, err = otlptrace.New(context.Background(), newCollector(endpoint)); err != nil {
		return nil, err
	}
	t.queue.SpanProcessor = sdk.NewBatchSpanProcessor(t.queue,
		sdk.WithBatchTimeout(sendEvery), sdk.WithExportTimeout(sendWithin), sdk.WithMaxExportBatchSize(batch),
		sdk.WithMaxQueueSize(queued))
	limits := sdk.NewSpanLimits()
	limits.AttributeValueLengthLimit, limits.LinkCountLimit = longestValue, maxLinks
	t.provider = sdk.NewTracerProvider(
		sdk.WithSpanProcessor(processor{t.queue}), sdk.WithResource(described), sdk.WithRawSpanLimits(limits),
		sdk.WithSampler(sampler{sdk.ParentBased(sdk.TraceIDRatioBased(c.Ratio))}))
	t.spans = t.provider.Tracer("github.com/dropyard/dropyard")
	return t, nil
}

// describe returns what all spans of this process have in common. OTEL_RESOURCE_ATTRIBUTES
// and OTEL_SERVICE_NAME, by which platforms name what runs on them, win.
func describe(c Config) (*resource.Resource, error) {
	own := resource.NewSchemaless(semconv.ServiceName(c.Service), semconv.ServiceVersion(c.Version),
		semconv.ServiceInstanceID(c.Instance))
	described, err := resource.Merge(own, resource.Environment())
	if err != nil && !errors.Is(err, resource.ErrSchemaURLConflict) {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return described, nil
}

// Close sends what waits, and gives up when ctx ends. Spans may end after it; they are not sent.
func (t *Tracer) Close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// Stats returns how many spans were sent, and how many were dropped because the collector
// did not take them in time.
func (t *Tracer) Stats() Stats {
	if t == nil {
		return Stats{}
	}
	return Stats{Sent: t.queue.sent.Load(), Dropped: t.queue.dropped.Load()}
}

// Stats counts spans.
type Stats struct{ Sent, Dropped int64 }

// sampler decides which spans are recorded. Internal spans are begun only for what is
// recorded already, and those of groups have no parent that says so.
type sampler struct{ sdk.Sampler }

// ShouldSample implements sdk.Sampler.
func (s sampler) ShouldSample(p sdk.SamplingParameters) sdk.SamplingResult {
	if p.Kind == trace.SpanKindInternal {
		return sdk.AlwaysSample().ShouldSample(p)
	}
	return s.Sampler.ShouldSample(p)
}

// defaultPath is where collectors take traces by OTLP/HTTP.
const defaultPath = "/v1/traces"

// ParseEndpoint returns the URL to which spans are posted: text, and /v1/traces if it has no
// path. User and password become Basic authentication.
func ParseEndpoint(text string) (*url.URL, error) {
	endpoint, err := url.Parse(text)
	if err != nil || endpoint.Scheme != "http" && endpoint.Scheme != "https" || endpoint.Hostname() == "" ||
		strings.ContainsAny(text, "?#") {
		return nil,
			errors.New("the value is not an http or https URL without query and fragment (example: http://127.0.0.1:4318)")
	}
	if strings.Trim(endpoint.Path, "/") == "" {
		endpoint.Path = defaultPath
	}
	return endpoint, nil
}
