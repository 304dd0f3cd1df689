package outbound

import (
	"net/netip"

	"code.dny.dev/ssrf"
)

// azureHost is the address at which virtual machines on Azure reach their host
// (metadata, keys, agent). It is a public address that only they can reach.
var azureHost = netip.MustParsePrefix("168.63.129.16/32")

// guardian refuses the special-purpose ranges of IANA's registries, and all of
// IPv6 outside 2000::/3.
var guardian = ssrf.New(ssrf.WithDeniedV4Prefixes(azureHost))

// allows reports whether an address may be reached. It treats an IPv4-mapped IPv6
// address as the IPv4 address.
func (p Policy) allows(ip netip.Addr) bool {
	ip = ip.Unmap()
	return p.lists(ip) || isPublic(ip)
}

// lists reports whether the policy lets an address be reached even if it is
// internal.
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

// unmapped returns a network of IPv4-mapped IPv6 addresses as an IPv4 network, and
// any other as it is.
func unmapped(network netip.Prefix) netip.Prefix {
	if bits := network.Bits() - 96; network.Addr().Is4In6() && bits >= 0 {
		return netip.PrefixFrom(network.Addr().Unmap(), bits)
	}
	return network
}

// isPublic reports whether an address belongs to the public Internet.
func isPublic(ip netip.Addr) bool {
	return ip.IsValid() && ip.Zone() == "" && !isISATAP(ip) && guardian.SafeAddr(ip) == nil
}

// isISATAP reports whether an ISATAP router would forward an IPv6 address to an
// IPv4 address (RFC 5214, section 6.1). Package ssrf does not check this.
func isISATAP(ip netip.Addr) bool {
	if !ip.Is6() {
		return false
	}
	b := ip.As16()
	// The bit 0x02 means that the IPv4 address is globally unique.
	return b[8]&^0x02 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe
}
