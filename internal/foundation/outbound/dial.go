package outbound

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"syscall"
)

// dial connects to an endpoint, if its address may be reached.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: c.connect, Resolver: c.resolver, ControlContext: c.control}
	conn, err := dialer.DialContext(ctx, network, c.target(address))
	if err != nil {
		return nil, dialError{err}
	}
	return conn, nil
}

// target is what to dial for an address. A name that is not absolute would also
// be looked up in the domains that this machine searches, where it may turn out
// to be an internal one.
func (c *Client) target(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil || c.isOpen() {
		return address
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return address
	}
	return net.JoinHostPort(host+".", port)
}

// dialTLS connects to an endpoint and makes sure that it is the one.
func (c *Client) dialTLS(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := c.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	host, _, _ := net.SplitHostPort(address) // what has been dialled has a port
	conn := tls.Client(plain, &tls.Config{RootCAs: c.roots, ServerName: host, MinVersion: tls.VersionTLS12})
	ctx, cancel := context.WithTimeout(ctx, c.handshake)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		_ = plain.Close() // the handshake's error says more
		return nil, tlsError{err}
	}
	return conn, nil
}

// control judges an address after its name was resolved and before anything is
// sent to it, so that there is no moment in which it could change.
func (c *Client) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return errRefused
	}
	ip := target.Addr().Unmap()
	switch {
	case !c.allowsPort(target.Port(), ip.IsLoopback()), !c.allows(ip):
		return errRefused
	case !c.lists(ip) && c.isOwn(ip):
		return errRefused
	}
	return nil
}

// isOwn tells whether an address is this machine's. It may be public and yet
// lead, when dialled from here, to what a firewall keeps from everybody else.
// If that cannot be told, it is.
func (c *Client) isOwn(ip netip.Addr) bool {
	own, err := c.interfaces()
	for _, address := range own {
		if network, isNetwork := address.(*net.IPNet); isNetwork && network.IP.Equal(ip.AsSlice()) {
			return true
		}
	}
	return err != nil
}
