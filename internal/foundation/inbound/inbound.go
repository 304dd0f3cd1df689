// Package inbound bounds how many connections a server has, in all and from each network,
// and makes the errors of accepting them visible.
package inbound

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dropyard/dropyard/internal/foundation/throttle"
)

// Config holds the bounds, and what is called for what they refuse.
type Config struct {
	// PerNetwork is how many an IPv4 address or a /64 of IPv6 may have at a time, and larger
	// blocks of IPv6 a multiple of it; 0 means no bound.
	PerNetwork int
	// Most is how many there may be in all; 0 means no bound.
	Most int
	// Proxies are networks for which PerNetwork does not hold: their connections are those of
	// many clients.
	Proxies []netip.Prefix
	// Refused is called with each address that has too many connections, and Full with whether
	// there are Most. Failed is called with each error of accepting one, and with nil when one
	// was accepted after that. They must not be nil, and may be called by many goroutines.
	Refused func(address string)
	Full    func(full bool)
	Failed  func(error)
}

// Stats is what has become of connections.
type Stats struct {
	Open           int64 // now
	RefusedNetwork int64 // because of PerNetwork
	RefusedAll     int64 // because of Most
	Failed         int64 // errors of accepting one
}

// Bounds counts the connections of one or several listeners.
type Bounds struct {
	config Config

	mu    sync.Mutex
	open  int            // guarded by mu
	from  map[string]int // open ones, by block of addresses; guarded by mu
	stats Stats          // without Open; guarded by mu
}

// New returns bounds for the connections of listeners.
func New(config Config) *Bounds { return &Bounds{config: config, from: map[string]int{}} }

// Stats returns what has become of connections so far.
func (b *Bounds) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	stats := b.stats
	stats.Open = int64(b.open)
	return stats
}

// Listener returns a listener of TCP whose connections are counted until they are closed.
// Those that are one too many are closed without a word.
func (b *Bounds) Listener(inner net.Listener) net.Listener {
	return &listener{Listener: inner, bounds: b}
}

type listener struct {
	net.Listener
	bounds  *Bounds
	failing atomic.Bool
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				l.failing.Store(true)
				l.bounds.failed(err)
			}
			return nil, err
		}
		if l.failing.CompareAndSwap(true, false) {
			l.bounds.config.Failed(nil)
		}
		tcp, ok := conn.(*net.TCPConn)
		if !ok {
			return conn, nil
		}
		if release := l.bounds.take(addressOf(tcp)); release != nil {
			return &counted{TCPConn: tcp, release: sync.OnceFunc(release)}, nil
		}
		_ = tcp.Close() // nothing was received that could be lost
	}
}

func addressOf(conn *net.TCPConn) netip.Addr {
	if remote, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return remote.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

func (b *Bounds) failed(err error) {
	b.mu.Lock()
	b.stats.Failed++
	b.mu.Unlock()
	b.config.Failed(err)
}

// take counts a connection and returns how to give it back; nil if it is one too many.
func (b *Bounds) take(address netip.Addr) (release func()) {
	blocks := b.blocks(address)
	b.mu.Lock()
	full := b.config.Most > 0 && b.open >= b.config.Most
	crowded := slices.ContainsFunc(blocks,
		func(block throttle.Keyed) bool { return b.from[block.Key] >= block.Rate.Limit })
	switch {
	case full:
		b.stats.RefusedAll++
	case crowded:
		b.stats.RefusedNetwork++
	default:
		b.add(blocks, 1)
	}
	b.mu.Unlock()
	b.config.Full(full)
	if full {
		return nil
	}
	if crowded {
		b.config.Refused(address.String())
		return nil
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.add(blocks, -1)
	}
}

// blocks returns the blocks of addresses that a connection counts for, with their bounds.
func (b *Bounds) blocks(address netip.Addr) []throttle.Keyed {
	isProxy := slices.ContainsFunc(b.config.Proxies, func(p netip.Prefix) bool { return p.Contains(address) })
	if b.config.PerNetwork <= 0 || isProxy {
		return nil
	}
	return throttle.Blocks(address.String(), throttle.Rate{Limit: b.config.PerNetwork})
}

// add counts a connection. The caller holds mu.
func (b *Bounds) add(blocks []throttle.Keyed, n int) {
	b.open += n
	for _, block := range blocks {
		if b.from[block.Key] += n; b.from[block.Key] == 0 {
			delete(b.from, block.Key)
		}
	}
}

// counted is a connection that counts until it is closed.
type counted struct {
	*net.TCPConn
	release func()
}

// Close closes the connection.
func (c *counted) Close() error {
	err := c.TCPConn.Close()
	c.release() // only now is its descriptor free
	return err
}
