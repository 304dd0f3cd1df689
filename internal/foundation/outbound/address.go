package outbound

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// azureHost is how Azure's machines reach their host (metadata, keys, agent):
// a public address that only they can reach.
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

// guardian knows the special ranges of IANA's registries. It refuses IPv6
// outside 2000::/3 altogether.
var guardian = ssrf.New(ssrf.WithDeniedV4Prefixes(azureHost))

// allows tells whether an address may be reached. An IPv4 address in an IPv6
// one is judged as what it is.
func (p Policy) allows(ip netip.Addr) bool {
	ip = ip.Unmap()
	return p.lists(ip) || isPublic(ip)
}

// lists tells whether an address may be reached although it is internal.
func (p Policy) lists(ip netip.Addr) bool {
	if p.Insecure && ip.IsLoopback() {
		return true
	}
	for _, network := range p.Networks {
		if unmapped(network).Contains(ip) {
			return true
		}
	}
	return false
}

// unmapped is an IPv4 network, if it was written as IPv6, as IPv4.
func unmapped(network netip.Prefix) netip.Prefix {
	if bits := network.Bits() - 96; network.Addr().Is4In6() && bits >= 0 {
		return netip.PrefixFrom(network.Addr().Unmap(), bits)
	}
	return network
}

// isPublic tells whether an address belongs to the public Internet.
func isPublic(ip netip.Addr) bool {
	return ip.IsValid() && ip.Zone() == "" && !isISATAP(ip) && guardian.SafeAddr(ip) == nil
}

// isISATAP tells whether an IPv6 address leads to an IPv4 one through an ISATAP
// router (RFC 5214, section 6.1); ssrf does not look at that half.
func isISATAP(ip netip.Addr) bool {
	if !ip.Is6() {
		return false
	}
	b := ip.As16()
	// 02 marks an IPv4 address that is unique in the world.
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
