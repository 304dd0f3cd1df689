package inbound_test

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/inbound"
)

// scripted is a listener that returns errors and connections in turn.
type scripted struct {
	net.Listener
	faults []error
}

func (s *scripted) Accept() (net.Conn, error) {
	if len(s.faults) > 0 {
		err := s.faults[0]
		s.faults = s.faults[1:]
		return nil, err
	}
	return s.Listener.Accept()
}

// seen is what the bounds have called.
type seen struct {
	refused []string
	full    []bool
	failed  []error
}

func (s *seen) config() inbound.Config {
	return inbound.Config{
		Refused: func(address string) { s.refused = append(s.refused, address) },
		Full:    func(full bool) { s.full = append(s.full, full) },
		Failed:  func(err error) { s.failed = append(s.failed, err) },
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = inner.Close() })
	return inner
}

// dial connects from an address, and skips the test if the machine does not have it.
func dial(t *testing.T, to net.Listener, from string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(t.Context(), "tcp", to.Addr().String())
	if err != nil {
		t.Skipf("this machine has one loopback address only: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func accept(t *testing.T, l net.Listener) net.Conn {
	t.Helper()
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestBoundForEachNetwork opens one connection too many from an address. Another address, and
// a proxy, still get theirs, and so does the first when it has closed one.
func TestBoundForEachNetwork(t *testing.T) {
	t.Parallel()
	saw := &seen{}
	config := saw.config()
	config.PerNetwork, config.Proxies = 2, []netip.Prefix{netip.MustParsePrefix("127.0.0.3/32")}
	bounds, inner := inbound.New(config), listen(t)
	l := bounds.Listener(inner)
	var open []net.Conn
	for range 2 {
		dial(t, inner, "127.0.0.1")
		open = append(open, accept(t, l))
	}
	tooMany := dial(t, inner, "127.0.0.1")
	for _, from := range []string{"127.0.0.2", "127.0.0.3", "127.0.0.3", "127.0.0.3"} {
		dial(t, inner, from)
		if got := accept(t, l).RemoteAddr().(*net.TCPAddr).IP.String(); got != from {
			t.Errorf("got a connection from %s, want %s", got, from)
		}
	}
	if _, err := tooMany.Read(make([]byte, 1)); err == nil {
		t.Error("got no error from a connection that is one too many, want it closed")
	}
	if err := errors.Join(open[0].Close()); err != nil {
		t.Error(err)
	}
	_ = open[0].Close() // counts once
	dial(t, inner, "127.0.0.1")
	dial(t, inner, "127.0.0.1")
	dial(t, inner, "127.0.0.2")
	accept(t, l)
	accept(t, l)
	if want := (inbound.Stats{Open: 7, RefusedNetwork: 2}); bounds.Stats() != want {
		t.Errorf("got %+v, want %+v", bounds.Stats(), want)
	}
	if want := []string{"127.0.0.1", "127.0.0.1"}; !slices.Equal(saw.refused, want) {
		t.Errorf("got the refused addresses %v, want %v", saw.refused, want)
	}
}

func TestBoundForAll(t *testing.T) {
	t.Parallel()
	saw := &seen{}
	config := saw.config()
	config.Most, config.Proxies = 1, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	bounds, inner := inbound.New(config), listen(t)
	l := bounds.Listener(inner)
	dial(t, inner, "127.0.0.1")
	first := accept(t, l)
	tooMany := dial(t, inner, "127.0.0.1")
	next := make(chan net.Conn, 1)
	go func() {
		conn, _ := l.Accept()
		next <- conn
	}()
	if _, err := tooMany.Read(make([]byte, 1)); err == nil {
		t.Error("got no error from a connection that is one too many, want it closed")
	}
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	dial(t, inner, "127.0.0.1")
	if conn := <-next; conn == nil {
		t.Error("got no connection after one was closed")
	}
	if want := (inbound.Stats{Open: 1, RefusedAll: 1}); bounds.Stats() != want ||
		!slices.Equal(saw.full, []bool{false, true, false}) {
		t.Errorf("got %+v and full %v, want %+v and full once", bounds.Stats(), saw.full, want)
	}
}

// TestErrorsOfAccepting lets no descriptor be left for a while, and then closes the listener,
// which is not an error.
func TestErrorsOfAccepting(t *testing.T) {
	t.Parallel()
	saw := &seen{}
	bounds, inner := inbound.New(saw.config()), listen(t)
	l := bounds.Listener(&scripted{inner, []error{syscall.EMFILE, syscall.EMFILE}})
	for range 2 {
		if _, err := l.Accept(); !errors.Is(err, syscall.EMFILE) {
			t.Errorf("got %v, want EMFILE", err)
		}
	}
	dial(t, inner, "127.0.0.1")
	accept(t, l)
	_ = inner.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want net.ErrClosed", err)
	}
	if want := (inbound.Stats{Open: 1, Failed: 2}); bounds.Stats() != want ||
		!slices.Equal(saw.failed, []error{syscall.EMFILE, syscall.EMFILE, nil}) {
		t.Errorf("got %+v and %v, want %+v, both errors, and that it is over", bounds.Stats(), saw.failed, want)
	}
}
