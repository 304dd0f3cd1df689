package machine

import (
	"net"
	"net/netip"
	"strings"
)

// IsLoopback reports whether a host name or an IP address, with or without a port, is one of
// this machine. It resolves no names: of these, only localhost is.
func IsLoopback(address string) bool {
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
