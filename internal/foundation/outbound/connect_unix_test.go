//go:build unix

package outbound

import (
	"net"
	"syscall"
	"testing"
)

// TestConnectTimeout dials a listener whose queue is full, so that the kernel does
// not accept the connection.
func TestConnectTimeout(t *testing.T) {
	t.Parallel()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Skip(err)
	}
	defer func() { _ = syscall.Close(fd) }()
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Skip(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Skip(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Skip(err)
	}
	address := (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}).String()
	for full := false; !full; {
		conn, err := net.DialTimeout("tcp", address, short)
		if full = err != nil; !full {
			defer func() { _ = conn.Close() }()
		}
	}
	c := newTestClient(t, development, func(w *outside) { w.connect, w.whole = short, 10*short })
	var answer Answer
	for range 20 { // a machine that stood still made the queue seem full; each connection fills it more
		if answer = post(t, c, "http://"+address); answer.Problem == problemConnect {
			return
		}
	}
	t.Errorf("got %+v, want problem %q", answer, problemConnect)
}
