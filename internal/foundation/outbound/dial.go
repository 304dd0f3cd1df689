package outbound

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"syscall"
)

// dial connects to an address, if it may be reached.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: c.connect, Resolver: c.resolver, ControlContext: c.control}
	conn, err := dialer.DialContext(ctx, network, c.target(address))
	if err != nil {
		return nil, dialError{err}
	}
	return c.keeper.counted(conn), nil
}

// target returns the address to dial. It makes names absolute, unless internal
// addresses may be reached: other names are also looked up in the search domains
// of this machine, and may be found there as internal hosts.
func (c *Client) target(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || c.policy.allowsInternal() {
		return address
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return address
	}
	return net.JoinHostPort(host+".", port)
}

// dialTLS connects to an address and verifies its certificate.
func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(address) // dial would have failed without a port
	conn := tls.Client(plain, &tls.Config{RootCAs: c.roots, ServerName: host, MinVersion: tls.VersionTLS12})
	ctx, cancel := context.WithTimeout(ctx, c.handshake)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = plain.Close() // the error of the handshake says more than this one
		return nil, tlsError{err}
	}
	return conn, nil
}

// control returns an error if an address must not be reached. net.Dialer calls it
// with the resolved address, immediately before it connects, so that the address
// cannot change in between.
func (c *Client) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return errRefused
	}
	ip := target.Addr().Unmap()
	switch {
	case !c.policy.allowsPort(target.Port(), ip.IsLoopback()), !c.policy.allows(ip):
		return errRefused
	case !c.policy.lists(ip) && c.isOwn(ip):
		return errRefused
	}
	return nil
}

// isOwn reports whether an address belongs to this machine. Such an address may be
// public, but a connection from here would pass firewalls that stop others. It
// reports true if the machine's addresses cannot be read.
func (c *Client) isOwn(ip netip.Addr) bool {
	own, err := c.interfaces()
	for _, address := range own {
		if network, isNetwork := address.(*net.IPNet); isNetwork && network.IP.Equal(ip.AsSlice()) {
			return true
		}
	}
	return err != nil
}
