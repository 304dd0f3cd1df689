package app_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	orders "github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector takes traces by OTLP/HTTP.
type collector struct {
	url string

	mu   sync.Mutex
	raw  []byte // all that was sent; guarded by mu
	sent []*otlp.Span
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data otlp.TracesData
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("got %s %s %v (%v), want spans", r.Method, r.URL, r.Header, err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.raw = append(c.raw, body...)
		for _, resource := range data.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				c.sent = append(c.sent, scope.GetSpans()...)
			}
		}
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

// traced sends all traces of a service to the collector.
func traced(endpoint string) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) { c.TracesEndpoint, c.TracesRatio = endpoint, 1 }
}

// one returns the only span with a name that the filter admits.
func (c *collector) one(t *testing.T, name string, admits func(*otlp.Span) bool) *otlp.Span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []*otlp.Span
	for _, span := range c.sent {
		if span.GetName() == name && admits(span) {
			found = append(found, span)
		}
	}
	if len(found) != 1 {
		t.Fatalf("got %d spans %q, want 1", len(found), name)
	}
	return found[0]
}

// within returns the filter of the spans within another one.
func within(parent *otlp.Span) func(*otlp.Span) bool {
	return func(s *otlp.Span) bool {
		return bytes.Equal(s.GetParentSpanId(), parent.GetSpanId()) && bytes.Equal(s.GetTraceId(), parent.GetTraceId())
	}
}

// linkedWith returns the filter of the spans that are linked with another one.
func linkedWith(other *otlp.Span) func(*otlp.Span) bool {
	return func(s *otlp.Span) bool {
		return slices.ContainsFunc(s.GetLinks(),
			func(l *otlp.Span_Link) bool { return bytes.Equal(l.GetSpanId(), other.GetSpanId()) })
	}
}

func anySpan(*otlp.Span) bool { return true }

// attributes returns the attributes of a span as JSON.
func attributes(span *otlp.Span) map[string]any {
	all := map[string]any{}
	for _, a := range span.GetAttributes() {
		switch value := a.GetValue().GetStringValue(); value {
		case "":
			all[a.GetKey()] = a.GetValue().GetIntValue()
		default:
			all[a.GetKey()] = value
		}
	}
	return all
}

func expectAttributes(t *testing.T, span *otlp.Span, want map[string]any) {
	t.Helper()
	got, _ := json.Marshal(attributes(span))
	wanted, _ := json.Marshal(want)
	if !bytes.Equal(got, wanted) {
		t.Errorf("%s: got attributes %s, want %s", span.GetName(), got, wanted)
	}
}

const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "b7ad6b7169203331"
)

// TestTraceOfCreation creates an order as part of a caller's trace, and expects the spans of
// what the service did.
func TestTraceOfCreation(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := apptest.Start(t, traced(c.url))
	p := s.Register(t, "metro")
	body := testkit.OrderJSON("A-1", "")
	headers := append(p.Signed(http.MethodPost, "/v1/orders", body), "Idempotency-Key", uuid.NewString(),
		"Traceparent", "00-"+callersTrace+"-"+callersSpan+"-01", "Tracestate", "vendor=private-state")
	made := s.Do(t, http.MethodPost, "/v1/orders", body, headers...).Must(t, 201)
	s.Stop()

	request := c.one(t, "POST /v1/orders", anySpan)
	if trace, parent := hex.EncodeToString(request.GetTraceId()),
		hex.EncodeToString(request.GetParentSpanId()); trace != callersTrace || parent != callersSpan {
		t.Errorf("got trace %s within %s, want the caller's", trace, parent)
	}
	if request.GetKind() != otlp.Span_SPAN_KIND_SERVER || request.GetStatus().GetCode() != otlp.Status_STATUS_CODE_UNSET {
		t.Errorf("got kind %v and status %v, want a server's without error", request.GetKind(), request.GetStatus())
	}
	expectAttributes(t, request, map[string]any{
		"http.request.method": http.MethodPost, "http.route": "/v1/orders", "http.response.status_code": 201,
		"dropyard.request_id": made.Header.Get("X-Request-Id"), "dropyard.partner_id": p.PartnerID,
	})
	c.one(t, "verify signature", within(request))
	c.one(t, "wait for group", within(request))
	commit := c.one(t, "commit", within(request))
	group := c.one(t, "commit group", linkedWith(request))
	if !linkedWith(group)(commit) || bytes.Equal(group.GetTraceId(), request.GetTraceId()) ||
		len(group.GetParentSpanId()) > 0 {
		t.Errorf("got a commit with links %v, want one to the group, which has a trace of its own", commit.GetLinks())
	}
	expectAttributes(t, group,
		map[string]any{"dropyard.group.commands": 1, "dropyard.group.races": 0, "dropyard.group.retries": 0})
	system := "postgresql"
	if onSQLite() {
		system = "sqlite"
	}
	expectAttributes(t, c.one(t, "write transaction", within(group)), map[string]any{"db.system.name": system})
	c.expectWithout(t, append(textsOf(t, body), made.Text("order_id"), p.SecretKey, p.PublicKey, p.Password, p.Email,
		headers[5], "private-state"))
}

// textsOf returns the texts in a JSON document that cannot be anything else's.
func textsOf(t *testing.T, document []byte) (texts []string) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(string); ok && len(text) > 5 && strings.ContainsAny(text, " @+-") {
			texts = append(texts, text)
		}
	}
}

// expectWithout looks for texts in all that was sent.
func (c *collector) expectWithout(t *testing.T, texts []string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(texts) < 5 || len(c.raw) == 0 {
		t.Fatalf("got %d texts and %d bytes, want something to look for, and in", len(texts), len(c.raw))
	}
	for _, text := range texts {
		if bytes.Contains(c.raw, []byte(text)) {
			t.Errorf("the collector was sent %q", text)
		}
	}
}

// TestTraceOfRefusedRequests expects the kind of an error, and that only faults of the service
// count as failed.
func TestTraceOfRefusedRequests(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := apptest.Start(t, traced(c.url), func(_ *config.Config, world *app.Surroundings) {
		world.OrderStore = func(kept orders.Store) orders.Store { return failing{kept} }
	})
	p := s.Register(t, "metro")
	p.Create(t, []byte(`{`)).Must(t, 400)
	p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 500)
	s.Do(t, "GET", "/nowhere/private-path?with=private-query", nil).Must(t, 404)
	s.Do(t, "BREW", "/nowhere", nil).Must(t, 404)
	s.Stop()
	byStatus := func(status int) func(*otlp.Span) bool {
		return func(span *otlp.Span) bool { return attributes(span)["http.response.status_code"] == int64(status) }
	}
	refused := c.one(t, "POST /v1/orders", byStatus(400))
	if attributes(refused)["dropyard.error.code"] != "bad_request" ||
		refused.GetStatus().GetCode() != otlp.Status_STATUS_CODE_UNSET {
		t.Errorf("400: got %v and status %v, want the code and no failure", attributes(refused), refused.GetStatus())
	}
	failed := c.one(t, "POST /v1/orders", byStatus(500))
	if attributes(failed)["error.type"] != "500" || failed.GetStatus().GetCode() != otlp.Status_STATUS_CODE_ERROR ||
		failed.GetStatus().GetMessage() != "" {
		t.Errorf("500: got %v and status %v, want a failure without text", attributes(failed), failed.GetStatus())
	}
	if group := c.one(t, "commit group",
		linkedWith(failed)); group.GetStatus().GetCode() != otlp.Status_STATUS_CODE_ERROR {
		t.Errorf("got a group with status %v, want a failure", group.GetStatus())
	}
	c.one(t, "GET", byStatus(404))
	if unknown := c.one(t, "HTTP", byStatus(404)); attributes(unknown)["http.request.method"] != "_OTHER" {
		t.Errorf("BREW: got %v, want the method _OTHER", attributes(unknown))
	}
	c.expectWithout(t, []string{"private-path", "private-query", "private-fault", "BREW", "nowhere"})
}

// failing is a store whose transactions fail.
type failing struct{ orders.Store }

func (failing) Write(context.Context, func(orders.Writer) error) error {
	return errors.New("duplicate key (private-fault)")
}

// TestTraceOfWebhooks expects a span for each attempt, and that receivers are sent nothing of it.
func TestTraceOfWebhooks(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	h := newHooked(t, traced(c.url))
	h.receiver.Answers(apptest.Always(503))
	id := h.accepted(t)
	hook := h.receiver.Next(t)
	for _, name := range []string{"Traceparent", "Tracestate", "Baggage"} {
		if sent := hook.Header.Get(name); sent != "" {
			t.Errorf("got %s: %s at the receiver, want none", name, sent)
		}
	}
	h.settled(t, id, "1 pending 1")
	h.Stop()
	attempt := c.one(t, "POST webhook", anySpan)
	expectAttributes(t, attempt, map[string]any{
		"http.request.method": http.MethodPost, "http.response.status_code": 503, "http.request.resend_count": 0,
		"error.type": "503", "server.address": "127.0.0.1", "dropyard.partner_id": h.partner.PartnerID,
		"dropyard.event.id": hook.Text("id"), "dropyard.event.type": "order.accepted",
	})
	if attempt.GetStatus().GetCode() != otlp.Status_STATUS_CODE_ERROR ||
		attempt.GetKind() != otlp.Span_SPAN_KIND_CLIENT || len(attempt.GetParentSpanId()) > 0 {
		t.Errorf("got %v, want a failed client's span with a trace of its own", attempt)
	}
	c.expectWithout(t,
		[]string{id, "/hooks", h.secret, hook.Header.Get("Drop-Signature"), h.partner.SecretKey, h.partner.PublicKey})
}

// TestTracesOfCallersThatDoNotRecord expects that a caller's decision holds.
func TestTracesOfCallersThatDoNotRecord(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := apptest.Start(t, traced(c.url))
	s.Do(t, "GET", "/v1/health", nil, "Traceparent", "00-"+callersTrace+"-"+callersSpan+"-00").Must(t, 200)
	s.Do(t, "GET", "/v1/ready", nil, "Traceparent", "not one").Must(t, 200)
	s.Stop()
	c.one(t, "GET /v1/ready", anySpan)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, span := range c.sent {
		if span.GetName() == "GET /v1/health" {
			t.Errorf("got %v, want no span", span)
		}
	}
}

// TestCollectorThatCannotBeReached creates orders while spans cannot be sent.
func TestCollectorThatCannotBeReached(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(nil)
	gone.Close()
	s := apptest.Start(t, traced(gone.URL), apptest.WithMetrics())
	p := s.Register(t, "metro")
	for range 3 {
		p.Create(t, testkit.OrderJSON(uuid.NewString(), "")).Must(t, 201)
	}
	s.Stop()
	if lines := strings.Count(s.Log.String(), "traces not sent"); lines != 1 {
		t.Errorf("got %d lines, want 1:\n%s", lines, s.Log.String())
	}
}

// TestLinesOfTracedRequests expects the trace in the line of a request that failed.
func TestLinesOfTracedRequests(t *testing.T) {
	t.Parallel()
	c := newCollector(t)
	s := apptest.Start(t, traced(c.url), func(_ *config.Config, world *app.Surroundings) {
		world.OrderStore = func(kept orders.Store) orders.Store { return failing{kept} }
	})
	s.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 500)
	s.Stop()
	trace := hex.EncodeToString(c.one(t, "POST /v1/orders", anySpan).GetTraceId())
	for line := range strings.Lines(s.Log.String()) {
		if strings.Contains(line, "request failed") && strings.Contains(line, "trace_id="+trace) {
			return
		}
	}
	t.Errorf("got no line of the failed request with trace_id=%s:\n%s", trace, s.Log.String())
}
