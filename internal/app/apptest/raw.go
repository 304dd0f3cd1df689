package apptest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// Wire is a connection on which a test writes HTTP by hand, to send what no client
// would.
type Wire struct {
	t      testing.TB
	conn   *net.TCPConn
	reader *bufio.Reader
}

// Wire connects to the service.
func (s *Service) Wire(t testing.TB) *Wire {
	t.Helper()
	conn, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(repeatable.Hang))
	return &Wire{t: t, conn: conn.(*net.TCPConn), reader: bufio.NewReader(conn)}
}

// Address returns the host and port of the service.
func (s *Service) Address() string { return strings.TrimPrefix(s.URL, "http://") }

// Send writes text to the connection.
func (w *Wire) Send(text string) *Wire {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, text); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// CloseWrite ends the request, as a client that gives up does.
func (w *Wire) CloseWrite() *Wire {
	_ = w.conn.CloseWrite()
	return w
}

// Continue waits until the service asks for a body that was announced with
// "Expect: 100-continue". From then on it is handling the request.
func (w *Wire) Continue() *Wire {
	w.t.Helper()
	line, err := w.reader.ReadString('\n')
	if err != nil || !strings.Contains(line, "100 Continue") {
		w.t.Fatalf("got %q (%v), want 100 Continue", line, err)
	}
	if _, err := w.reader.ReadString('\n'); err != nil {
		w.t.Fatal(err)
	}
	return w
}

// Answer reads the response to a request with the given method.
func (w *Wire) Answer(method string) *Answer {
	w.t.Helper()
	response, err := http.ReadResponse(w.reader, &http.Request{Method: method})
	if err != nil {
		w.t.Fatalf("read the response: %v", err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		w.t.Fatalf("read the response's body: %v", err)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: content}
}

// Rest returns what the service sends until it ends the connection.
func (w *Wire) Rest() string {
	w.t.Helper()
	rest, err := io.ReadAll(w.reader)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		w.t.Fatalf("wait for the end of the connection: %v", err)
	}
	return string(rest)
}

// Text returns the text of an HTTP/1.1 request. Headers alternate names and
// values.
func Text(method, target string, headers []string, body string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s HTTP/1.1\r\nHost: dropyard\r\n", method, target)
	for i := 0; i+1 < len(headers); i += 2 {
		fmt.Fprintf(&text, "%s: %s\r\n", headers[i], headers[i+1])
	}
	return text.String() + "\r\n" + body
}

// Raw sends a request that no client library would send. It adds a
// Content-Length if there is a body.
func (s *Service) Raw(t testing.TB, method, target, body string, headers ...string) *Answer {
	t.Helper()
	if body != "" {
		headers = append(headers, "Content-Type", "application/json", "Content-Length", fmt.Sprint(len(body)))
	}
	return s.Wire(t).Send(Text(method, target, headers, body)).Answer(method)
}
