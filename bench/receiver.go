package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// receiver is the endpoints of partners: one loopback address for each. It uses as
// little CPU as it can, because it shares the machine with the sender.
type receiver struct {
	addresses []string
	listeners []net.Listener

	behaviour atomic.Value // a behaviour
	takes     atomic.Int64 // nanoseconds that an answer takes, of a receiver that lingers

	peak    atomic.Int64  // the greatest number of concurrent requests
	current atomic.Int64  // requests that were read and are not answered
	enough  chan struct{} // closed when as many events as wanted have arrived

	mu       sync.Mutex
	conns    map[net.Conn]bool    // guarded by mu
	arrivals map[string]time.Time // the first of each event; guarded by mu
	wanted   int                  // guarded by mu
	last     time.Time            // when the last new event arrived; guarded by mu
}

// behaviour is how a receiver behaves.
type behaviour string

const (
	accepts behaviour = "accepts"
	refuses behaviour = "refuses" // connections
	hangs   behaviour = "hangs"   // reads the request and never answers
	resets  behaviour = "resets"  // connections, after accepting them
	fails   behaviour = "fails"   // with 500
	mute    behaviour = "mute"    // accepts connections, and answers nothing

	lingers  behaviour = "lingers"  // before it answers
	dribbles behaviour = "dribbles" // sends the body of its answer byte by byte
)

// newReceiver returns a receiver for a number of endpoints, which listens unless it
// refuses connections.
func newReceiver(ctx context.Context, endpoints int, how behaviour) (*receiver, error) {
	r := &receiver{enough: make(chan struct{}), conns: map[net.Conn]bool{}, arrivals: map[string]time.Time{}}
	for i := range endpoints {
		// All of 127.0.0.0/8 is this machine.
		r.addresses = append(r.addresses, fmt.Sprintf("127.0.%d.%d:0", 1+i/250, 1+i%250))
	}
	r.behave(how, 0)
	if err := r.listen(ctx); err != nil {
		return nil, err
	}
	if how == refuses {
		r.close()
	}
	return r, nil
}

// behave changes the behaviour from now on. takes is how long an answer takes of a
// receiver that lingers.
func (r *receiver) behave(how behaviour, takes time.Duration) {
	r.takes.Store(int64(takes))
	r.behaviour.Store(how)
}

func (r *receiver) behaves() behaviour { return r.behaviour.Load().(behaviour) }

// listen starts to accept connections, at the same addresses as before.
func (r *receiver) listen(ctx context.Context) error {
	var network net.ListenConfig
	r.listeners = nil
	for i, address := range r.addresses {
		listener, err := network.Listen(ctx, "tcp", address)
		if err != nil {
			r.close()
			return err
		}
		r.addresses[i] = listener.Addr().String()
		r.listeners = append(r.listeners, listener)
		go r.accept(listener)
	}
	return nil
}

// close closes all listeners and connections.
func (r *receiver) close() {
	for _, listener := range r.listeners {
		_ = listener.Close()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for conn := range r.conns {
		_ = conn.Close()
	}
}

func (r *receiver) urls() []string {
	urls := make([]string, len(r.addresses))
	for i, address := range r.addresses {
		urls[i] = "http://" + address + "/hooks"
	}
	return urls
}

func (r *receiver) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if r.behaves() == resets {
			_ = conn.(*net.TCPConn).SetLinger(0)
			_ = conn.Close()
			continue
		}
		r.mu.Lock()
		r.conns[conn] = true
		r.mu.Unlock()
		go func() {
			r.serve(conn)
			_ = conn.Close()
			r.mu.Lock()
			delete(r.conns, conn)
			r.mu.Unlock()
		}()
	}
}

var (
	answerOK   = []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	answerFail = []byte("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")
)

// serve answers one connection's requests until it ends.
func (r *receiver) serve(conn net.Conn) {
	if r.behaves() == mute {
		_, _ = io.Copy(io.Discard, conn) // until the client gives up
		return
	}
	in := bufio.NewReaderSize(conn, 2<<10)
	for {
		id, length, err := readPost(in)
		if err != nil {
			return
		}
		if now := r.current.Add(1); now > r.peak.Load() {
			r.peak.Store(now) // of two concurrent values the smaller may be stored; they differ by one
		}
		if _, err := in.Discard(length); err != nil {
			return
		}
		answer := answerOK
		switch r.behaves() {
		case hangs:
			continue // to wait for the next request, which does not come
		case fails:
			answer = answerFail
		case lingers:
			time.Sleep(time.Duration(r.takes.Load()))
			r.arrive(id)
		case dribbles:
			r.arrive(id)
			dribble(conn)
			r.current.Add(-1)
			return
		default:
			r.arrive(id)
		}
		r.current.Add(-1)
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// dribble sends an answer with a body that comes byte by byte, until the client ends
// the connection.
func dribble(conn net.Conn) {
	_, err := conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 16000\r\n\r\n"))
	for err == nil {
		time.Sleep(100 * time.Millisecond)
		_, err = conn.Write([]byte("x"))
	}
}

var (
	lengthHeader = []byte("Content-Length: ")
	eventHeader  = []byte("Drop-Event-Id: ")
)

// readPost reads the header of a request.
func readPost(in *bufio.Reader) (eventID string, length int, err error) {
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return "", 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return eventID, length, nil
		}
		if value, found := bytes.CutPrefix(line, lengthHeader); found {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return "", 0, err
			}
		}
		if value, found := bytes.CutPrefix(line, eventHeader); found {
			eventID = string(value)
		}
	}
}

func (r *receiver) arrive(id string) {
	now := time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, again := r.arrivals[id]; again {
		return
	}
	r.arrivals[id], r.last = now, now
	if len(r.arrivals) == r.wanted {
		close(r.enough)
	}
}

// want sets the number of events to wait for.
func (r *receiver) want(events int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wanted = events
}

// wait waits until the wanted events have arrived, for at most a time.
func (r *receiver) wait(ctx context.Context, atMost time.Duration) error {
	select {
	case <-r.enough:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(atMost):
		return fmt.Errorf("%d of %d events arrived within %v", r.count(), r.wanted, atMost)
	}
}

// count returns how many different events have arrived.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.arrivals)
}

// span returns the time from the arrival of the first event to that of the last.
func (r *receiver) span() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.last
	for _, at := range r.arrivals {
		if at.Before(first) {
			first = at
		}
	}
	return r.last.Sub(first)
}
