package throttle

import "net/netip"

// Network returns the key to count an IP address under. An IPv6 address counts as
// its /64, because a host has all 2^64 addresses of it; an IPv4 address counts as
// itself, in any notation. Other text is returned as it is.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	// The error is always nil: 64 bits are valid for every IPv6 address.
	network, _ := ip.Prefix(64)
	return network.String()
}
