package outbound

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// special has addresses that no partner may reach, by their use.
var special = map[string][]string{
	"this network": {"0.0.0.0", "0.1.2.3", "0.255.255.255"},
	"private": {
		"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255",
	},
	"shared (CGNAT)": {"100.64.0.0", "100.100.100.200", "100.127.255.255"},
	"loopback":       {"127.0.0.0", "127.0.0.1", "127.255.255.255", "::1"},
	"link-local":     {"169.254.0.0", "169.254.255.255", "fe80::1", "febf::1"},
	"metadata": {
		"169.254.169.254", "169.254.170.2", "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254",
	},
	"protocol assignments": {"192.0.0.0", "192.0.0.255", "2001:1::1", "2001:1ff::1"},
	"documentation":        {"192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1", "3fff:fff::1"},
	"AS112 and AMT": {
		"192.31.196.1", "192.52.193.1", "192.175.48.1", "2620:4f:8000::1", "2001:3::1", "2001:4:112::1",
	},
	"6to4":                   {"192.88.99.1", "2002::1", "2002:7f00:1::", "2002:a00:1::1", "2002:ffff:ffff::1"},
	"benchmarking":           {"198.18.0.0", "198.19.255.255", "2001:2::1"},
	"multicast":              {"224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1"},
	"reserved":               {"240.0.0.1", "255.255.255.254", "4000::1", "1fff::1", "e000::1", "5f00::1"},
	"broadcast":              {"255.255.255.255"},
	"unspecified":            {"::"},
	"unique local":           {"fc00::1", "fd12:3456::1"},
	"site-local":             {"fec0::1", "feff::1"},
	"IPv4-mapped":            {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254"},
	"IPv4-compatible":        {"::127.0.0.1", "::8.8.8.8"},
	"IPv4-translated":        {"::ffff:0:127.0.0.1", "::ffff:0:8.8.8.8"},
	"NAT64":                  {"64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::a00:1", "64:ff9b:1:ffff::1"},
	"Teredo":                 {"2001::1", "2001:0:53aa:64c:0:0:80ff:fffe"},
	"ORCHID":                 {"2001:10::1", "2001:20::1"},
	"ISATAP":                 {"2606:4700::5efe:7f00:1", "2606:4700::200:5efe:a00:1", "fe80::5efe:a00:1"},
	"discard":                {"100::1", "100:0:0:1::1"},
	"with a zone":            {"fe80::1%eth0", "2606:4700::1111%eth0"},
	"IPv6 of other ventures": {"200::1", "400::1"},
}

func TestSpecialAddressesAreRefused(t *testing.T) {
	t.Parallel()
	for what, addresses := range special {
		for _, address := range addresses {
			c := newTestClient(t, strict, func(w *outside) { w.resolver = always(strings.Split(address, "%")[0]) })
			ip := netip.MustParseAddr(address)
			for _, network := range []string{"tcp4", "tcp6"} {
				if err := c.control(t.Context(), network, netip.AddrPortFrom(ip, 443).String(), nil); !errors.Is(err, errRefused) {
					t.Errorf("%s: dial %s: got %v, want %v", what, address, err, errRefused)
				}
			}
			host := address
			if ip.Is6() {
				host = "[" + address + "]"
			}
			if c.CheckURL("https://"+host) == nil {
				t.Errorf("%s: CheckURL of %s: got nil, want an error", what, address)
			}
			if ip.Zone() != "" { // no resolver returns a zone
				continue
			}
			if answer := post(t, c, "https://hooks.example.com/"); answer.Problem != problemRefused {
				t.Errorf("%s: a name that resolves to %s: got %+v, want problem %q", what, address, answer, problemRefused)
			}
		}
	}
}

func TestPublicAddressesAreAllowed(t *testing.T) {
	t.Parallel()
	c := newTestClient(t, strict, nil)
	for _, target := range []string{
		"1.1.1.1:443", "8.8.8.8:8443", "9.255.255.255:443", "11.0.0.0:443", "100.63.255.255:443", "100.128.0.0:443",
		"126.255.255.255:443", "128.0.0.0:443", "172.15.255.255:443", "172.32.0.0:443", "192.167.255.255:443",
		"198.17.255.255:443", "198.20.0.0:443", "223.255.255.255:443", "[2606:4700::1111]:443",
		"[2001:4860:4860::8888]:1024", "[2a00::1]:65535", "[2001:200::1]:443", "[2606:4700::5eff:7f00:1]:443",
	} {
		network := "tcp4"
		if target[0] == '[' {
			network = "tcp6"
		}
		if err := c.control(t.Context(), network, target, nil); err != nil {
			t.Errorf("dial %s: got %v, want nil", target, err)
		}
	}
}

func TestNetworksAndPorts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		policy          Policy
		network, target string
		allowed         bool
	}{
		{strict, "tcp4", "8.8.8.8:443", true},
		{strict, "tcp4", "8.8.8.8:80", false},
		{strict, "tcp4", "8.8.8.8:22", false},
		{strict, "tcp4", "8.8.8.8:1023", false},
		{strict, "tcp4", "8.8.8.8:0", false},
		{strict, "udp4", "8.8.8.8:443", false},
		{strict, "unix", "/run/docker.sock", false},
		{strict, "tcp4", "hooks.example.com:443", false},
		{office, "tcp4", "10.1.2.3:22", false},
		{office, "tcp4", "10.1.2.3:443", true},
		{office, "tcp4", "10.2.2.3:443", false},
		{office, "tcp6", "[::ffff:10.1.2.3]:443", true},
		{office, "tcp6", "[::ffff:10.2.2.3]:443", false},
		{office, "tcp4", "172.16.1.1:443", true}, // listed as ::ffff:172.16.0.0/108
		{office, "tcp4", "172.32.1.1:22", false},
		{office, "tcp6", "[fd12:3456::1]:443", true},
		{office, "tcp6", "[fd12:3457::1]:443", false},
		{office, "tcp6", "[fd12:3456::1%eth0]:443", false},
		{office, "tcp4", "127.0.0.1:8080", false},
		{development, "tcp4", "127.0.0.1:22", true},
		{development, "tcp6", "[::1]:22", true},
		{development, "tcp6", "[::ffff:127.0.0.1]:22", true},
		{development, "tcp4", "10.1.2.3:8080", false},
		{development, "tcp4", "169.254.169.254:80", false},
		{development, "tcp4", "0.0.0.0:8080", false},
		{development, "tcp4", "8.8.8.8:80", true},
		{development, "tcp4", "8.8.8.8:22", false},
	}
	for _, test := range tests {
		err := newTestClient(t, test.policy, nil).control(t.Context(), test.network, test.target, nil)
		if (err == nil) != test.allowed {
			t.Errorf("%+v, %s %s: got %v, want allowed %v", test.policy, test.network, test.target, err, test.allowed)
		}
	}
}

func TestOwnPublicAddressesAreRefused(t *testing.T) {
	t.Parallel()
	own := func(w *outside) {
		w.interfaces = func() ([]net.Addr, error) {
			return []net.Addr{
				&net.IPNet{IP: net.ParseIP("9.9.9.9"), Mask: net.CIDRMask(24, 32)},
				&net.IPNet{IP: net.ParseIP("2606:4700::9"), Mask: net.CIDRMask(64, 128)},
			}, nil
		}
	}
	c := newTestClient(t, strict, own)
	for target, allowed := range map[string]bool{
		"9.9.9.9:8443": false, "9.9.9.8:8443": true, "[2606:4700::9]:8443": false, "[2606:4700::8]:8443": true,
	} {
		network := map[bool]string{true: "tcp6", false: "tcp4"}[target[0] == '[']
		if err := c.control(t.Context(), network, target, nil); (err == nil) != allowed {
			t.Errorf("dial %s: got %v, want allowed %v", target, err, allowed)
		}
	}
	listed := newTestClient(t, Policy{Networks: []netip.Prefix{netip.MustParsePrefix("9.9.9.9/32")}}, own)
	if err := listed.control(t.Context(), "tcp4", "9.9.9.9:8443", nil); err != nil {
		t.Errorf("dial an own address that the policy lists: got %v, want nil", err)
	}
	blind := newTestClient(t, strict, func(w *outside) {
		w.interfaces = func() ([]net.Addr, error) { return nil, errors.New("no interfaces") }
	})
	if err := blind.control(t.Context(), "tcp4", "9.9.9.8:443", nil); err == nil {
		t.Error("dial without knowing the own addresses: got nil, want an error")
	}
}
