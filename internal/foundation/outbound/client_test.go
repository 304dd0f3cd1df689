package outbound

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestRequest(t *testing.T) {
	t.Parallel()
	var got atomic.Value
	address := speak(t, "127.0.0.1", func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		body, _ := io.ReadAll(request.Body)
		dump := request.Method + " " + request.RequestURI + " " + request.Proto + " " + string(body)
		for name, values := range request.Header {
			dump += "\n" + name + ": " + strings.Join(values, ", ")
		}
		got.Store(dump)
		_, _ = io.WriteString(conn, "HTTP/1.1 204 \r\nSet-Cookie: a=b\r\n\r\n")
	})
	c := newTestClient(t, development, nil)
	answer := c.Post(t.Context(), "http://"+address+"/hook?a=b", []Header{
		{"Content-Type", "application/json"}, {"Drop-Event-Id", "1"}, {"User-Agent", "other"},
	}, []byte(`{"id":1}`))
	if answer.Status != 204 || answer.Problem != "" || answer.Took <= 0 {
		t.Errorf("got %+v, want status 204", answer)
	}
	lines := strings.Split(got.Load().(string), "\n")
	if lines[0] != `POST /hook?a=b HTTP/1.1 {"id":1}` {
		t.Errorf("got request %s, want POST /hook?a=b HTTP/1.1 with the body", lines[0])
	}
	want := map[string]string{
		"Content-Type": "application/json", "Drop-Event-Id": "1", "User-Agent": "Dropyard-Webhooks/1", "Content-Length": "8",
	}
	if len(lines)-1 != len(want) {
		t.Errorf("got headers %q, want %v", lines[1:], want)
	}
	for _, line := range lines[1:] {
		if name, value, _ := strings.Cut(line, ": "); want[name] != value {
			t.Errorf("got header %q, want one of %v", line, want)
		}
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	internal := receive(t, func(http.ResponseWriter, *http.Request) {})
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		outer := receive(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", internal.URL)
			w.WriteHeader(status)
		})
		if answer := post(t, newTestClient(t, development, nil), outer.URL); answer.Status != status || answer.Problem != "" {
			t.Errorf("got %+v, want status %d", answer, status)
		}
	}
	if n := internal.accepted.Load(); n != 0 {
		t.Errorf("got %d connections after redirects, want none", n)
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, development, nil)
	answered := func(status string) Answer {
		return post(t, c, "http://"+speak(t, "127.0.0.1", func(conn net.Conn) {
			hear(conn)
			_, _ = io.WriteString(conn, "HTTP/1.1 "+status+" Whatever\r\nContent-Length: 0\r\n\r\n")
		}))
	}
	for _, status := range []string{"101", "200", "204", "299", "304", "410", "429", "500", "599", "999"} {
		if answer := answered(status); strconv.Itoa(answer.Status) != status || answer.Problem != "" {
			t.Errorf("status %s: got %+v", status, answer)
		}
	}
	for _, status := range []string{"000", "099", "20", "2000", "-20", "abc", ""} {
		if answer := answered(status); answer.Status != 0 || answer.Problem != problemInvalid {
			t.Errorf("status %q: got %+v, want problem %q", status, answer, problemInvalid)
		}
	}
}

// TestRebinding resolves a name to an address that may be reached, and then to
// others that may not.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var inside atomic.Int64
	outer := speak(t, "127.0.0.2", func(conn net.Conn) {
		hear(conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	})
	_, port, _ := net.SplitHostPort(outer)
	inner, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		t.Skip("the port is in use at 127.0.0.1")
	}
	t.Cleanup(func() { _ = inner.Close() })
	go func() {
		for {
			conn, err := inner.Accept()
			if err != nil {
				return
			}
			inside.Add(1)
			_ = conn.Close()
		}
	}()
	later := [][]string{
		{"127.0.0.1"}, {"::1"}, {"::ffff:127.0.0.1"}, {"127.0.0.1", "::1", "10.0.0.1"}, {"169.254.169.254"},
	}
	c := newTestClient(t, onlyTwo, func(w *outside) {
		w.resolver = namesOf(func(_ string, times int) []string {
			if times == 0 {
				return []string{"127.0.0.2"}
			}
			return later[(times-1)%len(later)]
		})
	})
	// It dials without TLS, for which the server would need a certificate.
	dial := func() (err error) {
		conn, err := c.dial(t.Context(), "tcp", "hooks.example.com:"+port)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Fatalf("first dial: got %v, want nil", err)
	}
	for _, addresses := range later {
		err := dial()
		if err == nil {
			t.Fatalf("dial a name of %v: got nil, want an error", addresses)
		}
		if problem := c.problem(err, false, false); problem != problemRefused {
			t.Errorf("dial a name of %v: got problem %q, want %q", addresses, problem, problemRefused)
		}
	}
	if n := inside.Load(); n != 0 {
		t.Errorf("got %d connections to 127.0.0.1, want none", n)
	}
}

func TestPublicNamesAreAbsolute(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		policy        Policy
		address, want string
	}{
		{strict, "hooks.example:443", "hooks.example.:443"},
		{strict, "8.8.8.8:443", "8.8.8.8:443"},
		{strict, "[2606:4700::1111]:443", "[2606:4700::1111]:443"},
		{office, "hooks.corp:443", "hooks.corp:443"},
		{development, "receiver:80", "receiver:80"},
	} {
		if got := newTestClient(t, test.policy, nil).target(test.address); got != test.want {
			t.Errorf("%+v, %s: got %s, want %s", test.policy, test.address, got, test.want)
		}
	}
	var asked sync.Map
	c := newTestClient(t, strict, func(w *outside) {
		w.resolver = namesOf(func(name string, _ int) []string {
			asked.Store(name, true)
			return nil
		})
	})
	if answer := post(t, c, "https://hooks.example/"); answer.Problem != problemResolve {
		t.Errorf("got %+v, want problem %q", answer, problemResolve)
	}
	asked.Range(func(name, _ any) bool {
		if name != "hooks.example." {
			t.Errorf("got a query for %s, want hooks.example. only", name)
		}
		return true
	})
}

// TestNoProxyFromTheEnvironment posts to a name, because net/http never uses a proxy
// for loopback addresses.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	proxy := receive(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	r := receive(t, func(http.ResponseWriter, *http.Request) {})
	c := newTestClient(t, development, func(w *outside) { w.resolver = always("127.0.0.1") })
	if answer := post(t, c, "http://hooks.example.com:"+r.port()); answer.Status != 200 {
		t.Errorf("got %+v, want status 200", answer)
	}
	if n := proxy.accepted.Load(); n != 0 {
		t.Errorf("got %d connections to the proxy, want none", n)
	}
}

func TestPlainHTTPOnlyWhenInsecure(t *testing.T) {
	t.Parallel()
	r := receive(t, func(http.ResponseWriter, *http.Request) {})
	c := newTestClient(t, Policy{Networks: loopback}, nil)
	if answer := post(t, c, r.URL); answer.Problem != problemRefused || r.accepted.Load() != 0 {
		t.Errorf("got %+v and %d connections, want problem %q and none", answer, r.accepted.Load(), problemRefused)
	}
}

func TestTLSIsHTTP1(t *testing.T) {
	t.Parallel()
	var proto atomic.Value
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		proto.Store(r.Proto)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	c := newTestClient(t, Policy{Networks: loopback}, func(w *outside) {
		w.resolver, w.roots = always("127.0.0.1"), rootsOf(server.Certificate())
	})
	for _, host := range []string{"example.com", "127.0.0.1"} {
		if answer := post(t, c, "https://"+host+":"+port); answer.Status != 200 || proto.Load() != "HTTP/1.1" {
			t.Errorf("%s: got %+v over %v, want status 200 over HTTP/1.1", host, answer, proto.Load())
		}
	}
}

func TestContextEndsPost(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	address := speak(t, "127.0.0.1", func(conn net.Conn) {
		hear(conn)
		cancel()
		untilClosed(conn)
	})
	c := newTestClient(t, development, nil)
	if answer := c.Post(ctx, "http://"+address, nil, nil); answer.Problem != "broken off before an answer" {
		t.Errorf("got %+v, want a problem that says so", answer)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "1": time.Second, "120": 2 * time.Minute, "172800": maxRetryAfter, "172801": maxRetryAfter,
		"4294967296": maxRetryAfter, "99999999999999999999999": maxRetryAfter,
		"-1": 0, "+1": 0, "1.5": 0, "1e3": 0, "0x10": 0, "soon": 0, " 1": 0, "1, 2": 0, "١": 0,
		"Sun, 01 Mar 2026 12:01:00 GMT":  time.Minute,
		"Sunday, 01-Mar-26 12:01:00 GMT": time.Minute,
		"Sun Mar  1 12:01:00 2026":       time.Minute,
		"Sun, 01 Mar 2026 11:59:00 GMT":  0,
		"Sun, 01 Mar 9999 11:59:00 GMT":  maxRetryAfter,
		"Mon, 01 Jan 0001 00:00:00 GMT":  0,
		"Sun, 01 Mar 2026 12:01:00 EST":  0,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if answer := post(t, newTestClient(t, development, nil), r.URL); answer.Status != 503 ||
		answer.RetryAfter != 7*time.Second {
		t.Errorf("got %+v, want status 503 and 7 s", answer)
	}
}
