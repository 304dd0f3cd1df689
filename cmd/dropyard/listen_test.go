package main

import (
	"bufio"
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
)

// webhookSecret is what the receivers of these tests verify with.
const webhookSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g"

// operatorEnv makes the first operator, and lets trigger use it.
var operatorEnv = []string{"DROPYARD_OPERATOR_EMAIL=" + apptest.OperatorEmail, "DROPYARD_OPERATOR_PASSWORD=" + apptest.OperatorPassword}

// as is a run with the partner's key, against the service at url.
func (r run) as(partner *apptest.Partner, url string) run {
	r.env = slices.Concat(r.env, []string{"DROPYARD_URL=" + url, "DROPYARD_KEY=" + partner.PublicKey, "DROPYARD_SECRET=" + partner.SecretKey})
	return r
}

// listening is a running "dropyard listen".
type listening struct {
	command        *exec.Cmd
	stdout, stderr chan string // line by line, closed at the end
}

// lines reads lines into a channel.
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

// listen starts to listen; what happens from then on is seen.
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
	for {
		select {
		case line, open := <-l.stdout:
			if !open {
				t.Fatalf("did not listen: %s", <-l.stderr)
			}
			if strings.HasPrefix(line, "Listening") {
				return l
			}
		case <-time.After(patience):
			t.Fatal("does not listen")
		}
	}
}

// patience only bounds a test that has gone wrong.
const patience = 60 * time.Second

// next waits for a line.
func next(t *testing.T, from <-chan string) string {
	t.Helper()
	select {
	case line, open := <-from:
		if !open {
			t.Fatal("it has ended")
		}
		return line
	case <-time.After(patience):
		t.Fatal("no line came")
	}
	return ""
}

// stop interrupts it, as Ctrl-C does, and gives what it had left to say.
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
		t.Errorf("exit code %d, said %q", code, stderr)
	}
	return stdout, stderr
}

// hook is a receiver as a partner's developer writes it.
type hook struct {
	*httptest.Server
	events chan client.Event
}

// receiveEvents starts a receiver that verifies both signatures, and answers
// with the statuses in turn, then 200.
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
			t.Errorf("not an event: %q (%v)", body, err)
		}
		if !client.VerifyEvent(webhookSecret, body, r.Header.Get("Drop-Signature")) {
			t.Errorf("Drop-Signature is wrong: %v", r.Header)
		}
		if err := client.VerifyWebhook(webhookSecret, r.Header, body); err != nil {
			t.Errorf("%v: %v", err, r.Header)
		}
		if r.Header.Get("Drop-Event-Id") != event.ID || r.Header.Get("Webhook-Id") != event.ID ||
			r.Header.Get("Drop-Event-Timestamp") != r.Header.Get("Webhook-Timestamp") || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("headers of %s: %v", event.ID, r.Header)
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
	case <-time.After(patience):
		t.Fatal("no event came")
	}
	return client.Event{}
}

// gate stands before a service, so that it can go and come back elsewhere.
type gate struct {
	*httptest.Server
	to atomic.Pointer[url.URL] // nil: nobody is there
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

// TestListenSurvivesTheService: while the service is killed and comes back,
// nothing is lost and nothing comes twice, and it is told once.
func TestListenSurvivesTheService(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir(), env: operatorEnv}
	s := r.serve(t)
	g, h := newGate(t), receiveEvents(t)
	g.open(t, s.URL)
	partner := s.Register(t, "metro")
	l := r.as(partner, g.URL).listen(t, "--forward-to", h.URL+"/hooks", "--secret", webhookSecret)

	trigger := func(event string) (orderID string) {
		t.Helper()
		got := r.as(partner, s.URL).do(t, "trigger", event)
		if got.code != 0 {
			t.Fatalf("trigger: %+v", got)
		}
		return strings.Fields(got.stdout)[1]
	}
	var want []string
	told := func(orderID string, events ...string) {
		t.Helper()
		for _, name := range events {
			want = append(want, name+" "+orderID)
		}
	}
	told(trigger("order.cancelled"), "order.cancelled")
	h.next(t)
	told(trigger("courier.assigned"), "order.accepted", "courier.assigned") // perhaps seen before the end, perhaps after
	g.to.Store(nil)
	s.signal(t, syscall.SIGKILL)
	g.CloseClientConnections()
	if line := next(t, l.stderr); !strings.HasPrefix(line, "Lost the connection to the service") {
		t.Errorf("said %q", line)
	}
	s = r.serve(t)
	told(trigger("order.failed"), "order.accepted", "courier.assigned", "order.failed") // before it is connected again
	g.open(t, s.URL)
	if line := next(t, l.stderr); line != "Connected again." {
		t.Errorf("said %q", line)
	}
	told(trigger("order.cancelled"), "order.cancelled")
	var got []string
	for range want {
		line := next(t, l.stdout)
		fields := strings.Fields(line)
		got = append(got, fields[1]+" "+fields[2])
		if !strings.Contains(line, "→ 200 OK (") {
			t.Errorf("said %q", line)
		}
	}
	stdout, stderr := l.stop(t)
	if !slices.Equal(got, want) || len(stdout) != 0 || len(stderr) != 0 || len(h.events) != len(want)-1 {
		t.Errorf("got %q\nwant %q\nthen %q, %q; %d events arrived", got, want, stdout, stderr, len(h.events)+1)
	}
}

// TestListenShowsWhatIsAskedFor: since when, which events, and their bodies.
func TestListenShowsWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	r := run{dir: t.TempDir(), env: operatorEnv}
	s := r.serve(t)
	from := r.as(s.Register(t, "metro"), s.URL)
	from.env = append(from.env, "TZ=UTC")
	got := from.do(t, "trigger", "order.failed")
	if got.code != 0 {
		t.Fatalf("trigger: %+v", got)
	}
	orderID := strings.Fields(got.stdout)[1]
	l := from.listen(t, "--since", "10m", "--events", "order.failed,courier.assigned", "--print-bodies")
	for _, name := range []string{"courier.assigned", "order.failed"} {
		line, body := next(t, l.stdout), next(t, l.stdout)
		var event client.Event
		if err := json.Unmarshal([]byte(body), &event); err != nil || event.Type != name || event.OrderID() != orderID || !strings.HasPrefix(body, "  {") {
			t.Errorf("body %q: %v", body, err)
		}
		if want := fmt.Sprintf("%s  %-22s  %s  %s", event.CreatedAt.UTC().Format(time.TimeOnly), name, orderID, event.ID); line != want {
			t.Errorf("line %q, want %q", line, want)
		}
	}
	if stdout, stderr := l.stop(t); len(stdout) != 0 || len(stderr) != 0 {
		t.Errorf("and then %q, %q", stdout, stderr)
	}
}

// fakeFeed answers as the service does: first with nothing, then with the
// events, signed with secretKey, then with nothing for as long as it is asked.
func fakeFeed(t *testing.T, events ...client.FeedEvent) *httptest.Server {
	t.Helper()
	answers := make(chan []client.FeedEvent, 2)
	answers <- []client.FeedEvent{}
	answers <- events
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case told := <-answers:
			_ = json.NewEncoder(w).Encode(map[string]any{"events": told, "cursor": identifier.FirstUUID(time.Now())})
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections) // before that
	return server
}

// feedEvent is an event to feed, the nth that happens.
func feedEvent(n int) client.FeedEvent {
	id := identifier.FirstUUID(time.Now().Add(time.Minute + time.Duration(n)*time.Second))
	body := fmt.Sprintf(`{"id":%q,"type":"order.accepted","created_at":"2026-01-14T15:00:00Z","sequence":%d,"data":{"order_id":"ord_1"}}`, id, n)
	header, err := client.SignWebhook(webhookSecret, id, time.Now(), []byte(body))
	if err != nil {
		panic(err)
	}
	return client.FeedEvent{EventID: id, Body: body, Signature: header.Get("Drop-Signature")}
}

// fed listens to a fake feed whose API key's secret is a webhook secret, which
// this test can sign with.
func fed(t *testing.T, from *httptest.Server, args ...string) *listening {
	t.Helper()
	r := run{dir: t.TempDir(), env: []string{"DROPYARD_URL=" + from.URL, "DROPYARD_KEY=pk_1", "DROPYARD_SECRET=" + webhookSecret}}
	return r.listen(t, args...)
}

// TestListenRefusesForgedEvents, loudly, and forwards only real ones.
func TestListenRefusesForgedEvents(t *testing.T) {
	t.Parallel()
	forged, swapped, real := feedEvent(1), feedEvent(2), feedEvent(3)
	forged.Body = strings.Replace(forged.Body, "ord_1", "ord_2", 1)
	swapped.Body, swapped.Signature = real.Body, real.Signature
	h := receiveEvents(t)
	l := fed(t, fakeFeed(t, forged, swapped, real), "--forward-to", h.URL, "--secret", webhookSecret)
	for _, e := range []client.FeedEvent{forged, swapped} {
		if line := next(t, l.stderr); !strings.HasPrefix(line, "WARNING: event \""+e.EventID) || !strings.Contains(line, "NOT SIGNED") {
			t.Errorf("said %q", line)
		}
	}
	if line := next(t, l.stdout); !strings.Contains(line, real.EventID) {
		t.Errorf("said %q", line)
	}
	stdout, stderr := l.stop(t)
	if len(stdout) != 0 || len(stderr) != 0 || h.next(t).ID != real.EventID || len(h.events) != 0 {
		t.Errorf("and then %q, %q, and %d events more", stdout, stderr, len(h.events))
	}
}

// TestListenTellsWhatTheReceiverSaid, and sends nothing twice.
func TestListenTellsWhatTheReceiverSaid(t *testing.T) {
	t.Parallel()
	h := receiveEvents(t, 204, 500, 302, 401)
	events := []client.FeedEvent{feedEvent(1), feedEvent(2), feedEvent(3), feedEvent(4), feedEvent(5)}
	l := fed(t, fakeFeed(t, events...), "--forward-to", h.URL, "--secret", webhookSecret)
	for i, want := range []string{"204 No Content", "500 Internal Server Error", "302 Found", "401 Unauthorized", "200 OK"} {
		line := next(t, l.stdout)
		if !strings.Contains(line, events[i].EventID+"  → "+want+" (") || strings.HasSuffix(line, "a failure") != (i > 0 && i < 4) {
			t.Errorf("said %q, want %s", line, want)
		}
	}
	l.stop(t)
	if len(h.events) != len(events) {
		t.Errorf("%d requests", len(h.events))
	}
}

// TestListenWithoutAReceiver says so for each event, and goes on.
func TestListenWithoutAReceiver(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = closed.Close()
	l := fed(t, fakeFeed(t, feedEvent(1), feedEvent(2)), "--forward-to", "http://"+closed.Addr().String())
	for range 2 {
		if line := next(t, l.stdout); !strings.Contains(line, "→ no answer: ") || !strings.Contains(line, "refused") {
			t.Errorf("said %q", line)
		}
	}
	l.stop(t)
}

// TestListenThatCannot ends with exit code 1 and one line.
func TestListenThatCannot(t *testing.T) {
	t.Parallel()
	refusing := receive(t, 401, `{"error":{"code":"unauthorized","message":"this key does not exist"}}`)
	for url, told := range map[string]string{
		refusing.URL:         "this key does not exist",
		"http://127.0.0.1:1": "refused",
	} {
		got := (run{}).do(t, "listen", "--key", "pk", "--key-secret", "sk", "--url", url)
		if got.code != 1 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, told) {
			t.Errorf("%s: %+v", url, got)
		}
	}
}

// TestBadListenSettings end with exit code 2 and one line, and tell no secret.
func TestBadListenSettings(t *testing.T) {
	t.Parallel()
	for args, told := range map[string]string{
		"listen":          "--key",
		"listen --key pk": "--key-secret",
		"listen --key pk --key-secret hushhush --events order.eaten":           "order.accepted, courier.assigned",
		"listen --key pk --key-secret hushhush --since soon":                   "--since",
		"listen --key pk --key-secret hushhush --since=-5m":                    "--since",
		"listen --key pk --key-secret hushhush --forward-to localhost:3000":    "--forward-to",
		"listen --key pk --key-secret hushhush --forward-to ftp://hushhush@x/": "--forward-to",
		"listen --key pk --key-secret hushhush --url nowhere":                  "--url",
		"listen --key pk --key-secret hushhush --secret hushhush":              "--secret",
		"listen --key pk --key-secret hushhush --secret whsec_hush":            "--secret",
		"trigger --key pk --secret hushhush":                                   "event",
		"trigger order.eaten --key pk --secret hushhush":                       "order.cancelled, webhook.test",
		"trigger order.failed --secret hushhush":                               "--key",
		"trigger order.failed --key pk --secret hushhush":                      "--operator-email",
		"trigger order.failed --key pk --secret hushhush --operator-email a@b": "--operator-password",
	} {
		got := (run{}).do(t, strings.Fields(args)...)
		if got.code != 2 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 || !strings.Contains(got.stderr, told) || strings.Contains(got.stderr, "hush") {
			t.Errorf("%s: %+v", args, got)
		}
	}
}
