package throttle

import "net/netip"

// Network is the key to count an IP address under. An IPv6 address counts as
// its /64, of which every host has all 2^64 addresses; an IPv4 address counts
// as itself, however it is written. Any other text is returned as it is.
func Network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	// 64 bits are valid for every IPv6 address, so that this cannot fail.
	network, _ := ip.Prefix(64)
	return network.String()
}
