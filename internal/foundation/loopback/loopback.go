// Package loopback recognises the addresses by which a machine reaches itself.
package loopback

import (
	"net"
	"net/netip"
	"strings"
)

// Is reports whether a host name or an IP address, with or without a port, is one of
// this machine. It resolves no names: of these, only localhost is.
func Is(address string) bool {
	host := address
	if name, _, err := net.SplitHostPort(address); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	parsed, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && parsed.Unmap().IsLoopback()
}
