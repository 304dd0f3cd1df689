package throttle

import (
	"net/netip"
	"time"
)

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
	return blockOf(ip, blocks[0].bits)
}

// blocks are the blocks of IPv6 addresses that are limited, from the smallest to
// the largest, and how many times the rate of a /64 each has. A subscriber gets a
// /64, a /56 or a /48, and a provider has a /32. Without limits on the larger ones,
// the owner of a /48 would have 65,536 times the rate of an owner of a /64. The
// factors grow more slowly than the number of subscribers, but so that one
// subscriber does not use up the rate of the provider.
var blocks = []struct{ bits, factor int }{{64, 1}, {56, 4}, {48, 16}, {32, 256}}

// blockOf returns the text of the block that has the first bits of the address.
func blockOf(ip netip.Addr, bits int) string {
	block, _ := ip.Prefix(bits) // never fails: blocks has only valid lengths
	return block.String()
}

// Networks limits requests by the network that they come from: an IPv4 address, or
// a /64 of IPv6 addresses together with the larger blocks around it. It may be used
// by many goroutines.
type Networks struct{ limiter *Limiter }

// NewNetworks returns a limiter that applies the rate to each IPv4 address and each
// /64, and a multiple of it to larger blocks of IPv6.
func NewNetworks(rate Rate, clock func() time.Time) *Networks {
	return &Networks{New(rate, clock)}
}

// Take counts a request from the address if all networks that it belongs to allow
// it. A request that a larger block refuses still counts against the smaller ones.
// The verdict is that of the block that refused, or else of the smallest.
func (n *Networks) Take(address string) Verdict { return n.each(address, n.limiter.TakeAt) }

// Peek returns what Take would, but counts nothing.
func (n *Networks) Peek(address string) Verdict { return n.each(address, n.limiter.PeekAt) }

// each asks for the networks of the address, from the smallest to the largest, up to
// one that refuses.
func (n *Networks) each(address string, ask func(key string, rate Rate) Verdict) Verdict {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return ask(Network(address), n.limiter.rate)
	}
	ip = ip.WithZone("")
	var smallest Verdict
	for i, block := range blocks {
		verdict := ask(blockOf(ip, block.bits), n.limiter.rate.times(block.factor))
		if !verdict.Allowed {
			return verdict
		}
		if i == 0 {
			smallest = verdict
		}
	}
	return smallest
}

// Keyed is a key together with the rate that applies to it.
type Keyed struct {
	Key  string
	Rate Rate
}

// Blocks returns the networks that an address belongs to, from the smallest to the
// largest, as Networks limits them.
func Blocks(address string, rate Rate) (all []Keyed) {
	ip, err := netip.ParseAddr(address)
	if err != nil || ip.Unmap().Is4() {
		return []Keyed{{Network(address), rate}}
	}
	for _, block := range blocks {
		all = append(all, Keyed{blockOf(ip.WithZone(""), block.bits), rate.times(block.factor)})
	}
	return all
}

// times returns a rate that allows a multiple of the requests.
func (r Rate) times(factor int) Rate {
	r.Limit, r.Burst = r.Limit*factor, r.Burst*factor
	return r
}
