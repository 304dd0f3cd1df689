// Package tracing records what the service does for a request as OpenTelemetry spans, and
// sends them to a collector. No other package imports OpenTelemetry.
//
// A span holds names, numbers and identifiers, and never what a request or a row says: a
// collector is often run by others, and has other rules of access than the database.
//
// Without a collector the Tracer is nil. A nil Tracer begins no spans, and the methods of
// the nil Span do nothing, without allocating.
package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
)

// Span is a piece of work that is being recorded. Its methods may be called from several
// goroutines. A nil Span is not recorded.
type Span struct{ span trace.Span }

// Kind says on which side of a conversation a span is.
type Kind trace.SpanKind

// The kinds of spans.
const (
	Internal = Kind(trace.SpanKindInternal)
	Client   = Kind(trace.SpanKindClient) // waits for another program
)

// Serve begins the span of a request for a route, and returns the request with it. The
// pattern of the route is empty if the request matches none. Whether it is recorded
// follows the caller's header traceparent, or else the ratio.
func (t *Tracer) Serve(r *http.Request, pattern string) (*http.Request, *Span) {
	if t == nil {
		return r, nil
	}
	ctx := r.Context()
	if parent := r.Header.Get("Traceparent"); parent != "" {
		// Nothing else of what the caller sends goes on to the collector, such as tracestate.
		ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
	}
	method := knownMethod(r.Method)
	name := method
	if name == otherMethod {
		name = "HTTP"
	}
	if pattern != "" {
		name += " " + pattern
	}
	ctx, span := t.spans.Start(ctx, name, trace.WithSpanKind(trace.SpanKindServer))
	if !span.IsRecording() {
		return r, nil
	}
	span.SetAttributes(semconv.HTTPRequestMethodKey.String(method))
	if pattern != "" {
		span.SetAttributes(semconv.HTTPRoute(pattern))
	}
	return r.WithContext(ctx), &Span{span}
}

const otherMethod = "_OTHER"

// knownMethod returns otherMethod for a method that HTTP does not define: a caller may send
// any word.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	default:
		return otherMethod
	}
}

// Start begins a span within that of ctx. It begins none if ctx has none, so that nothing
// is recorded of work that no recorded request has asked for.
func (t *Tracer) Start(ctx context.Context, name string, kind Kind) (context.Context, *Span) {
	parent := t.Of(ctx)
	if parent == nil {
		return ctx, nil
	}
	return t.begin(ctx, name, kind)
}

// StartAlone is Start, and begins a trace of its own if ctx has no span; the ratio says
// whether it is recorded.
func (t *Tracer) StartAlone(ctx context.Context, name string, kind Kind) (context.Context, *Span) {
	if t == nil {
		return ctx, nil
	}
	return t.begin(ctx, name, kind)
}

func (t *Tracer) begin(ctx context.Context, name string, kind Kind) (context.Context, *Span) {
	within, span := t.spans.Start(ctx, name, trace.WithSpanKind(trace.SpanKind(kind)))
	if !span.IsRecording() {
		return ctx, nil
	}
	return within, &Span{span}
}

// StartGroup begins a trace for work that is done for several requests at once, linked with
// their spans. It begins none without spans.
func (t *Tracer) StartGroup(ctx context.Context, name string, requests []*Span) (context.Context, *Span) {
	if t == nil || len(requests) == 0 {
		return ctx, nil
	}
	links := make([]trace.Link, len(requests))
	for i, request := range requests {
		links[i] = trace.Link{SpanContext: request.span.SpanContext()}
	}
	ctx, span := t.spans.Start(ctx, name, trace.WithNewRoot(), trace.WithLinks(links...))
	return ctx, &Span{span}
}

// Of returns the span of ctx; nil if there is none.
func (t *Tracer) Of(ctx context.Context) *Span {
	if t == nil {
		return nil
	}
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return nil
	}
	return &Span{span}
}

// StartWithin begins a span within another one. A linked span that is not nil is one that
// it belongs to as well.
func (t *Tracer) StartWithin(parent *Span, name string, linked *Span) *Span {
	if t == nil || parent == nil {
		return nil
	}
	var options []trace.SpanStartOption
	if linked != nil {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: linked.span.SpanContext()}))
	}
	_, span := t.spans.Start(trace.ContextWithSpan(context.Background(), parent.span), name, options...)
	return &Span{span}
}

// Set adds an attribute. An empty value adds none.
func (s *Span) Set(name, value string) {
	if s != nil && value != "" {
		s.span.SetAttributes(attribute.String(name, value))
	}
}

// SetNumber adds an attribute.
func (s *Span) SetNumber(name string, value int) {
	if s != nil {
		s.span.SetAttributes(attribute.Int(name, value))
	}
}

// Fail marks the span as failed, by a kind of error from a small set. The text of an error
// may quote what a request says.
func (s *Span) Fail(kind string) {
	if s != nil {
		s.span.SetStatus(codes.Error, "")
		s.span.SetAttributes(semconv.ErrorTypeKey.String(kind))
	}
}

// End ends the span. It may be called again, which does nothing.
func (s *Span) End() {
	if s != nil {
		s.span.End()
	}
}

// TraceID returns the id of the trace in hexadecimal; empty if the span is nil.
func (s *Span) TraceID() string {
	if s == nil {
		return ""
	}
	return s.span.SpanContext().TraceID().String()
}
