package testkit

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Proxy stands between a service and PostgreSQL and does what networks do. It
// knows as much of the protocol as it takes to break off in the middle of a
// COMMIT, which is why no proxy that knows none of it would do.
type Proxy struct {
	listener net.Listener
	target   string
	running  sync.WaitGroup

	mu    sync.Mutex // guards what follows
	lines map[*line]bool
	delay time.Duration // of everything the client sends
	down  bool
	stall chan struct{} // closed when what is held back may go on; nil if nothing is
	cut   Cut
	cuts  int // still to be made
	made  int // cuts
	every int // this one of so many COMMITs breaks off; 0: none
	seen  int // COMMITs
}

// Cut is where a COMMIT breaks off.
type Cut int

const (
	// CutBefore breaks off before the server has got the COMMIT: it will undo
	// the transaction.
	CutBefore Cut = iota + 1
	// CutAfter breaks off after the server has committed: only its answer is
	// lost.
	CutAfter
)

// line is one connection through the proxy.
type line struct {
	client, server *net.TCPConn

	mu       sync.Mutex // guards what follows
	readOnly bool       // the transaction under way
	doomed   bool       // the next answer is lost
}

// NewProxy starts a proxy to the server of a database's URL, and returns the
// database's URL by way of the proxy. It ends with the test.
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

// SetDelay holds back everything that clients send.
func (p *Proxy) SetDelay(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = d
}

// SetDown resets every connection at once, and those to come too.
func (p *Proxy) SetDown(down bool) {
	p.mu.Lock()
	p.down = down
	p.mu.Unlock()
	if down {
		p.Reset()
	}
}

// Reset breaks every connection off.
func (p *Proxy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.lines {
		l.reset()
	}
}

// Stall lets nothing through from the clients, without closing their connections,
// until it is called with false.
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

// CutCommits breaks off the next so many COMMITs of transactions that write.
func (p *Proxy) CutCommits(cut Cut, times int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.cuts = cut, times
}

// CutEvery breaks off one in so many COMMITs of transactions that write, by
// turns before and after the server; 0 ends it.
func (p *Proxy) CutEvery(commits int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.every = commits
}

// Made is how many COMMITs have been broken off.
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
	both.Go(func() { l.copy(l.server, l.client, p.request) })
	both.Go(func() { l.copy(l.client, l.server, l.answer) })
	both.Wait()
	p.mu.Lock()
	delete(p.lines, l)
	p.mu.Unlock()
}

// copy passes on what judge lets pass, until one side ends.
func (l *line) copy(to, from *net.TCPConn, judge func(*line, []byte) bool) {
	defer l.reset()
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		if n == 0 || !judge(l, chunk[:n]) {
			return
		}
		if _, failed := to.Write(chunk[:n]); errors.Join(err, failed) != nil {
			return
		}
	}
}

// reset ends both sides without a farewell.
func (l *line) reset() {
	for _, side := range []*net.TCPConn{l.client, l.server} {
		_ = side.SetLinger(0)
		_ = io.Closer(side).Close()
	}
}

// request judges what a client sends.
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
	// Transactions begin and end in messages of their own.
	if bytes.Contains(sent, []byte("begin isolation")) {
		l.readOnly = bytes.Contains(sent, []byte("read only"))
	}
	if l.readOnly || !bytes.Contains(sent, []byte("commit\x00")) {
		return true
	}
	cut := p.nextCut()
	l.doomed = cut == CutAfter
	return cut != CutBefore
}

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

// answer judges what the server sends.
func (l *line) answer(_ *line, _ []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.doomed
}
