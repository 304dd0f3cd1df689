package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// webhookSecret is the secret with which the receivers in these tests verify events.
const webhookSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"

// operatorEnv holds the settings by which serve creates the first operator and
// trigger logs in.
var operatorEnv = []string{"DROPYARD_OPERATOR_EMAIL=" + apptest.OperatorEmail, "DROPYARD_OPERATOR_PASSWORD=" +
	apptest.OperatorPassword}

// as returns a run with the partner's key, against the service at url.
func (r run) as(partner *apptest.Partner, url string) run {
	r.env = slices.Concat(r.env,
		[]string{"DROPYARD_URL=" + url, "DROPYARD_KEY=" + partner.PublicKey, "DROPYARD_SECRET=" + partner.SecretKey})
	return r
}

// listening is a running "dropyard listen".
type listening struct {
	command        *exec.Cmd
	stdout, stderr chan string // lines; closed at the end of the process
}

// lines returns a channel of the lines that it reads, which is closed at the end.
func lines(from io.Reader) chan string {
	read := make(chan string, 1000)
	go func() {
		defer close(read)
		for scanner := bufio.NewScanner(from); scanner.Scan(); {
			read <- scanner.Text()
		}
	}()
	return read
}

// listen starts "dropyard listen" and returns once it shows new events.
func (r run) listen(t *testing.T, args ...string) *listening {
	t.Helper()
	l := &listening{command: r.command(t, append([]string{"listen"}, args...)...)}
	stdout, err := l.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := l.command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.command.Start(); err != nil {
		t.Fatal(err)
	}
	l.stdout, l.stderr = lines(stdout), lines(stderr)
	late := hang(t)
	for {
		select {
		case line, open := <-l.stdout:
			if !open {
				t.Fatalf("listen ended with %q", <-l.stderr)
			}
			if strings.HasPrefix(line, "Listening") {
				return l
			}
		case <-late:
			t.Fatalf("listen did not get ready within %v", repeatable.Hang)
		}
	}
}

// hang returns a channel that is closed when a test that still waits has to fail.
func hang(t *testing.T) <-chan struct{} {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), repeatable.Hang)
	t.Cleanup(cancel)
	return ctx.Done()
}

// next waits for a line.
func next(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case line, open := <-from:
		if !open {
			t.Fatal("got the end of the output, want a line")
		}
		return line
	case <-hang(t):
		t.Fatalf("got no line within %v", repeatable.Hang)
	}
	return ""
}

// stop interrupts the process, as Ctrl-C does, and returns the lines not yet read.
func (l *listening) stop(t *testing.T) (stdout, stderr []string) {
	t.Helper()
	if err := l.command.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	for line := range l.stdout {
		stdout = append(stdout, line)
	}
	for line := range l.stderr {
		stderr = append(stderr, line)
	}
	_ = l.command.Wait()
	if code := l.command.ProcessState.ExitCode(); code != 0 {
		t.Errorf("SIGINT: got exit code %d and %q, want 0", code, stderr)
	}
	return stdout, stderr
}

// hook is a receiver such as a partner writes.
type hook struct {
	*httptest.Server
	events chan client.Event
}

// receiveEvents starts a receiver that verifies both signatures of each event. It
// responds with the given statuses one after the other, and then with 200.
func receiveEvents(t *testing.T, statuses ...int) *hook {
	t.Helper()
	h := &hook{events: make(chan client.Event, 1000)}
	script := make(chan int, len(statuses))
	for _, status := range statuses {
		script <- status
	}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var event client.Event
		if err != nil || json.Unmarshal(body, &event) != nil {
			t.Errorf("got body %q (%v), want an event", body, err)
		}
		if !client.VerifyDropSignature(webhookSecret, body, r.Header.Get("Drop-Signature")) {
			t.Errorf("got headers %v, want a valid Drop-Signature", r.Header)
		}
		if err := client.VerifyWebhook(webhookSecret, r.Header, body); err != nil {
			t.Errorf("got headers %v, error %v, want a valid webhook-signature", r.Header, err)
		}
		if r.Header.Get("Drop-Event-Id") != event.ID || r.Header.Get("Webhook-Id") != event.ID ||
			r.Header.Get("Drop-Event-Timestamp") != r.Header.Get("Webhook-Timestamp") ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("event %s: got headers %v, want its id and matching times", event.ID, r.Header)
		}
		h.events <- event
		select {
		case status := <-script:
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		default:
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// next waits for an event.
func (h *hook) next(t *testing.T) client.Event {
	t.Helper()
	select {
	case event := <-h.events:
		return event
	case <-hang(t):
		t.Fatalf("got no event within %v", repeatable.Hang)
	}
	return client.Event{}
}

// gate is a proxy in front of a service, which can be stopped and restarted on
// another port behind it.
type gate struct {
	*httptest.Server
	to atomic.Pointer[url.URL] // nil while the service is stopped
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{}
	proxy := &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(g.to.Load()) },
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.to.Load() == nil {
			panic(http.ErrAbortHandler)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

func (g *gate) open(t *testing.T, service string) {
	t.Helper()
	to, err := url.Parse(service)
	if err != nil {
		t.Fatal(err)
	}
	g.to.Store(to)
}

// TestListenReconnects kills the service and starts it again. No event may be lost or
// shown twice, and the loss of the connection is reported once.
func TestListenReconnects(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	g, h := newGate(t), receiveEvents(t)
	g.open(t, s.URL)
	partner := s.Register(t, "metro")
	l := r.as(partner, g.URL).with("DROPYARD_WEBHOOK_SECRET="+webhookSecret).listen(t, "--forward-to", h.URL+"/hooks")

	trigger := func(event string) (orderID string) {
		t.Helper()
		got := r.as(partner, s.URL).do(t, "trigger", event)
		if got.code != 0 {
			t.Fatalf("trigger: got %+v, want exit code 0", got)
		}
		return strings.Fields(got.stdout)[1]
	}
	var want []string
	expect := func(orderID string, events ...string) {
		t.Helper()
		for _, name := range events {
			want = append(want, name+" "+orderID)
		}
	}
	expect(trigger("order.cancelled"), "order.cancelled")
	h.next(t)
	expect(trigger("courier.assigned"), "order.accepted", "courier.assigned") // shown before or after the kill
	g.to.Store(nil)
	s.signal(t, syscall.SIGKILL)
	g.CloseClientConnections()
	if line := next(t, l.stderr); !strings.HasPrefix(line, "Lost the connection to the service") {
		t.Errorf("got unexpected line %q", line)
	}
	s = r.serve(t)
	// happens before listen reconnects
	expect(trigger("order.failed"), "order.accepted", "courier.assigned", "order.failed")
	g.open(t, s.URL)
	if line := next(t, l.stderr); line != "Reconnected." {
		t.Errorf("got unexpected line %q", line)
	}
	expect(trigger("order.cancelled"), "order.cancelled")
	var got []string
	for range want {
		line := next(t, l.stdout)
		fields := strings.Fields(line)
		got = append(got, fields[1]+" "+fields[2])
		if !strings.Contains(line, "→ 200 OK (") {
			t.Errorf("got unexpected line %q", line)
		}
	}
	stdout, stderr := l.stop(t)
	if !slices.Equal(got, want) || len(stdout) != 0 || len(stderr) != 0 || len(h.events) != len(want)-1 {
		t.Errorf("got %q, then %q, %q and %d forwarded events\nwant %q and nothing else", got, stdout, stderr,
			len(h.events)+1, want)
	}
}

// TestListenFlags checks --since, --events and --print-bodies.
func TestListenFlags(t *testing.T) {
	t.Parallel()
	r := run{dir: testkit.FastDir(t), env: operatorEnv}
	s := r.serve(t)
	from := r.as(s.Register(t, "metro"), s.URL)
	from.env = append(from.env, "TZ=UTC")
	got := from.do(t, "trigger", "order.failed")
	if got.code != 0 {
		t.Fatalf("trigger: got %+v, want exit code 0", got)
	}
	orderID := strings.Fields(got.stdout)[1]
	l := from.listen(t, "--since", "10m", "--events", "order.failed,courier.assigned", "--print-bodies")
	for _, name := range []string{"courier.assigned", "order.failed"} {
		line, body := next(t, l.stdout), next(t, l.stdout)
		var event client.Event
		if err := json.Unmarshal([]byte(body), &event); err != nil || string(event.Type) != name ||
			event.OrderID() != orderID || !strings.HasPrefix(body, "  {") {
			t.Errorf("got body %q (%v), want a %s of %s", body, err, name, orderID)
		}
		if want := fmt.Sprintf("%s  %-22s  %s  %s", event.CreatedAt.UTC().Format(time.TimeOnly), name, orderID,
			event.ID); line != want {
			t.Errorf("got line %q, want %q", line, want)
		}
	}
	if stdout, stderr := l.stop(t); len(stdout) != 0 || len(stderr) != 0 {
		t.Errorf("after the last event: got %q, %q, want nothing", stdout, stderr)
	}
}

// fakeFeed starts a server whose feed returns no events at first, then the given ones,
// and then blocks.
func fakeFeed(t *testing.T, events ...client.FeedEvent) *httptest.Server {
	t.Helper()
	answers := make(chan []client.FeedEvent, 2)
	answers <- []client.FeedEvent{}
	answers <- events
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case found := <-answers:
			_ = json.NewEncoder(w).Encode(map[string]any{"events": found, "cursor": identifier.FirstUUID(time.Now())})
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections) // runs before Close
	return server
}

// feedEvent returns the nth event of a feed, signed with webhookSecret.
func feedEvent(n int) client.FeedEvent {
	// later than the feed begins
	id := identifier.FirstUUID(time.Now().Add(repeatable.Hang + time.Duration(n)*time.Second))
	body := fmt.Sprintf(
		`{"id":%q,"type":"order.accepted","created_at":"2026-01-14T15:00:00Z","sequence":%d,"data":{"order_id":"ord_1"}}`, id,
		n,
	)
	header, err := client.SignWebhook(webhookSecret, id, time.Now(), []byte(body))
	if err != nil {
		panic(err)
	}
	return client.FeedEvent{EventID: id, Body: body, Signature: header.Get("Drop-Signature")}
}

// listenTo runs "dropyard listen" on a fake feed. The API key's secret is
// webhookSecret, with which the events are signed.
func listenTo(t *testing.T, from *httptest.Server, args ...string) *listening {
	t.Helper()
	r := run{dir: testkit.FastDir(t), env: []string{"DROPYARD_URL=" + from.URL, "DROPYARD_KEY=pk_1", "DROPYARD_SECRET=" +
		webhookSecret, "DROPYARD_WEBHOOK_SECRET=" + webhookSecret}}
	return r.listen(t, args...)
}

// TestListenReportsForgedEvents expects a warning, and that only genuine events are
// forwarded.
func TestListenReportsForgedEvents(t *testing.T) {
	t.Parallel()
	forged, swapped, genuine := feedEvent(1), feedEvent(2), feedEvent(3)
	forged.Body = strings.Replace(forged.Body, "ord_1", "ord_2", 1)
	swapped.Body, swapped.Signature = genuine.Body, genuine.Signature
	h := receiveEvents(t)
	l := listenTo(t, fakeFeed(t, forged, swapped, genuine), "--forward-to", h.URL)
	for _, e := range []client.FeedEvent{forged, swapped} {
		if line := next(t, l.stderr); !strings.HasPrefix(line, "WARNING: event \""+e.EventID) ||
			!strings.Contains(line, "NOT SIGNED") {
			t.Errorf("got unexpected line %q", line)
		}
	}
	if line := next(t, l.stdout); !strings.Contains(line, genuine.EventID) {
		t.Errorf("got unexpected line %q", line)
	}
	stdout, stderr := l.stop(t)
	if len(stdout) != 0 || len(stderr) != 0 || h.next(t).ID != genuine.EventID || len(h.events) != 0 {
		t.Errorf("after the last event: got %q, %q and %d more events, want nothing", stdout, stderr, len(h.events))
	}
}

// TestListenShowsReceiversStatus also expects that no event is sent twice.
func TestListenShowsReceiversStatus(t *testing.T) {
	t.Parallel()
	h := receiveEvents(t, 204, 500, 302, 401)
	events := []client.FeedEvent{feedEvent(1), feedEvent(2), feedEvent(3), feedEvent(4), feedEvent(5)}
	l := listenTo(t, fakeFeed(t, events...), "--forward-to", h.URL)
	for i, want := range []string{
		"204 No Content", "500 Internal Server Error", "302 Found", "401 Unauthorized", "200 OK",
	} {
		line := next(t, l.stdout)
		if !strings.Contains(line, events[i].EventID+"  → "+want+" (") ||
			strings.HasSuffix(line, "failed") != (i > 0 && i < 4) {
			t.Errorf("got line %q, want %s", line, want)
		}
	}
	l.stop(t)
	if len(h.events) != len(events) {
		t.Errorf("got %d requests, want %d", len(h.events), len(events))
	}
}

// TestListenWithoutReceiver expects a line for each event that cannot be forwarded.
func TestListenWithoutReceiver(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	l := listenTo(t, fakeFeed(t, feedEvent(1), feedEvent(2)), "--forward-to", "http://"+closed.Addr().String())
	for range 2 {
		if line := next(t, l.stdout); !strings.Contains(line, "→ no response: ") || !strings.Contains(line, "refused") {
			t.Errorf("got unexpected line %q", line)
		}
	}
	l.stop(t)
}

// TestListenErrors expects one line, and an exit code that says who refused.
func TestListenErrors(t *testing.T) {
	t.Parallel()
	refusing := receive(t, 401, `{"error":{"code":"unauthorized","message":"this key does not exist"}}`)
	for url, want := range map[string]result{
		refusing.URL:         {exitRefused, "", "this key does not exist"},
		"http://127.0.0.1:1": {exitNoAnswer, "", "no response from http://127.0.0.1:1: "},
	} {
		got := (run{env: keyEnv}).do(t, "listen", "--server", url)
		if got.code != want.code || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, want.stderr) {
			t.Errorf("listen --server %s: got %+v, want %+v on one line", url, got, want)
		}
	}
}

// keyEnv is an API key in the environment.
var keyEnv = []string{"DROPYARD_KEY=pk", "DROPYARD_SECRET=hushhush"}

// with returns the run with more in its environment.
func (r run) with(env ...string) run {
	r.env = slices.Concat(r.env, env)
	return r
}

// TestInvalidListenAndTriggerFlags expects exit code 2 and one line without secrets.
func TestInvalidListenAndTriggerFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"listen":                  "dropyard login",
		"-DROPYARD_KEY=pk listen": "DROPYARD_SECRET must be set",
		"-DROPYARD_SECRET=hushhush trigger order.failed": "DROPYARD_KEY and",
		"+ listen --events order.eaten":                  "order.accepted, courier.assigned",
		"+ listen --since soon":                          "--since",
		"+ listen --since=-5m":                           "--since",
		"+ listen --forward-to localhost:3000":           "--forward-to",
		"+ listen --forward-to ftp://hushhush@x/":        "--forward-to",
		"+ listen --server nowhere":                      "--server",
		"+DROPYARD_WEBHOOK_SECRET=hushhush listen":       "DROPYARD_WEBHOOK_SECRET",
		"+DROPYARD_WEBHOOK_SECRET=whsec_hush listen":     "DROPYARD_WEBHOOK_SECRET",
		"+ trigger":              "event",
		"+ trigger order.eaten":  "return.received, stock.changed, stock.low, webhook.test",
		"+ trigger order.failed": "DROPYARD_OPERATOR_TOKEN",
		"+DROPYARD_OPERATOR_EMAIL=a@b trigger order.failed": "dropyard login --operator",
	} {
		words := strings.Fields(args)
		r := run{}
		if environment, ok := strings.CutPrefix(words[0], "+"); ok {
			r, words = r.with(keyEnv...).with(environment), words[1:]
		} else if environment, ok := strings.CutPrefix(words[0], "-"); ok {
			r, words = r.with(environment), words[1:]
		}
		got := r.do(t, words...)
		if got.code != 2 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
			!strings.Contains(got.stderr, want) || strings.Contains(got.stderr, "hush") {
			t.Errorf("%s: got %+v, want exit code 2 and one line with %q", args, got, want)
		}
	}
}
