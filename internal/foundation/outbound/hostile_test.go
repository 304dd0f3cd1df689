package outbound

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// short is a time limit that a test waits for.
const short = 50 * time.Millisecond

func TestResolverDoesNotAnswer(t *testing.T) {
	t.Parallel()
	silent := always()
	silent.Dial = namesOf(func(string, int) []string {
		<-t.Context().Done()
		return nil
	}).Dial
	c := newTestClient(t, strict, func(w *outside) { w.resolver, w.connect = silent, short })
	if answer := post(t, c, "https://hooks.example.com"); answer.Problem != problemResolve {
		t.Errorf("got %+v, want problem %q", answer, problemResolve)
	}
}

// TestReceiverDoesNotAnswer sends the request that is not answered on a connection that an
// earlier one has opened, so that the time limit ends nothing else.
func TestReceiverDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, says := range map[string]string{
		"nothing":           "",
		"half a status":     "HTTP/1.",
		"half a header":     "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
		"only 100 Continue": "HTTP/1.1 100 Continue\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := speak(t, "127.0.0.1", func(conn net.Conn) {
				hear(conn)
				_, _ = io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n")
				hear(conn)
				_, _ = io.WriteString(conn, says)
				untilClosed(conn)
			})
			c := newTestClient(t, development, nil)
			if answer := post(t, c, "http://"+address); answer.Status != 204 {
				t.Fatalf("first request: got %+v, want status 204", answer)
			}
			c.whole = short
			if answer := post(t, c, "http://"+address); answer.Problem != "no answer within 0.05 s" || answer.Took < short {
				t.Errorf("got %+v, want no answer within %s", answer, short)
			}
		})
	}
}

// TestInvalidAnswers sends answers that are endless or not HTTP. Each must end the
// request before a time limit; all limits are long.
func TestInvalidAnswers(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("a", maxHeader)
	// then is sent repeatedly until the connection is closed.
	for name, test := range map[string]struct{ says, then string }{
		"endless status line":  {"HTTP/1.1 200 ", big},
		"endless header line":  {"HTTP/1.1 200 OK\r\nX: ", big},
		"endless header name":  {"HTTP/1.1 200 OK\r\n", big},
		"endless headers":      {"HTTP/1.1 200 OK\r\n", "X: y\r\n"},
		"endless early hints":  {"", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"},
		"endless continuation": {"HTTP/1.1 200 OK\r\nX: a\r\n", " b\r\n"},
		"not HTTP":             {"SSH-2.0-OpenSSH_9.6\r\n", ""},
		"malformed header":     {"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", ""},
		"two lengths":          {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := speak(t, "127.0.0.1", func(conn net.Conn) {
				hear(conn)
				_, err := io.WriteString(conn, test.says)
				for err == nil && test.then != "" {
					_, err = io.WriteString(conn, test.then)
				}
				untilClosed(conn)
			})
			if answer := post(t, newTestClient(t, development, nil), "http://"+address); answer.Problem != problemInvalid {
				t.Errorf("got %+v, want problem %q", answer, problemInvalid)
			}
		})
	}
}

func TestHeaderLimit(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, development, nil)
	for size, want := range map[int]int{maxHeader / 2: 200, maxHeader * 5 / 4: 0} {
		r := receive(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("a", size)) })
		if answer := post(t, c, r.URL); answer.Status != want {
			t.Errorf("%d bytes: got %+v, want status %d", size, answer, want)
		}
	}
}

// TestBodiesDoNotChangeStatus sends a status and then a body that never ends or is
// invalid. The time limit of those that stop sending is short, that of the
// others is longer than an answer may take.
func TestBodiesDoNotChangeStatus(t *testing.T) {
	t.Parallel()
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	chunk := "1000\r\n" + strings.Repeat("x", 0x1000) + "\r\n"
	for name, test := range map[string]struct {
		says, then string
		rest       time.Duration
	}{
		"never begins":        {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n", "", short},
		"never ends":          {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", "", short},
		"chunks never end":    {chunked + "3\r\nabc\r\n", "", short},
		"half a chunk's size": {chunked + "1", "", short},
		"endless":             {"HTTP/1.1 200 OK\r\n\r\n", chunk, 2 * repeatable.Hang},
		"endless chunks":      {chunked, chunk, 2 * repeatable.Hang},
		"endless extension":   {chunked + "1;", chunk, 2 * repeatable.Hang},
		"endless trailer":     {chunked + "0\r\n", "X: y\r\n", 2 * repeatable.Hang},
		"no chunks":           {chunked + "nonsense\r\n", "", 2 * repeatable.Hang},
		"longest length":      {"HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n", chunk, 2 * repeatable.Hang},
		"another protocol": {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", chunk, 2 *
			repeatable.Hang},
		"protocol, silent": {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "", 2 *
			repeatable.Hang},
		"not really gzip": {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", chunk, 2 * repeatable.Hang},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			closed := make(chan struct{})
			address := speak(t, "127.0.0.1", func(conn net.Conn) {
				defer close(closed)
				hear(conn)
				_, err := io.WriteString(conn, test.says)
				for err == nil && test.then != "" {
					_, err = io.WriteString(conn, test.then)
				}
				untilClosed(conn)
			})
			c := newTestClient(t, development, func(w *outside) { w.rest = test.rest })
			hangs := time.AfterFunc(repeatable.Hang, func() { t.Error("got no answer") })
			answer := post(t, c, "http://"+address)
			hangs.Stop()
			if answer.Status != 200 && answer.Status != 101 || answer.Problem != "" {
				t.Errorf("got %+v, want the status that was sent", answer)
			}
			<-closed // the connection is not kept
		})
	}
}

func TestReceiverClosesConnection(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ says, problem string }{
		"immediately":       {"", problemClosed},
		"after hints":       {"HTTP/1.1 103 Early Hints\r\n\r\n", problemClosed},
		"within the header": {"HTTP/1.1 200 OK\r\n", problemClosed},
		"in the status":     {"HTTP/1.1 20", problemInvalid}, // the last line is incomplete
		"in the header":     {"HTTP/1.1 200 OK\r\nContent-Le", problemInvalid},
	} {
		for how, reset := range map[string]bool{"closing": false, "resetting": true} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				address := speak(t, "127.0.0.1", func(conn net.Conn) {
					hear(conn)
					_, _ = io.WriteString(conn, test.says)
					if reset {
						_ = conn.(*net.TCPConn).SetLinger(0)
					}
				})
				if answer := post(t, newTestClient(t, development, nil), "http://"+address); answer.Problem != test.problem {
					t.Errorf("got %+v, want problem %q", answer, test.problem)
				}
			})
		}
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	if answer := post(t, newTestClient(t, development, nil),
		"http://"+listener.Addr().String()); answer.Problem != problemConnect {
		t.Errorf("got %+v, want problem %q", answer, problemConnect)
	}
}

// TestReceiverThatClosesIdleConnections: each request gets a new connection, and none
// fails.
func TestReceiverThatClosesIdleConnections(t *testing.T) {
	t.Parallel()
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Connection", "close") })
	c := newTestClient(t, development, nil)
	for range 5 {
		if answer := post(t, c, r.URL); answer.Status != 200 {
			t.Errorf("got %+v, want status 200", answer)
		}
	}
	if n := r.accepted.Load(); n != 5 {
		t.Errorf("got %d connections, want 5", n)
	}
}
