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

func TestWhatIsSent(t *testing.T) {
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
	c := open(t, development, nil)
	answer := c.Post(t.Context(), "http://"+address+"/hook?a=b", []Header{
		{"Content-Type", "application/json"}, {"Drop-Event-Id", "1"}, {"User-Agent", "other"},
	}, []byte(`{"id":1}`))
	if answer.Status != 204 || answer.Problem != "" || answer.Took <= 0 {
		t.Errorf("answered %+v", answer)
	}
	lines := strings.Split(got.Load().(string), "\n")
	if lines[0] != `POST /hook?a=b HTTP/1.1 {"id":1}` {
		t.Errorf("sent %s", lines[0])
	}
	want := map[string]string{"Content-Type": "application/json", "Drop-Event-Id": "1", "User-Agent": "Dropyard-Webhooks/1", "Content-Length": "8"}
	if len(lines)-1 != len(want) {
		t.Errorf("sent more or less than %v: %q", want, lines)
	}
	for _, line := range lines[1:] {
		if name, value, _ := strings.Cut(line, ": "); want[name] != value {
			t.Errorf("sent %s", line)
		}
	}
}

func TestRedirectsAreAnswers(t *testing.T) {
	t.Parallel()
	internal := receive(t, func(http.ResponseWriter, *http.Request) {})
	for _, status := range []int{300, 301, 302, 303, 307, 308} {
		outer := receive(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", internal.URL)
			w.WriteHeader(status)
		})
		if answer := post(t, open(t, development, nil), outer.URL); answer.Status != status || answer.Problem != "" {
			t.Errorf("%d: %+v", status, answer)
		}
	}
	if n := internal.accepted.Load(); n != 0 {
		t.Errorf("%d redirects were followed", n)
	}
}

func TestEveryStatusIsAnAnswer(t *testing.T) {
	t.Parallel()
	c := open(t, development, nil)
	answered := func(status string) Answer {
		return post(t, c, "http://"+speak(t, "127.0.0.1", func(conn net.Conn) {
			hear(conn)
			_, _ = io.WriteString(conn, "HTTP/1.1 "+status+" Whatever\r\nContent-Length: 0\r\n\r\n")
		}))
	}
	for _, status := range []string{"101", "200", "204", "299", "304", "410", "429", "500", "599", "999"} {
		if answer := answered(status); strconv.Itoa(answer.Status) != status || answer.Problem != "" {
			t.Errorf("%s: %+v", status, answer)
		}
	}
	for _, status := range []string{"000", "099", "20", "2000", "-20", "abc", ""} {
		if answer := answered(status); answer.Status != 0 || answer.Problem != problemInvalid {
			t.Errorf("%s: %+v", status, answer)
		}
	}
}

// TestRebinding lets a name mean an address that may be reached, and then one
// that may not.
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
		t.Skip("another has the same port at 127.0.0.1")
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
	later := [][]string{{"127.0.0.1"}, {"::1"}, {"::ffff:127.0.0.1"}, {"127.0.0.1", "::1", "10.0.0.1"}, {"169.254.169.254"}}
	c := open(t, onlyTwo, func(w *outside) {
		w.resolver = namesOf(func(_ string, times int) []string {
			if times == 0 {
				return []string{"127.0.0.2"}
			}
			return later[(times-1)%len(later)]
		})
	})
	// TLS is in the way of a plain test; what is dialled is the same.
	dial := func() (err error) {
		conn, err := c.dial(t.Context(), "tcp", "hooks.example.com:"+port)
		if err == nil {
			_ = conn.Close()
		}
		return err
	}
	if err := dial(); err != nil {
		t.Fatalf("at first: %v", err)
	}
	for _, addresses := range later {
		err := dial()
		if err == nil {
			t.Fatalf("%v: connected", addresses)
		}
		if problem := c.problem(err, false, false); problem != problemRefused {
			t.Errorf("%v: %s", addresses, problem)
		}
	}
	if n := inside.Load(); n != 0 {
		t.Errorf("%d connections to the inside", n)
	}
}

func TestPublicNamesAreNotLookedUpInSearchDomains(t *testing.T) {
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
		if got := open(t, test.policy, nil).target(test.address); got != test.want {
			t.Errorf("%+v: %s is dialled as %s", test.policy, test.address, got)
		}
	}
	var asked sync.Map
	c := open(t, strict, func(w *outside) {
		w.resolver = namesOf(func(name string, _ int) []string {
			asked.Store(name, true)
			return nil
		})
	})
	if answer := post(t, c, "https://hooks.example/"); answer.Problem != problemResolve {
		t.Errorf("%+v", answer)
	}
	asked.Range(func(name, _ any) bool {
		if name != "hooks.example." {
			t.Errorf("asked for %s", name)
		}
		return true
	})
}

// TestNoProxyFromTheEnvironment uses a name: loopback addresses would not be
// asked of a proxy anyway.
func TestNoProxyFromTheEnvironment(t *testing.T) {
	proxy := receive(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	r := receive(t, func(http.ResponseWriter, *http.Request) {})
	c := open(t, development, func(w *outside) { w.resolver = always("127.0.0.1") })
	if answer := post(t, c, "http://hooks.example.com:"+r.port()); answer.Status != 200 {
		t.Errorf("%+v", answer)
	}
	if n := proxy.accepted.Load(); n != 0 {
		t.Errorf("%d connections to the proxy", n)
	}
}

func TestPlainHTTPOnlyWhenInsecure(t *testing.T) {
	t.Parallel()
	r := receive(t, func(http.ResponseWriter, *http.Request) {})
	c := open(t, Policy{Networks: loopback}, nil)
	if answer := post(t, c, r.URL); answer.Problem != problemRefused || r.accepted.Load() != 0 {
		t.Errorf("%+v after %d connections", answer, r.accepted.Load())
	}
}

func TestTLSIsHTTP1(t *testing.T) {
	t.Parallel()
	var proto atomic.Value
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { proto.Store(r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	c := open(t, Policy{Networks: loopback}, func(w *outside) {
		w.resolver, w.roots = always("127.0.0.1"), rootsOf(server.Certificate())
	})
	for _, host := range []string{"example.com", "127.0.0.1"} {
		if answer := post(t, c, "https://"+host+":"+port); answer.Status != 200 || proto.Load() != "HTTP/1.1" {
			t.Errorf("%s: %+v, %v", host, answer, proto.Load())
		}
	}
}

func TestCallersContextEndsIt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	address := speak(t, "127.0.0.1", func(conn net.Conn) {
		hear(conn)
		cancel()
		untilClosed(conn)
	})
	c := open(t, development, nil)
	if answer := c.Post(ctx, "http://"+address, nil, nil); answer.Problem != "broken off before an answer" {
		t.Errorf("%+v", answer)
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
			t.Errorf("%q: %s; want %s", text, got, want)
		}
	}
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if answer := post(t, open(t, development, nil), r.URL); answer.Status != 503 || answer.RetryAfter != 7*time.Second {
		t.Errorf("%+v", answer)
	}
}
