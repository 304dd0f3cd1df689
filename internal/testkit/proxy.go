package testkit

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Proxy is between a service and PostgreSQL and fails as networks do. It parses as
// much of the protocol as it needs to cut a connection in the middle of a COMMIT,
// which a general proxy could not do.
type Proxy struct {
	listener net.Listener
	target   string
	running  sync.WaitGroup

	mu    sync.Mutex // guards the following fields
	lines map[*line]bool
	delay time.Duration // of everything that clients send
	down  bool
	stall chan struct{} // closed to release what clients send; nil while not stalled
	cut   Cut
	cuts  int // number of cuts to be made
	made  int // number of cuts made
	every int // number of COMMITs of which one is cut; 0 for none
	seen  int // number of COMMITs
}

// Cut says where a connection is cut during a COMMIT.
type Cut int

const (
	// CutBefore cuts before the server has got the COMMIT, so that it rolls back.
	CutBefore Cut = iota + 1
	// CutAfter cuts when the server has committed, so that only its response is
	// lost.
	CutAfter
	// CutSilently loses the COMMIT and all that follows on every connection there is, as a
	// firewall does that has forgotten them: neither side learns of it.
	CutSilently
)

// line is one connection through the proxy.
type line struct {
	client, server *net.TCPConn
	// forgotten means that nothing passes any longer, not even the end of a connection.
	forgotten atomic.Bool

	mu       sync.Mutex // guards the following fields
	readOnly bool       // the current transaction is
	begins   [2][]byte  // names of the prepared BEGINs: of transactions that write, and read only
	doomed   bool       // the server's next response is lost
}

// NewProxy starts a proxy to the server in a database's URL. through is the URL of
// the same database through the proxy. The proxy stops when the test ends.
func NewProxy(t testing.TB, databaseURL string) (p *Proxy, through string) {
	t.Helper()
	where, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p = &Proxy{listener: listener, target: where.Host, lines: map[*line]bool{}}
	p.running.Go(p.accept)
	t.Cleanup(func() {
		_ = listener.Close()
		p.SetDown(true)
		p.Stall(false)
		p.running.Wait()
	})
	where.Host = listener.Addr().String()
	return p, where.String()
}

// SetDelay delays everything that clients send.
func (p *Proxy) SetDelay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// SetDown resets all connections, and new ones until it is called with false.
func (p *Proxy) SetDown(down bool) {
	p.mu.Lock()
	p.down = down
	p.mu.Unlock()
	if down {
		p.Reset()
	}
}

// Reset resets all connections.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.lines {
		l.reset()
	}
}

// Stall holds back everything that clients send, without closing their
// connections, until it is called with false.
func (p *Proxy) Stall(stalled bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case stalled && p.stall == nil:
		p.stall = make(chan struct{})
	case !stalled && p.stall != nil:
		close(p.stall)
		p.stall = nil
	}
}

// Forget loses all that is sent from now on over the connections there are. New ones work.
func (p *Proxy) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.lines {
		l.forgotten.Store(true)
	}
}

// CutCommits cuts the next COMMITs of transactions that write, as many as times.
func (p *Proxy) CutCommits(cut Cut, times int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.cuts = cut, times
}

// CutEvery cuts one in so many COMMITs of transactions that write, alternately
// before and after the server has got it. 0 stops this.
func (p *Proxy) CutEvery(commits int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.every = commits
}

// Made returns how many COMMITs were cut.
func (p *Proxy) Made() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.made
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.connect(client.(*net.TCPConn)) })
	}
}

func (p *Proxy) connect(client *net.TCPConn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &line{client: client, server: server.(*net.TCPConn)}
	p.mu.Lock()
	p.lines[l] = true
	down := p.down
	p.mu.Unlock()
	if down {
		l.reset()
	}
	var both sync.WaitGroup
	both.Go(func() { l.relay(l.server, l.client, p.request) })
	both.Go(func() { l.relay(l.client, l.server, l.answer) })
	both.Wait()
	p.mu.Lock()
	delete(p.lines, l)
	p.mu.Unlock()
}

// relay copies what judge allows until one side closes or judge does not allow it.
func (l *line) relay(to, from *net.TCPConn, judge func(*line, []byte) bool) {
	defer func() {
		if !l.forgotten.Load() {
			l.reset()
		}
	}()
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		if n == 0 || !judge(l, chunk[:n]) {
			return
		}
		if l.forgotten.Load() {
			continue
		}
		if _, failed := to.Write(chunk[:n]); errors.Join(err, failed) != nil {
			return
		}
	}
}

// reset resets both connections.
func (l *line) reset() {
	for _, side := range []*net.TCPConn{l.client, l.server} {
		_ = side.SetLinger(0)
		_ = io.Closer(side).Close()
	}
}

// request reports whether what a client has sent may pass.
func (p *Proxy) request(l *line, sent []byte) bool {
	p.mu.Lock()
	delay, stall := p.delay, p.stall
	p.mu.Unlock()
	time.Sleep(delay)
	if stall != nil {
		<-stall
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.noteBegin(sent)
	// COMMIT is a message of its own.
	if l.readOnly || !bytes.Contains(sent, []byte("commit\x00")) {
		return true
	}
	cut := p.nextCut()
	if cut == CutSilently {
		p.Forget()
	}
	l.doomed = cut == CutAfter
	return cut != CutBefore
}

// noteBegin notes which kind of transaction begins, if one does: BEGIN is prepared once
// in a connection, and has a name from then on.
func (l *line) noteBegin(sent []byte) {
	if at := bytes.Index(sent, []byte("begin isolation")); at > 0 {
		kind := 0
		if bytes.Contains(sent[at:], []byte("read only\x00")) {
			kind = 1
		}
		l.begins[kind] = bytes.Clone(sent[bytes.LastIndex(sent[:at], []byte("stmtcache_")) : at-1])
	}
	for kind, name := range l.begins {
		if name != nil && bytes.Contains(sent, name) {
			l.readOnly = kind == 1
		}
	}
}

// nextCut counts a COMMIT and returns where to cut it, or 0.
func (p *Proxy) nextCut() Cut {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen++
	if p.every > 0 && p.seen%p.every == 0 {
		p.made++
		return CutBefore + Cut(p.made%2)
	}
	if p.cuts == 0 {
		return 0
	}
	p.cuts--
	p.made++
	return p.cut
}

// answer reports whether what the server has sent may pass.
func (l *line) answer(_ *line, _ []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.doomed
}
