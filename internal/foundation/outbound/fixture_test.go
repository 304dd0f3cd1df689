package outbound

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// newTestClient returns a client that is closed after the test. Its time limits are
// too long to be reached by chance; change shortens those that the test is about.
func newTestClient(t testing.TB, p Policy, change func(*outside)) *Client {
	t.Helper()
	world := outside{
		resolver:   namesOf(func(string, int) []string { return nil }),
		interfaces: func() ([]net.Addr, error) { return nil, nil },
		connect:    time.Minute, handshake: time.Minute, whole: time.Minute, rest: time.Minute,
		kept: 100,
	}
	if change != nil {
		change(&world)
	}
	c := newClient(p, world)
	t.Cleanup(c.Close)
	return c
}

// post posts a small body.
func post(t testing.TB, c *Client, url string) Answer {
	t.Helper()
	return c.Post(t.Context(), url, []Header{{"Content-Type", "application/json"}}, []byte(`{"id":1}`))
}

// The policies of most tests. Loopback addresses stand for public ones.
var (
	development = Policy{Insecure: true}
	onlyTwo     = Policy{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}}
)

// receiver is an HTTP server that counts its connections.
type receiver struct {
	*httptest.Server
	accepted atomic.Int64
}

// receive starts a receiver that is closed after the test.
func receive(t testing.TB, handle http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{Server: httptest.NewUnstartedServer(handle)}
	r.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			r.accepted.Add(1)
		}
	}
	r.Start()
	t.Cleanup(r.Close)
	return r
}

// port returns the port of the server.
func (r *receiver) port() string {
	_, port, _ := net.SplitHostPort(r.Listener.Addr().String())
	return port
}

// speak listens at a loopback address and calls fn with each connection, which is
// closed when fn returns.
func speak(t testing.TB, host string, fn func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				fn(conn)
			}()
		}
	}()
	t.Cleanup(func() {
		_ = listener.Close()
		<-done
	})
	return listener.Addr().String()
}

// hear reads the beginning of a request.
func hear(conn net.Conn) { _, _ = conn.Read(make([]byte, 4096)) }

// untilClosed waits until the other side has closed.
func untilClosed(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// namesOf returns a resolver that finds the addresses that lookup returns. lookup
// gets an absolute name, and how often addresses of this kind (IPv4 or IPv6) were
// asked for before. The resolver speaks DNS, so that the code between a name and
// the dialled address is that of the real client.
func namesOf(lookup func(name string, times int) []string) *net.Resolver {
	var fours, sixes atomic.Int64
	answer := func(query []byte) []byte {
		name, end := "", 12
		for query[end] != 0 {
			length := int(query[end])
			name += string(query[end+1:end+1+length]) + "."
			end += 1 + length
		}
		question := query[12 : end+5]
		kind := binary.BigEndian.Uint16(query[end+1:])
		asked := &fours
		if kind == 28 {
			asked = &sixes
		}
		found := lookup(name, int(asked.Add(1))-1)
		reply := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, question...)
		if found == nil {
			reply[3] |= 3 // no such name
		}
		for _, text := range found {
			ip := netip.MustParseAddr(text)
			if ip.Is6() != (kind == 28) {
				continue
			}
			reply[7]++
			data := ip.AsSlice()
			reply = append(reply, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(data)))
			reply = append(reply, data...)
		}
		return reply
	}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go serveDNS(theirs, answer)
		return ours, nil
	}}
}

// serveDNS answers queries as over TCP, where each message follows its length.
func serveDNS(conn net.Conn, answer func([]byte) []byte) {
	defer func() { _ = conn.Close() }()
	for {
		length := make([]byte, 2)
		if _, err := io.ReadFull(conn, length); err != nil {
			return
		}
		query := make([]byte, binary.BigEndian.Uint16(length))
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := answer(query)
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
			return
		}
	}
}

// always returns a resolver that resolves every name to the same addresses.
func always(addresses ...string) *net.Resolver {
	return namesOf(func(string, int) []string { return addresses })
}

// eventually polls until a condition holds.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(repeatable.Hang); !holds(); time.Sleep(repeatable.Poll) {
		if time.Now().After(deadline) {
			t.Fatal("the condition does not come to hold")
		}
	}
}
